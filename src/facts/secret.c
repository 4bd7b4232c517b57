#include "facts/facts.h"
#include "text/chars.h"

/* Names that hold one of the words but are no secrets: tokenizers, key counts, keys of maps. */
static const struct str harmless[] = {
    STR("TOKENIZER"), STR("TOKENS"),    STR("MONKEY"),    STR("KEYBOARD"),   STR("NUM_KEY"),
    STR("KV_HEADS"),  STR("HOTKEY"),    STR("TOKEN_ID"),  STR("MAX_TOK"),    STR("PAD_TOKEN"),
    STR("EOS_TOKEN"), STR("BOS_TOKEN"), STR("UNK_TOKEN"), STR("MASK_TOKEN"), STR("KEY_VALUE"),
    STR("PASSES"),    STR("AUTHOR")};
static const struct str words[] = {
    STR("TOKEN"),      STR("SECRET"),     STR("PASSWORD"), STR("PASSWD"),
    STR("PASSPHRASE"), STR("APIKEY"),     STR("KEY"),      STR("CREDENTIALS"),
    STR("PWD"),        STR("CREDENTIAL"), STR("PASS"),     STR("AUTH"),
    STR("COOKIE"),     STR("WEBHOOK"),    STR("API_KEYS"), STR("ACCESS_KEYS")};

/* "text_key" names a column and "forward_pass" a pass; in upper case, or a key behind one of these,
 * they open something. */
static bool is_plain_key(struct str name, struct str word, size_t at) {
    static const char *const owners[] = {"API",     "ACCESS",  "PRIVATE", "SECRET",
                                         "SSH",     "AUTH",    "LICENSE", "SIGN",
                                         "ENCRYPT", "SERVICE", "ACCOUNT"};
    if (str_eq(word, STR("PASS"))) return name.p[at] != 'P';
    if (!str_eq(word, STR("KEY")) || name.p[at] == 'K') return false;
    if (STR_HAS_ANY(str_sub(name, 0, at), owners)) return false;
    return true;
}

/* The word at `at` counts where '_', '-' or the end bounds it: HF_TOKEN, api-key. */
static bool word_opens(struct str name, size_t at) {
    char first = to_lower(name.p[at]);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        struct str word = words[i];
        if (to_lower(word.p[0]) != first) continue;
        if (!str_eq_nocase(str_sub(name, at, word.n), word)) continue;
        size_t end = at + word.n;
        bool left = at == 0 || !is_alpha(name.p[at - 1]) || word.n > 4;
        bool right = end == name.n || !is_alpha(name.p[end]);
        if (left && right && !is_plain_key(name, word, at)) return true;
    }
    return false;
}

/* PWD alone is a folder. */
bool fact_is_secret(struct str name) {
    bool opens = false;
    uint32_t begin = 0; /* bit c & 31: a word begins with the letter c, whatever its case */
    for (size_t i = 0; i < COUNT_OF(words); i++) begin |= 1u << (words[i].p[0] & 31);
    for (size_t at = 0; at < name.n && !opens; at++)
        opens = (begin >> (name.p[at] & 31) & 1) && word_opens(name, at);
    if (!opens || str_eq_nocase(name, STR("PWD")) || str_eq_nocase(name, STR("OLDPWD")))
        return false;
    for (size_t i = 0; i < COUNT_OF(harmless); i++)
        if (str_find_nocase(name, harmless[i], 0) >= 0) return false;
    return true;
}
