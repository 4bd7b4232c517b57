#include "world/image.h"
#include "world/image_load.h"
#include "world/image_schema.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { IMAGE_LIMIT = 512 << 20, LAYERS_LIMIT = 64 };

struct layer {
    struct str pages, pack;
    char *owned;     /* the bytes of a file; NULL for the embedded image */
    sqlite3 *tables; /* of the pages; NULL until somebody asks */
};

struct image {
    struct arena arena;
    struct kb kb;
    struct layer layers[LAYERS_LIMIT];
    int n;
    uint64_t digest; /* over the layers' digests when there are several */
};

/* ---- one image ------------------------------------------------------------------------------ */

static uint32_t big_endian(const char *p) {
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Tells SQLite's pages from the pack behind them.  SQLite itself would open a truncated file
 * without a word. */
static bool layer_split(struct layer *layer, struct str bytes, const char *name, struct err *err) {
    static const char magic[] = "SQLite format 3";
    if (bytes.n < 100 || memcmp(bytes.p, magic, sizeof magic) != 0)
        return err_set(err, "it is not an SQLite file", "build one: faultline kb build DIR -o FILE",
                       "'%s' is no knowledge image", name);
    if (big_endian(bytes.p + 68) != IMAGE_APPLICATION_ID)
        return err_set(err, "it is another program's SQLite file",
                       "build one: faultline kb build DIR -o FILE", "'%s' is no knowledge image",
                       name);
    if (big_endian(bytes.p + 60) != IMAGE_FORMAT)
        return err_set(err, "it has another format version",
                       "build it again with this version: faultline kb build DIR -o FILE",
                       "cannot use the knowledge image '%s'", name);
    uint64_t page = (uint64_t)(unsigned char)bytes.p[16] << 8 | (unsigned char)bytes.p[17];
    if (page == 1) page = 65536;
    uint64_t pages = page * big_endian(bytes.p + 28);
    uint64_t pack = big_endian(bytes.p + bytes.n - IMAGE_TAIL);
    if (!str_ends(bytes, STR(IMAGE_END)) || pages + pack + IMAGE_TAIL != bytes.n)
        return err_set(err, "it is cut short or has something appended", "copy or build it again",
                       "cannot use the knowledge image '%s'", name);
    layer->pages = str_sub(bytes, 0, pages);
    layer->pack = str_sub(bytes, pages, pack);
    return true;
}

static sqlite3 *open_bytes(struct str bytes) {
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
    unsigned char *data = (unsigned char *)(uintptr_t)bytes.p; /* never written: read-only */
    if (sqlite3_open_v2(":memory:", &db, flags, NULL) == SQLITE_OK) {
        sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        if (sqlite3_deserialize(db, "main", data, (sqlite3_int64)bytes.n, (sqlite3_int64)bytes.n,
                                SQLITE_DESERIALIZE_READONLY) == SQLITE_OK) {
            /* Pages are used where they lie instead of being copied into a cache. */
            sqlite3_exec(db, "PRAGMA mmap_size=1073741824", NULL, NULL, NULL);
            return db;
        }
    }
    sqlite3_close(db);
    return NULL;
}

/* The tables of a layer, opened when they are first asked for; NULL where they cannot be read. */
static sqlite3 *layer_tables(struct layer *layer) {
    if (!layer->tables) layer->tables = open_bytes(layer->pages);
    return layer->tables;
}

/* Adds a layer.  `owned`: bytes to free at the end, or NULL. */
static bool add_bytes(struct image *image, struct layers *layers, struct str bytes, char *owned,
                      const char *name, struct err *err) {
    struct layer layer = {.owned = owned};
    struct layer_meta meta = {0};
    struct err why = {0};
    if (image->n == LAYERS_LIMIT || !layer_split(&layer, bytes, name, err)) {
        free(owned);
        if (image->n < LAYERS_LIMIT) return false;
        return err_set(err, NULL, NULL, "more than %d knowledge images", (int)LAYERS_LIMIT);
    }
    image->layers[image->n++] = layer;
    bool good = layer_meta(&meta, layer.pack, &why);
    if (good && image->kb.n_symptoms == 0 && !meta.own_taxonomy)
        return err_set(err, "it is an overlay, and there is nothing to lay it over", NULL,
                       "cannot use the knowledge image '%s'", name);
    image->digest = image->digest * 0x9e3779b97f4a7c15u + str_hash(meta.digest);
    if (image->n == 1) image->kb.version = meta.version;
    image->kb.digest =
        image->n == 1 ? meta.digest
                      : arena_printf(&image->arena, "%016llx", (unsigned long long)image->digest);
    if (good && layer_load(layers, layer.pack, &why)) return true;
    return err_set(err, why.detail, why.hint, "the knowledge image '%s' is damaged", name);
}

/* ---- files and folders ---------------------------------------------------------------------- */

static bool add_file(struct image *image, struct layers *layers, const char *path,
                     struct err *err) {
    FILE *file = fopen(path, "rb");
    struct stat about;
    char *bytes = NULL;
    if (!file || fstat(fileno(file), &about) != 0 || about.st_size > IMAGE_LIMIT) {
        const char *why = file ? "it is too large" : strerror(errno);
        if (file) fclose(file);
        return err_set(err, why, NULL, "cannot read the knowledge image '%s'", path);
    }
    size_t size = (size_t)about.st_size, n = 0;
    bytes = heap_bytes(size + 1);
    n = fread(bytes, 1, size, file);
    bool good = !ferror(file);
    fclose(file);
    if (good) return add_bytes(image, layers, (struct str){bytes, n}, bytes, path, err);
    free(bytes);
    return err_set(err, "it cannot be read", NULL, "cannot read the knowledge image '%s'", path);
}

static int is_image(const struct dirent *entry) {
    return entry->d_name[0] != '.' && str_ends(str_of(entry->d_name), STR(".sqlite"));
}

static bool add_path(struct image *image, struct layers *layers, const char *path,
                     struct err *err) {
    struct stat about;
    struct dirent **entries = NULL;
    if (stat(path, &about) != 0)
        return err_set(err, strerror(errno), "name an image file or a folder of *.sqlite files",
                       "cannot read the knowledge image '%s'", path);
    if (!S_ISDIR(about.st_mode)) return add_file(image, layers, path, err);
    int n = scandir(path, &entries, is_image, alphasort);
    if (n < 0) return err_set(err, strerror(errno), NULL, "cannot read the folder '%s'", path);
    bool good = true;
    for (int i = 0; i < n; i++) {
        struct str name = arena_printf(&image->arena, "%s/%s", path, entries[i]->d_name);
        good = good && add_file(image, layers, name.p, err);
        free(entries[i]);
    }
    free(entries);
    if (n == 0)
        return err_set(err, "it holds no *.sqlite file", "faultline kb build DIR -o FILE.sqlite",
                       "there is no knowledge image in '%s'", path);
    return good;
}

bool image_open(struct image **out, const char *const *overlays, int n_overlays, struct err *err) {
    struct image *image = heap_zeros(1, sizeof *image);
    struct layers layers = {.arena = &image->arena, .kb = &image->kb};
    struct str embedded = image_embedded();
    bool good = embedded.n == 0 || add_bytes(image, &layers, embedded, NULL, "(embedded)", err);
    for (int i = 0; i < n_overlays && good; i++) good = add_path(image, &layers, overlays[i], err);
    *out = good ? image : NULL;
    if (!good) {
        image_close(image);
        return false;
    }
    layers_join(&layers);
    return true;
}

const struct kb *image_kb(const struct image *image) {
    return &image->kb;
}

void image_close(struct image *image) {
    if (!image) return;
    for (int i = 0; i < image->n; i++) {
        sqlite3_close(image->layers[i].tables);
        free(image->layers[i].owned);
    }
    arena_release(&image->arena);
    free(image);
}

/* ---- full-text search ----------------------------------------------------------------------- */

/* Words of letters and digits, quoted and joined by OR: nothing of the query language gets through.
 */
static struct str query_of(struct arena *arena, struct str words) {
    struct buf query = {0};
    int n = 0;
    size_t i = 0;
    while (i < words.n && n < IMAGE_WORDS) {
        size_t start = i;
        while (i < words.n && (isalnum((unsigned char)words.p[i]) || words.p[i] == '_')) i++;
        if (i - start >= 2 && i - start <= 40)
            buf_printf(&query, "%s\"" STR_FMT "\"", n++ ? " OR " : "",
                       STR_ARG(str_sub(words, start, i - start)));
        while (i < words.n && !isalnum((unsigned char)words.p[i])) i++;
    }
    struct str copy = arena_str(arena, buf_view(&query));
    buf_release(&query);
    return copy;
}

/* Puts a row in its place among the best, after those that rank the same; an entry that is there
 * already stays. */
static int near_add(struct image_near *out, int n, int max, struct image_near row) {
    for (int i = 0; i < n; i++)
        if (str_eq(out[i].kind, row.kind) && str_eq(out[i].id, row.id)) return n;
    int at = n;
    while (at > 0 && row.rank > out[at - 1].rank) at--;
    if (at == max) return n;
    int keep = n < max ? n : max - 1;
    memmove(out + at + 1, out + at, sizeof *out * (size_t)(keep - at));
    out[at] = row;
    return keep + 1;
}

int image_search(struct image *image, struct arena *arena, struct str words, struct image_near *out,
                 int max) {
    static const char sql[] =
        "SELECT n.kind, n.id, n.title, -bm25(words, 4.0, 3.0, 1.0) FROM words JOIN near n"
        " ON n.rowid = words.rowid WHERE words MATCH ? ORDER BY 4 DESC, 2 LIMIT ?";
    struct str query = query_of(arena, words);
    int n = 0;
    for (int i = image->n - 1; i >= 0 && query.n > 0 && max > 0; i--) {
        sqlite3_stmt *rows = NULL;
        if (sqlite3_prepare_v2(layer_tables(&image->layers[i]), sql, -1, &rows, NULL) != SQLITE_OK)
            continue;
        sqlite3_bind_text(rows, 1, query.p, (int)query.n, SQLITE_STATIC);
        sqlite3_bind_int(rows, 2, max);
        double best = 0;
        while (sqlite3_step(rows) == SQLITE_ROW) {
            struct str columns[3];
            double rank = sqlite3_column_double(rows, 3);
            if (best <= 0) best = rank > 0 ? rank : 1;
            for (int c = 0; c < 3; c++)
                columns[c] = arena_str(arena, str_of((const char *)sqlite3_column_text(rows, c)));
            struct image_near row = {columns[0], columns[1], columns[2], rank / best, rank};
            int failure = kb_failure(&image->kb, row.id);
            if (failure >= 0) row.title = image->kb.failures[failure].title; /* of an overlay */
            n = near_add(out, n, max, row);
        }
        sqlite3_finalize(rows);
    }
    return n;
}

/* ---- samples -------------------------------------------------------------------------------- */

int image_samples(struct image *image, struct arena *arena, struct str signal,
                  struct image_sample *out, int max) {
    for (int i = image->n - 1; i >= 0; i--) {
        sqlite3_stmt *rows = NULL;
        int n = 0;
        if (sqlite3_prepare_v2(layer_tables(&image->layers[i]),
                               "SELECT kind,line FROM sample WHERE signal=?", -1, &rows,
                               NULL) != SQLITE_OK)
            continue;
        sqlite3_bind_text(rows, 1, signal.p, (int)signal.n, SQLITE_STATIC);
        while (n < max && sqlite3_step(rows) == SQLITE_ROW) {
            struct str kind = str_of((const char *)sqlite3_column_text(rows, 0));
            struct str line = str_of((const char *)sqlite3_column_text(rows, 1));
            out[n++] = (struct image_sample){arena_str(arena, line), str_eq(kind, STR("match"))};
        }
        sqlite3_finalize(rows);
        if (n > 0) return n;
    }
    return 0;
}

struct str image_source(struct image *image, struct arena *arena, struct str signal) {
    struct str source = {0};
    for (int i = image->n - 1; i >= 0 && source.n == 0; i--) {
        sqlite3_stmt *row = NULL;
        if (sqlite3_prepare_v2(layer_tables(&image->layers[i]),
                               "SELECT source FROM signal WHERE id=?", -1, &row, NULL) != SQLITE_OK)
            continue;
        sqlite3_bind_text(row, 1, signal.p, (int)signal.n, SQLITE_STATIC);
        if (sqlite3_step(row) == SQLITE_ROW)
            source = arena_str(arena, str_of((const char *)sqlite3_column_text(row, 0)));
        sqlite3_finalize(row);
    }
    return source;
}
