#include "world/image_write.h"
#include "model/diagnosis.h"
#include "world/image.h"
#include "world/image_schema.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct writer {
    sqlite3 *db;
    sqlite3_stmt *insert;
    const struct kb *kb;
    const struct image_notes *notes;
    struct buf list;   /* the column being put together */
    struct buf pack;   /* the rows that the program loads, as one stream: see image_schema.h */
    size_t pack_count; /* where the row count of the open table stands */
    uint32_t pack_rows;
    bool packing;
    uint64_t digest;
    int column;
    bool failed;
};

/* ---- rows ----------------------------------------------------------------------------------- */

static void run_sql(struct writer *w, const char *sql) {
    if (sqlite3_exec(w->db, sql, NULL, NULL, NULL) != SQLITE_OK) w->failed = true;
}

static void pack_number(struct writer *w, uint32_t value) {
    unsigned char bytes[4] = {(unsigned char)(value >> 24), (unsigned char)(value >> 16),
                              (unsigned char)(value >> 8), (unsigned char)value};
    buf_add(&w->pack, bytes, 4);
}

static void pack_cell(struct writer *w, struct str s) {
    if (!w->packing) return;
    buf_char(&w->pack, (char)(s.n < 255 ? s.n : 255));
    if (s.n >= 255) pack_number(w, (uint32_t)s.n);
    buf_str(&w->pack, s);
}

/* Opens a table of the pack: its rows follow until end(). */
static void pack_table(struct writer *w, const char *name) {
    w->packing = true;
    w->pack_rows = 0;
    pack_cell(w, str_of(name));
    w->pack_count = w->pack.n;
    pack_number(w, 0);
}

static void begin(struct writer *w, const char *sql) {
    if (sqlite3_prepare_v2(w->db, sql, -1, &w->insert, NULL) != SQLITE_OK) w->failed = true;
    w->column = 0;
}

static void digest_add(struct writer *w, const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) w->digest = (w->digest ^ p[i]) * 0x100000001b3u;
    w->digest = (w->digest ^ 0xff) * 0x100000001b3u; /* ends the value */
}

/* An empty text is stored as NULL: absent is absent. */
static void text(struct writer *w, struct str s) {
    digest_add(w, s.p, s.n);
    pack_cell(w, s);
    w->column++;
    if (s.n > 0)
        sqlite3_bind_text(w->insert, w->column, s.p, (int)s.n, SQLITE_TRANSIENT);
    else
        sqlite3_bind_null(w->insert, w->column);
}

static void word(struct writer *w, const char *z) {
    text(w, str_of(z));
}

static void number(struct writer *w, int value) {
    char room[16];
    snprintf(room, sizeof room, "%d", value);
    digest_add(w, room, strlen(room));
    pack_cell(w, str_of(room));
    sqlite3_bind_int(w->insert, ++w->column, value);
}

static void percent(struct writer *w, double value) {
    char room[32] = "";
    if (value >= 0) snprintf(room, sizeof room, "%.10g", value);
    digest_add(w, room, strlen(room));
    pack_cell(w, str_of(room));
    w->column++;
    if (value < 0)
        sqlite3_bind_null(w->insert, w->column);
    else
        sqlite3_bind_double(w->insert, w->column, value);
}

static void row(struct writer *w) {
    if (sqlite3_step(w->insert) != SQLITE_DONE) w->failed = true;
    sqlite3_reset(w->insert);
    w->column = 0;
    w->pack_rows++;
}

static void end(struct writer *w) {
    for (int i = 0; w->packing && i < 4; i++)
        w->pack.p[w->pack_count + (size_t)i] = (char)(w->pack_rows >> (24 - 8 * i));
    w->packing = false;
    sqlite3_finalize(w->insert);
    w->insert = NULL;
}

/* ---- columns put together ------------------------------------------------------------------- */

static void item(struct writer *w, struct str s) {
    if (w->list.n) buf_char(&w->list, '\n');
    for (size_t i = 0; i < s.n; i++) buf_char(&w->list, s.p[i] == '\n' ? '\v' : s.p[i]);
}

static void list_end(struct writer *w) {
    text(w, buf_view(&w->list));
    buf_clear(&w->list);
}

static void list(struct writer *w, const struct str *items, int n) {
    for (int i = 0; i < n; i++) item(w, items[i]);
    list_end(w);
}

static void pair(struct writer *w, struct str key, struct str value) {
    item(w, key);
    buf_char(&w->list, '=');
    for (size_t i = 0; i < value.n; i++) buf_char(&w->list, value.p[i] == '\n' ? '\v' : value.p[i]);
}

static void pairs(struct writer *w, const struct str *sets, int n) {
    for (int i = 0; i < n; i++) pair(w, sets[2 * i], sets[2 * i + 1]);
    list_end(w);
}

static void codes(struct writer *w, const int by_stage[STAGE_COUNT], const struct code *table) {
    for (int s = 0; s < STAGE_COUNT; s++)
        if (by_stage[s] >= 0) pair(w, str_of(stage_names[s]), table[by_stage[s]].id);
    list_end(w);
}

static void weights(struct writer *w, const int by_stage[STAGE_COUNT]) {
    for (int s = 0; s < STAGE_COUNT; s++) {
        char room[16];
        snprintf(room, sizeof room, "%d", by_stage[s]);
        if (by_stage[s] != 0) pair(w, str_of(stage_names[s]), str_of(room));
    }
    list_end(w);
}

static void condition(struct writer *w, const struct cond *cond) {
    for (int i = 0; cond && i < cond->size; i++) {
        const struct cond *node = &cond[i];
        item(w, str_of(cond_names[node->op]));
        if (node->op >= COND_ALL) {
            buf_printf(&w->list, "\t%d", node->n_args);
            continue;
        }
        buf_char(&w->list, '\t');
        buf_str(&w->list, node->key);
        for (int v = 0; v < node->n_values; v++) {
            buf_char(&w->list, '\t');
            buf_str(&w->list, node->values[v]);
        }
    }
    list_end(w);
}

static void weighs(struct writer *w, const struct choice *choice) {
    for (int i = 0; i < choice->n_weighs; i++) {
        char room[16];
        int root = choice->weighs[i].root;
        snprintf(room, sizeof room, "%d", choice->weighs[i].decibans);
        pair(w, root >= 0 ? w->kb->roots[root].id : STR("others"), str_of(room));
    }
    list_end(w);
}

/* ---- tables --------------------------------------------------------------------------------- */

static void write_code(struct writer *w, const char *kind, const struct code *code) {
    word(w, kind);
    text(w, code->id);
    word(w, code->stage >= 0 ? stage_names[code->stage] : NULL);
    text(w, code->name);
    text(w, code->about);
    text(w, code->examples);
    percent(w, code->share);
    percent(w, code->dist);
    row(w);
}

static void write_codes(struct writer *w) {
    const struct kb *kb = w->kb;
    pack_table(w, "code");
    begin(w, "INSERT INTO code VALUES(?,?,?,?,?,?,?,?)");
    bool own = w->notes->taxonomy;
    for (int i = 0; own && i < STAGE_COUNT; i++) write_code(w, "stage", &kb->stages[i]);
    for (int i = 0; own && i < kb->n_symptoms; i++) write_code(w, "symptom", &kb->symptoms[i]);
    for (int i = 0; own && i < kb->n_roots; i++) write_code(w, "cause", &kb->roots[i]);
    for (int i = 0; own && i < kb->n_patterns; i++) write_code(w, "pattern", &kb->patterns[i]);
    for (int i = 0; own && i < kb->n_issues; i++) write_code(w, "issue", &kb->issues[i]);
    end(w);
}

static void write_failures(struct writer *w) {
    const struct kb *kb = w->kb;
    pack_table(w, "failure");
    begin(w, "INSERT INTO failure VALUES(?,?,?,?,?,?,?,?,?,?,?)");
    for (int i = 0; i < kb->n_failures; i++) {
        const struct failure *f = &kb->failures[i];
        text(w, f->id);
        text(w, f->title);
        text(w, f->about);
        codes(w, f->symptom, kb->symptoms);
        condition(w, f->context);
        list(w, w->notes->follows[i].v, w->notes->follows[i].n);
        word(w, ended_names[f->ended]);
        number(w, f->harmless);
        number(w, f->study);
        list(w, f->dead_ends, f->n_dead_ends);
        list(w, f->references, f->n_references);
        row(w);
    }
    end(w);
}

static void write_signals(struct writer *w) {
    const struct kb *kb = w->kb;
    pack_table(w, "signal");
    begin(w, "INSERT INTO signal VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (int i = 0; i < kb->n_signals; i++) {
        const struct signal *s = &kb->signals[i];
        text(w, s->id);
        text(w, s->failure >= 0 ? kb->failures[s->failure].id : (struct str){0});
        word(w, role_names[s->role]);
        word(w, where_names[s->in]);
        word(w, level_names[s->level]);
        text(w, s->says);
        list(w, s->needles, s->n_needles);
        text(w, s->regex);
        list(w, s->groups, s->n_groups);
        pairs(w, s->sets, s->n_sets);
        weights(w, s->stage);
        number(w, s->purpose);
        text(w, w->notes->signals[i].source);
        row(w);
    }
    end(w);
}

static void write_samples(struct writer *w) {
    begin(w, "INSERT INTO sample VALUES(?,?,?)");
    for (int i = 0; i < w->kb->n_signals; i++) {
        const struct image_signal_note *note = &w->notes->signals[i];
        for (int k = 0; k < note->n_match + note->n_reject; k++) {
            bool match = k < note->n_match;
            text(w, w->kb->signals[i].id);
            word(w, match ? "match" : "reject");
            text(w, match ? note->match[k] : note->reject[k - note->n_match]);
            row(w);
        }
    }
    end(w);
}

static void write_fixes(struct writer *w) {
    const struct kb *kb = w->kb;
    pack_table(w, "fix");
    begin(w, "INSERT INTO fix VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (int i = 0; i < kb->n_failures; i++)
        for (int k = 0; k < kb->failures[i].n_fixes; k++) {
            const struct fix *fix = &kb->failures[i].fixes[k];
            text(w, kb->failures[i].id);
            text(w, fix->id);
            text(w, kb->patterns[fix->pattern].id);
            word(w, fix_kind_names[fix->kind]);
            text(w, fix->title);
            list(w, fix->steps, fix->n_steps);
            list(w, fix->commands, fix->n_commands);
            text(w, fix->patch.file);
            pairs(w, fix->patch.sets, fix->patch.n_sets);
            text(w, fix->cost);
            text(w, fix->verify);
            text(w, fix->undo);
            list(w, fix->references, fix->n_references);
            row(w);
        }
    end(w);
}

static void write_causes(struct writer *w) {
    const struct kb *kb = w->kb;
    pack_table(w, "cause");
    begin(w, "INSERT INTO cause VALUES(?,?,?,?,?,?,?)");
    for (int i = 0; i < kb->n_failures; i++)
        for (int k = 0; k < kb->failures[i].n_causes; k++) {
            const struct cause *cause = &kb->failures[i].causes[k];
            text(w, kb->failures[i].id);
            text(w, cause->id);
            number(w, cause->prior);
            text(w, cause->why);
            codes(w, cause->root, kb->roots);
            codes(w, cause->symptom, kb->symptoms);
            for (int f = 0; f < cause->n_fixes; f++)
                item(w, kb->failures[i].fixes[cause->fixes[f]].id);
            list_end(w);
            row(w);
        }
    end(w);
}

static void write_clues(struct writer *w) {
    const struct kb *kb = w->kb;
    pack_table(w, "clue");
    begin(w, "INSERT INTO clue VALUES(?,?,?,?,?,?)");
    for (int i = 0; i < kb->n_failures; i++)
        for (int k = 0; k < kb->failures[i].n_causes; k++) {
            const struct cause *cause = &kb->failures[i].causes[k];
            for (int c = 0; c < cause->n_clues; c++) {
                text(w, kb->failures[i].id);
                text(w, cause->id);
                number(w, cause->clues[c].decibans);
                text(w, cause->clues[c].group);
                text(w, cause->clues[c].why);
                condition(w, cause->clues[c].cond);
                row(w);
            }
        }
    end(w);
}

static void write_questions(struct writer *w) {
    const struct kb *kb = w->kb;
    pack_table(w, "question");
    begin(w, "INSERT INTO question VALUES(?,?,?,?,?,?)");
    for (int i = 0; i < kb->n_questions; i++) {
        const struct question *q = &kb->questions[i];
        text(w, q->id);
        text(w, q->ask);
        text(w, q->why);
        text(w, q->how);
        number(w, q->cost);
        text(w, q->probe);
        row(w);
    }
    end(w);
    pack_table(w, "choice");
    begin(w, "INSERT INTO choice VALUES(?,?,?,?,?)");
    for (int i = 0; i < kb->n_questions; i++)
        for (int k = 0; k < kb->questions[i].n_choices; k++) {
            const struct choice *choice = &kb->questions[i].choices[k];
            text(w, kb->questions[i].id);
            text(w, choice->id);
            text(w, choice->text);
            condition(w, choice->when);
            weighs(w, choice);
            row(w);
        }
    end(w);
}

static void write_checks(struct writer *w) {
    const struct kb *kb = w->kb;
    pack_table(w, "precheck");
    begin(w, "INSERT INTO precheck VALUES(?,?,?,?,?,?,?,?)");
    for (int i = 0; i < kb->n_checks; i++) {
        const struct check *check = &kb->checks[i];
        text(w, check->id);
        text(w, check->failure);
        text(w, check->fix);
        word(w, check->error ? "error" : "warning");
        text(w, check->key);
        text(w, check->says);
        text(w, check->advice);
        condition(w, check->when);
        row(w);
    }
    end(w);
}

/* For the program alone, without a table in SQL: bytes under a name. */
static void write_bytes(struct writer *w, const char *name, struct str bytes) {
    pack_table(w, name);
    pack_cell(w, bytes);
    w->pack_rows++;
    end(w);
}

static void write_fallbacks(struct writer *w) {
    const struct kb *kb = w->kb;
    pack_table(w, "fallback");
    begin(w, "INSERT INTO fallback VALUES(?,?,?,?,?,?)");
    for (int i = 0; i < kb->n_fallbacks; i++) {
        const struct fallback *f = &kb->fallbacks[i];
        list(w, f->exceptions, f->n_exceptions);
        list(w, f->contains, f->n_contains);
        text(w, f->title);
        codes(w, f->symptom, kb->symptoms);
        codes(w, f->root, kb->roots);
        for (int k = 0; k < f->n_patterns; k++) item(w, kb->patterns[f->patterns[k]].id);
        list_end(w);
        row(w);
    }
    end(w);
    pack_table(w, "confidence");
    begin(w, "INSERT INTO confidence VALUES(?,?,?,?,?,?,?,?)");
    if (kb->confidence) {
        number(w, kb->confidence->base);
        number(w, kb->confidence->line);
        number(w, kb->confidence->share);
        number(w, kb->confidence->generic);
        number(w, kb->confidence->unknown);
        number(w, kb->confidence->words);
        number(w, kb->confidence->alike);
        number(w, kb->confidence->leaning);
        row(w);
    }
    end(w);
}

/* ---- the full-text index: one document for each entry and code ------------------------------ */

/* Inserts the row of `near` and its words under one number; the body is what w->list holds. */
static void near_row(struct writer *w, sqlite3_stmt *words, const char *kind, struct str id,
                     struct str title) {
    word(w, kind);
    text(w, id);
    text(w, title);
    row(w);
    sqlite3_bind_int64(words, 1, sqlite3_last_insert_rowid(w->db));
    sqlite3_bind_text(words, 2, id.p, (int)id.n, SQLITE_TRANSIENT);
    sqlite3_bind_text(words, 3, title.p, (int)title.n, SQLITE_TRANSIENT);
    sqlite3_bind_text(words, 4, w->list.p, (int)w->list.n, SQLITE_TRANSIENT);
    if (sqlite3_step(words) != SQLITE_DONE) w->failed = true;
    sqlite3_reset(words);
    buf_clear(&w->list);
}

static void failure_words(struct writer *w, const struct failure *f) {
    item(w, f->about);
    for (int i = 0; i < f->n_signals; i++) {
        const struct signal *signal = &w->kb->signals[f->signals[i]];
        item(w, signal->says);
        for (int k = 0; k < signal->n_needles; k++) item(w, signal->needles[k]);
    }
    for (int i = 0; i < f->n_causes; i++) item(w, f->causes[i].why);
    for (int i = 0; i < f->n_fixes; i++) {
        item(w, f->fixes[i].title);
        for (int k = 0; k < f->fixes[i].n_steps; k++) item(w, f->fixes[i].steps[k]);
    }
}

static void code_words(struct writer *w, sqlite3_stmt *words, const char *kind,
                       const struct code *table, int n) {
    for (int i = 0; i < n; i++) {
        item(w, table[i].about);
        item(w, table[i].examples);
        near_row(w, words, kind, table[i].id, table[i].name);
    }
}

static void write_words(struct writer *w) {
    const struct kb *kb = w->kb;
    sqlite3_stmt *words = NULL;
    begin(w, "INSERT INTO near VALUES(?,?,?)");
    if (sqlite3_prepare_v2(w->db, "INSERT INTO words(rowid,id,title,body) VALUES(?,?,?,?)", -1,
                           &words, NULL) != SQLITE_OK)
        w->failed = true;
    if (w->failed) return;
    for (int i = 0; i < kb->n_failures; i++) {
        failure_words(w, &kb->failures[i]);
        near_row(w, words, "failure", kb->failures[i].id, kb->failures[i].title);
    }
    if (w->notes->taxonomy) {
        code_words(w, words, "symptom", kb->symptoms, kb->n_symptoms);
        code_words(w, words, "cause", kb->roots, kb->n_roots);
        code_words(w, words, "pattern", kb->patterns, kb->n_patterns);
    }
    sqlite3_finalize(words);
    end(w);
    run_sql(w, "INSERT INTO words(words) VALUES('optimize')");
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void meta(struct writer *w, const char *key, struct str value) {
    word(w, key);
    text(w, value);
    row(w);
}

static void meta_count(struct writer *w, const char *key, int n) {
    char room[16];
    snprintf(room, sizeof room, "%d", n);
    meta(w, key, str_of(room));
}

static void write_meta(struct writer *w) {
    const struct kb *kb = w->kb;
    char digest[24];
    int fixes = 0;
    struct buf rows = w->pack; /* what an image says of itself comes first, and is known last */
    w->pack = (struct buf){0};
    snprintf(digest, sizeof digest, "%016llx", (unsigned long long)w->digest);
    for (int i = 0; i < kb->n_failures; i++) fixes += kb->failures[i].n_fixes;
    pack_table(w, "meta");
    begin(w, "INSERT INTO meta VALUES(?,?)");
    meta(w, "version", kb->version);
    meta(w, "digest", str_of(digest));
    meta(w, "taxonomy", w->notes->taxonomy ? STR("own") : STR("borrowed"));
    meta_count(w, "entries", kb->n_failures);
    meta_count(w, "signals", kb->n_signals);
    meta_count(w, "questions", kb->n_questions);
    meta_count(w, "fixes", fixes);
    end(w);
    buf_str(&w->pack, buf_view(&rows));
    buf_release(&rows);
    pack_number(w, (uint32_t)w->pack.n);
    buf_str(&w->pack, STR(IMAGE_END));
}

static void write_all(struct writer *w) {
    char pragma[80];
    snprintf(pragma, sizeof pragma, "PRAGMA application_id=%d;PRAGMA user_version=%d;",
             (int)IMAGE_APPLICATION_ID, (int)IMAGE_FORMAT);
    run_sql(w, "PRAGMA page_size=4096;");
    run_sql(w, pragma);
    run_sql(w, "BEGIN;" IMAGE_SCHEMA);
    if (w->failed) return;
    write_codes(w);
    write_failures(w);
    write_signals(w);
    write_samples(w);
    write_fixes(w);
    write_causes(w);
    write_clues(w);
    write_questions(w);
    write_fallbacks(w);
    write_checks(w);
    write_bytes(w, "plan", w->kb->plan); /* no part of the digest: it follows from the rest */
    digest_add(w, w->kb->leanings.p, w->kb->leanings.n);
    write_bytes(w, "leaning", w->kb->leanings);
    write_words(w);
    if (!w->failed) write_meta(w);
    run_sql(w, "COMMIT;");
    run_sql(w, "VACUUM;");
}

bool image_bytes(const struct kb *kb, const struct image_notes *notes, struct arena *arena,
                 struct str *bytes, struct err *err) {
    struct writer w = {.kb = kb, .notes = notes, .digest = 0xcbf29ce484222325u};
    bool good = sqlite3_open(":memory:", &w.db) == SQLITE_OK;
    if (good) write_all(&w);
    sqlite3_int64 n = 0;
    unsigned char *image = good && !w.failed ? sqlite3_serialize(w.db, "main", &n, 0) : NULL;
    good = image != NULL;
    if (good) {
        buf_clear(&w.list);
        buf_add(&w.list, image, (size_t)n);
        buf_str(&w.list, buf_view(&w.pack));
        *bytes = arena_str(arena, buf_view(&w.list));
    } else {
        err_set(err, w.db ? sqlite3_errmsg(w.db) : NULL, NULL,
                "cannot build the image of the knowledge base");
    }
    sqlite3_free(image);
    sqlite3_close(w.db);
    buf_release(&w.list);
    buf_release(&w.pack);
    return good;
}

bool image_save(struct str bytes, const char *path, struct err *err) {
    struct arena arena = {0};
    const char *temporary =
        arena_cstr(&arena, arena_printf(&arena, "%s.%ld.tmp", path, (long)getpid()));
    FILE *file = fopen(temporary, "wb");
    bool good = file && fwrite(bytes.p, 1, bytes.n, file) == bytes.n;
    if (file) good = fclose(file) == 0 && good;
    good = good && rename(temporary, path) == 0;
    if (!good) {
        err_set(err, strerror(errno), NULL, "cannot write '%s'", path);
        unlink(temporary);
    }
    arena_release(&arena);
    return good;
}
