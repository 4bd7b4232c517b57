#include "text/chars.h"
#include "text/grams.h"
#include "text/text.h"

/* Words after which a value is a secret, and beginnings that tokens of known makers have. */
struct maker {
    const char *start;
    size_t least; /* bytes of the token after the start */
};
static const struct maker makers[] = {
    {"hf_", 16},       {"sk-", 16},         {"ghp_", 20},     {"gho_", 20},   {"ghs_", 20},
    {"ghu_", 20},      {"github_pat_", 20}, {"glpat-", 16},   {"xoxb-", 10},  {"xoxp-", 10},
    {"xoxa-", 10},     {"AKIA", 16},        {"ASIA", 16},     {"AIza", 30},   {"nvapi-", 20},
    {"dckr_pat_", 20}, {"pypi-", 20},       {"eyJhbGci", 20}, {"tskey-", 16}, {"npm_", 30},
    {"sq0", 20},       {"ya29.", 20},
};
static const char *const secret_names[] = {"password",   "passwd",    "passphrase",  "secret",
                                           "token",      "apikey",    "api_key",     "api-key",
                                           "access_key", "accesskey", "private_key", "credential",
                                           "secret_key", "auth_key",  "sas_key"};
static const char secret_ends[] = "detnylg"; /* last letters of those and of sig */
/* Tokens of text, not of access. */
static const char *const harmless_names[] = {
    "pad_",   "eos_",   "bos_",    "unk_",   "sep_",  "cls_",   "mask_",  "special_",
    "image_", "start_", "end_",    "stop_",  "next_", "per_",   "max_",   "num_",
    "n_",     "new_",   "prompt_", "first_", "last_", "video_", "audio_", "added_"};

static bool token_byte(char c) {
    return is_word(c) || c == '-' || c == '.' || c == '/' || c == '+' || c == '=' || c == '~';
}

static size_t token_length(struct str s, size_t at) {
    size_t i = at;
    while (i < s.n && token_byte(s.p[i])) i++;
    return i - at;
}

/* hf_deepspeed_config is a name: words in small letters; what is drawn at random has others. */
static bool reads_as_name(struct str token) {
    int words = 1;
    for (size_t i = 0; i < token.n; i++) {
        if (token.p[i] == '_')
            words++;
        else if (!is_alpha(token.p[i]) || to_lower(token.p[i]) != token.p[i])
            return false;
    }
    return words > 2;
}

/* Length of the token at `at` by its maker's beginning, 0 if none. */
static size_t made_token(struct str s, size_t at) {
    if (at && is_word(s.p[at - 1])) return 0;
    struct str rest = str_from(s, at);
    for (size_t i = 0; i < COUNT_OF(makers); i++) {
        if (makers[i].start[0] != rest.p[0]) continue;
        struct str start = str_of(makers[i].start);
        if (!str_starts(rest, start)) continue;
        size_t length = token_length(s, at);
        if (reads_as_name(str_sub(s, at, length))) return 0;
        return length >= start.n + makers[i].least ? length : 0;
    }
    return 0;
}

static size_t word_start(struct str s, size_t end) {
    size_t i = end;
    while (i && (is_word(s.p[i - 1]) || s.p[i - 1] == '-')) i--;
    return i;
}

/* The parameter of a link that lets whoever has it in: ?X-Amz-Signature=, &Signature=, &sig=. */
static bool parameter_signs(struct str s, size_t start, struct str name) {
    char before = start ? s.p[start - 1] : ' ';
    if (before != '?' && before != '&' && before != ';') return false;
    return str_eq_nocase(name, STR("sig")) || str_ends_nocase(name, STR("signature"));
}

/* wandb.login(key=...) */
static bool logs_in(struct str s, size_t start, struct str name) {
    return str_eq(name, STR("key")) && str_ends(str_sub(s, 0, start), STR("login("));
}

/* True when the name before `end` calls its value a secret. */
static bool name_is_secret(struct str s, size_t end) {
    char last = to_lower(byte_at(s, end - 1));
    if (!strchr(secret_ends, last)) return false;
    size_t begin = word_start(s, end);
    struct str name = str_sub(s, begin, end - begin);
    bool secret = parameter_signs(s, begin, name) || logs_in(s, begin, name);
    for (size_t i = 0; i < COUNT_OF(secret_names) && !secret; i++)
        secret = str_ends_nocase(name, str_of(secret_names[i]));
    for (size_t i = 0; i < COUNT_OF(harmless_names) && secret; i++)
        secret = !str_starts_nocase(name, str_of(harmless_names[i]));
    return secret;
}

static bool value_is_plain(struct str value) {
    double number;
    return value.n == 0 || str_number(value, &number) || str_eq_nocase(value, STR("none")) ||
           str_eq_nocase(value, STR("null")) || str_eq_nocase(value, STR("true")) ||
           str_eq_nocase(value, STR("false")) || value.p[0] == '<' || value.p[0] == '[' ||
           value.p[0] == '$' || value.p[0] == '*';
}

static size_t behind_quote(struct str s, size_t at) {
    return at + (byte_at(s, at) == '"' || byte_at(s, at) == '\'');
}

static size_t behind_blanks(struct str s, size_t at) {
    while (is_blank(byte_at(s, at))) at++;
    return at;
}

static bool joins(char c) {
    return c == '=' || c == ':';
}

/* After a secret's name that ends at `at`: where its value begins and how long it is.  Forms:
 * name=v, name: v, "name": "v", --name v. */
static bool value_of_name(struct str s, size_t at, size_t *start, size_t *length) {
    size_t end = behind_quote(s, at), i = behind_blanks(s, end);
    bool option = str_starts(str_from(s, word_start(s, at)), STR("--"));
    bool joined = joins(byte_at(s, i));
    if (!joined && !(option && i > end)) return false;
    i = behind_blanks(s, i + joined);
    *start = behind_quote(s, i);
    bool quoted = *start > i;
    char quote = byte_at(s, i);
    for (i = *start; i < s.n && (quoted ? s.p[i] != quote : !strchr(" \t,;&\"'})", s.p[i]));) i++;
    *length = i - *start;
    return *length >= 4 && !value_is_plain(str_sub(s, *start, *length));
}

/* The password of scheme://user:password@host, which ends at the last '@'. */
static bool url_password(struct str s, size_t at, size_t *start, size_t *length) {
    if (!str_starts(str_from(s, at), STR("://"))) return false;
    size_t colon = 0, i = at + 3;
    *length = 0;
    for (; i < s.n && i - at < 512 && !strchr(" \t/\"'<>", s.p[i]); i++) {
        if (s.p[i] == ':' && !colon) colon = i;
        if (s.p[i] == '@' && colon) *start = colon + 1, *length = i - colon - 1;
    }
    return *length > 0;
}

static bool bearer(struct str s, size_t at, size_t *start, size_t *length) {
    static const char *const words[] = {"bearer ", "basic ", "-----BEGIN "};
    for (size_t w = 0; w < COUNT_OF(words); w++) {
        struct str word = str_of(words[w]);
        if (at && is_word(s.p[at - 1])) return false;
        if (!str_eq_nocase(str_sub(s, at, word.n), word)) continue;
        *start = at + word.n;
        *length = w == 2 ? s.n - *start : token_length(s, *start);
        return w == 2 ? str_has(s, STR("PRIVATE KEY")) : *length >= 16;
    }
    return false;
}

/* Finds the secret that begins earliest by what stands at `at`. */
static bool secret_at(struct str s, size_t at, size_t *start, size_t *length) {
    char c = to_lower(s.p[at]);
    if (c == ':' && url_password(s, at, start, length)) return true;
    if ((c == 'b' || c == '-') && bearer(s, at, start, length)) return true;
    *start = at;
    if (is_alpha(c) && (*length = made_token(s, at)) > 0) return true;
    bool name_ends = at && is_word(s.p[at - 1]) && !is_word(s.p[at]) && s.p[at] != '-';
    return name_ends && strchr("=:\"' \t", s.p[at]) && name_is_secret(s, at) &&
           value_of_name(s, at, start, length);
}

/* What stands in every line that holds a secret, beside the makers' beginnings and the names. */
static const char *const other_marks[] = {"://",  "bearer ", "basic ",    "-----BEGIN ", "?sig",
                                          "&sig", ";sig",    "signature", "login(key"};

static bool has_digit(struct str mark) {
    for (size_t i = 0; i < mark.n; i++)
        if (is_digit(mark.p[i])) return true;
    return false;
}

static bool mark_may(const struct grams *grams, struct str line, struct str mark) {
    return grams_may(grams, mark) && (has_digit(mark) || str_find_nocase(line, mark, 0) >= 0);
}

/* As value_of_name knows them, whatever the value. */
static bool name_may(const struct grams *grams, struct str line, struct str name) {
    ptrdiff_t at = grams_may(grams, name) ? str_find_nocase(line, name, 0) : -1;
    for (; at >= 0; at = str_find_nocase(line, name, (size_t)at + 1)) {
        size_t behind = behind_blanks(line, behind_quote(line, (size_t)at + name.n));
        if (joins(byte_at(line, behind)) || str_has(line, STR("--"))) return true;
    }
    return false;
}

bool secrets_may(const struct grams *grams, struct str line) {
    for (size_t i = 0; i < COUNT_OF(makers); i++)
        if (mark_may(grams, line, str_of(makers[i].start))) return true;
    for (size_t i = 0; i < COUNT_OF(secret_names); i++)
        if (name_may(grams, line, str_of(secret_names[i]))) return true;
    for (size_t i = 0; i < COUNT_OF(other_marks); i++)
        if (mark_may(grams, line, str_of(other_marks[i]))) return true;
    return false;
}

/* What is kept of a text: LIMIT_TEXT bytes, cut before a character that does not fit. */
static size_t kept_bytes(struct str text) {
    size_t n = text.n < LIMIT_TEXT ? text.n : LIMIT_TEXT;
    while (n && n < text.n && ((unsigned char)text.p[n] & 0xC0) == 0x80) n--;
    return n;
}

/* The line without its secrets. */
static void mask(struct buf *out, struct str line) {
    size_t kept = 0, start = 0, length = 0;
    for (size_t i = 0; i < line.n; i++) {
        bool within = i && is_word(line.p[i]) && is_word(line.p[i - 1]);
        if (within) continue; /* no secret, and no name of one, begins or ends inside a word */
        if (!secret_at(line, i, &start, &length) || start < kept) continue;
        buf_add(out, line.p + kept, start - kept);
        buf_str(out, STR("***"));
        kept = start + length;
        i = kept ? kept - 1 : 0;
    }
    buf_add(out, line.p + kept, line.n - kept);
}

static bool is_number(struct str text) {
    size_t i = 0;
    while (i < text.n && (is_digit(text.p[i]) || text.p[i] == '.')) i++;
    return i == text.n;
}

struct str mask_secrets(struct arena *arena, struct str line) {
    struct grams grams;
    struct buf masked = {0};
    /* a secret that the cut would split is masked before the cut */
    struct str text = str_sub(line, 0, LIMIT_TEXT + 1024);
    bool number = is_number(text);
    if (!number) grams_make(&grams, text);
    if (!number && secrets_may(&grams, text)) { /* most lines hold none */
        mask(&masked, text);
        text = buf_view(&masked);
    }
    struct str copy = arena_str(arena, str_sub(text, 0, kept_bytes(text)));
    buf_release(&masked);
    return copy;
}
