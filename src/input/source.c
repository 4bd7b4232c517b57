#include "input/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "facts/facts.h"
#include "facts/flight.h"
#include "input/archive.h"
#include "input/shares.h"
#include "input/tell.h"
#include "input/unzstd.h"
#include "text/chars.h"
#include "text/text.h"

enum {
    DUMP_BYTES = 16 * ROOM_BYTES, /* of a dump that is read as a whole */
    KIN_BYTES = 1024              /* that tell text where a file's kin are text */
};

/* A source being read. */
struct opened {
    struct source_run *run;
    int worker, threads;
    struct evidence *evidence;
    const struct fact_reader *reader; /* of its format, or NULL */
    enum kind kind;
    struct custom custom; /* of its lines, as its head tells it */
    struct str path;
    const struct walked *file; /* a regular one, or NULL */
    const struct kin_log *kin; /* what its kin tells, or NULL */
    int fd;                    /* of a regular file that can be read by blocks, else -1 */
    uint64_t size;             /* of that */
    struct stream *stream;
    char *room; /* that its head lies in, until its blocks need one */
};

static struct source *source_of(struct evidence *evidence) {
    return &evidence->sources.v[0];
}

/* The paths are borrowed. */
static void source_add(struct evidence *evidence, struct str path, const char *file) {
    struct source source = {.path = path,
                            .file = file,
                            .rank = -1,
                            .attempts = 1,
                            .first_time = TIME_UNKNOWN,
                            .last_time = TIME_UNKNOWN};
    locate_path(source.path, &source.rank, &source.host);
    vec_push(&evidence->arena, &evidence->sources, source);
}

static void source_new(struct evidence *evidence, struct str path, const char *file) {
    struct arena *arena = &evidence->arena;
    source_add(evidence, arena_str(arena, path), file ? arena_cstr(arena, str_of(file)) : NULL);
}

static struct origin origin_of(const struct evidence *evidence) {
    const struct source *source = &evidence->sources.v[0];
    return (struct origin){
        .line = 1, .rank = source->rank, .host = source->host, .time = TIME_UNKNOWN, .attempt = 1};
}

/* ---- what is done with each kind ---------------------------------------------------- */

static unsigned places_of_kind(enum kind kind) {
    switch (kind) {
    case KIND_LOG:
    case KIND_WORDS: return 1u << IN_LINE;
    case KIND_KERNEL: return 1u << IN_LINE | 1u << IN_KERNEL;
    case KIND_CONFIG:
    case KIND_SCRIPT: return 1u << IN_CONFIG;
    case KIND_ENV: return 1u << IN_LINE | 1u << IN_CONFIG;
    case KIND_GPU:
    case KIND_SCHEDULER:
    case KIND_NETWORK: return 1u << IN_LINE;
    case KIND_FLIGHT: return 1u << IN_LINE; /* the headline that its reader wrote */
    case KIND_STACKS: return 1u << IN_LINE | 1u << IN_FRAME;
    default: return 0;
    }
}

static void reader_open(struct opened *opened, struct reader *reader, bool small) {
    const struct input_options *options = opened->run->options;
    reader_init(reader, opened->evidence, opened->run->kb, opened->run->matcher, options);
    enum kind kind = opened->kind;
    reader->kinds = places_of_kind(kind);
    reader->flags = kind == KIND_WORDS ? HIT_WORDS : 0;
    reader->opening_bytes = options->hits_only ? 0 : share_opening(opened->run);
    reader->opening_until = reader->opening_bytes;
    reader->tracks.most = share_tracks(opened->run);
    reader->tracing = !options->hits_only && (kind == KIND_LOG || kind == KIND_WORDS);
    reader->look_all = small && !options->hits_only &&
                       (kind == KIND_LOG || kind == KIND_WORDS || kind == KIND_KERNEL);
}

static struct blocks blocks_of(struct opened *opened, struct reader *reader, bool mac) {
    struct source_run *run = opened->run;
    return (struct blocks){.reader = reader,
                           .matcher = run->matcher,
                           .workers = run->workers,
                           .mac = mac,
                           .done = run->done,
                           .look = run->look,
                           .cancelled = run->cancelled,
                           .ctx = run->ctx};
}

/* Lines that need no mending are taken as they stand; `at` is where the first one that does. */
static void mend_lines(struct buf *out, struct str text, size_t at) {
    struct buf mended = {0};
    size_t done = 0;
    while (at < text.n) {
        const char *before = memrchr(text.p + done, '\n', at - done);
        size_t start = before ? (size_t)(before - text.p) + 1 : done;
        struct str rest = str_from(text, start), line;
        buf_add(out, text.p + done, start - done);
        str_line(&rest, &line);
        mend_line(&mended, line);
        buf_str(out, buf_view(&mended));
        buf_char(out, '\n');
        done = text.n - rest.n;
        at = mend_next(text, done);
    }
    buf_add(out, text.p + done, text.n - done);
    buf_release(&mended);
}

/* The first 256 KiB as a person would see them, for what stands in a log's head. */
void source_log_head(struct evidence *into, struct str text, uint32_t first, struct alike *alike,
                     const struct head_kin *kin) {
    struct buf mended = {0};
    struct origin origin = origin_of(into);
    origin.line = first;
    text = str_sub(text, 0, LIMIT_DOCUMENT);
    size_t at = mend_next(text, 0);
    bool torn = at < text.n;
    if (torn) mend_lines(&mended, text, at);
    facts_read_log_head(into, torn ? buf_view(&mended) : text, &origin, alike, kin);
    buf_release(&mended);
}

/* Of a line that is cut in two the first half tells another value. */
static struct str whole_lines(struct str text, size_t most) {
    struct str head = str_sub(text, 0, most);
    const char *end = head.n < text.n ? memrchr(head.p, '\n', head.n) : NULL;
    return end ? str_sub(head, 0, (size_t)(end - head.p) + 1) : head;
}

static void read_facts(struct opened *opened, struct str text) {
    if (opened->run->options->hits_only) return;
    struct origin origin = origin_of(opened->evidence);
    if (opened->reader) opened->reader->read(opened->evidence, text, &origin);
    if (opened->kind == KIND_LOG || opened->kind == KIND_WORDS)
        source_log_head(opened->evidence, whole_lines(text, share_head(opened->run, origin.rank)),
                        1, worker_heads(&opened->run->workers[opened->worker]),
                        opened->kin ? opened->kin->head : NULL);
}

/* What people wrote, and short excerpts whole: its words tell entries apart. */
static void keep_words(struct opened *opened, struct str text) {
    struct arena *arena = &opened->evidence->arena;
    if (opened->run->options->hits_only || !text.n) return;
    struct document document = {.source = 0,
                                .format = STR("words"),
                                .text = mask_secrets(arena, str_sub(text, 0, LIMIT_TEXT))};
    vec_push(arena, &opened->evidence->documents, document);
}

static void read_words(struct opened *opened, struct reader *reader, struct str text) {
    bool words = opened->kind == KIND_WORDS;
    if (!words && (opened->kind != KIND_LOG || text.n > TELL_PASTE)) return;
    struct paragraph_walk walk = {.text = text,
                                  .custom = &reader->custom,
                                  .personal = !words && !words_are_terse(text, &reader->custom),
                                  .named = words_are_named(str_file_name(opened->path))};
    struct paragraph *paragraph = heap_zeros(1, sizeof *paragraph);
    struct blocks blocks = blocks_of(opened, reader, false);
    struct match_scratch *scratch = blocks_worker(&blocks, opened->worker)->match;
    struct buf said = {.limit = LIMIT_TEXT};
    while (paragraph_next(&walk, paragraph)) {
        /* what a model wrote into its log is nobody's complaint */
        if (walk.personal && !walk.named && words_count_field(buf_view(&paragraph->text)) < 2)
            continue;
        reader_paragraph(reader, paragraph, HIT_WORDS, scratch);
        buf_str(&said, buf_view(&paragraph->text));
        buf_char(&said, '\n');
    }
    keep_words(opened, words || text.n <= LIMIT_TEXT ? text : buf_view(&said));
    buf_release(&said);
    paragraph_release(paragraph);
    free(paragraph);
}

/* ---- text that fits in memory ------------------------------------------------------- */

static void say_other(struct evidence *evidence, enum kind kind) {
    struct source *source = source_of(evidence);
    source->kind = kind;
    if (kind == KIND_OTHER) source->note = "listed, not read: no log";
}

/* Facts of a recognized format want the text as it was written; lines want it mended.  What it is
 * was told from its first TELL_BYTES. */
static void read_small(struct opened *opened, struct str text) {
    struct evidence *evidence = opened->evidence;
    struct arena arena = {0};
    uint32_t *line_of;
    size_t n_lines;
    struct str mended = mend_paste(&arena, text, &line_of, &n_lines);
    bool wide = utf16_tell(text) > 0;
    if (mended.p != text.p || mended.n > TELL_BYTES)
        opened->kind = tell_kind(str_sub(mended, 0, LIMIT_DOCUMENT), opened->path, &opened->reader,
                                 &opened->custom);
    struct source *source = source_of(evidence);
    source->bytes = text.n;
    say_other(evidence, opened->kind);
    if (opened->kind == KIND_OTHER || opened->kind == KIND_EMPTY) {
        arena_release(&arena);
        return;
    }
    bool whole = opened->kind == KIND_CONFIG || opened->kind == KIND_SCRIPT;
    read_facts(opened, whole && !wide ? text : mended);
    struct reader reader;
    reader_open(opened, &reader, mended.n <= share_looked(opened->run));
    if (reader.tracing) reader.tail = share_end(opened->run, mended.n, false);
    reader.line_of = line_of;
    reader.n_line_of = n_lines;
    reader.custom = opened->custom;
    read_words(opened, &reader, mended);
    struct blocks blocks = blocks_of(opened, &reader, false);
    blocks_text(&blocks, opened->worker, mended, 0);
    reader_finish(&reader, blocks_worker(&blocks, opened->worker)->match);
    if (opened->run->done) opened->run->done(opened->run->ctx, text.n);
    uint32_t last = n_lines ? line_of[n_lines - 1] : 0;
    if (last > source_of(evidence)->lines) source_of(evidence)->lines = last;
    arena_release(&arena);
}

/* ---- text that does not ------------------------------------------------------------- */

/* The lines of a regular file, of which `head` may hold all: it is not read again then. */
static bool read_file_lines(struct opened *opened, struct blocks *blocks, struct str head,
                            struct err *err) {
    bool whole = head.n == opened->size && head.n <= BLOCK_BYTES && !blocks->mac;
    if (!whole) {
        room_give(&opened->run->workers[opened->worker], &opened->room);
        return blocks_file(blocks, opened->worker, opened->threads, opened->fd, opened->size,
                           opened->path.p, err);
    }
    blocks_text(blocks, opened->worker, head, 0);
    blocks->bytes = head.n;
    if (blocks->done) blocks->done(blocks->ctx, head.n);
    return true;
}

/* `head` shows what it is; `ahead` was taken from the stream already. */
static bool read_large(struct opened *opened, struct str head, struct str ahead, struct err *err) {
    struct reader reader;
    struct evidence *evidence = opened->evidence;
    bool regular = opened->fd >= 0;
    source_of(evidence)->kind = opened->kind;
    read_facts(opened, head);
    reader_open(opened, &reader, regular && opened->size <= share_looked(opened->run));
    reader.custom = opened->custom;
    if (regular && !opened->kin) tell_custom(&reader.custom, opened->fd, opened->size, head);
    if (opened->kin && !opened->kin->ranks) {
        reader_be_kin(&reader);
        reader.own = source_of(evidence)->rank;
    }
    if (regular && reader.tracing)
        reader.tail = share_end(opened->run, opened->size, opened->kin != NULL);
    struct blocks blocks = blocks_of(opened, &reader, text_is_mac(head));
    bool ok = true;
    if (!reader.kinds) {
        blocks.bytes = regular ? opened->size : head.n;
        source_of(evidence)->note = "its beginning alone was read";
    } else if (regular) {
        ok = read_file_lines(opened, &blocks, head, err);
    } else {
        ok = blocks_stream(&blocks, opened->worker, opened->threads, opened->stream, ahead, err);
    }
    reader_finish(&reader, blocks_worker(&blocks, opened->worker)->match);
    struct source *source = source_of(evidence);
    source->bytes = blocks.bytes;
    source->truncated = !ok;
    if (!ok) source->note = arena_cstr(&evidence->arena, str_of(err->detail));
    return ok;
}

static bool read_wide(struct opened *opened, struct str head, bool big_endian, struct err *err) {
    struct utf16_stream decoded;
    struct buf sample = {0};
    utf16_add(&sample, head, big_endian);
    utf16_stream_init(&decoded, opened->stream, head, big_endian);
    opened->fd = -1; /* its blocks are no blocks of the file */
    opened->stream = &decoded.stream;
    opened->kind = tell_kind(str_sub(buf_view(&sample), 0, LIMIT_DOCUMENT), opened->path,
                             &opened->reader, &opened->custom);
    bool ok = read_large(opened, buf_view(&sample), (struct str){0}, err);
    utf16_stream_release(&decoded);
    buf_release(&sample);
    return ok;
}

/* What a reader said in one line is looked at as a line. */
static void look_at_headline(struct opened *opened) {
    struct reader reader;
    reader_open(opened, &reader, true);
    struct blocks blocks = blocks_of(opened, &reader, false);
    blocks_text(&blocks, opened->worker, flight_headline(opened->evidence, 0), 0);
    reader_finish(&reader, blocks_worker(&blocks, opened->worker)->match);
}

/* Its reader alone sees it. */
static void read_dump(struct opened *opened, struct str bytes) {
    source_of(opened->evidence)->kind = opened->kind;
    read_facts(opened, bytes);
    look_at_headline(opened);
}

/* A document of any size, in pieces that overtake each other in one room. */
static bool stream_document(struct opened *opened, size_t n, struct err *err) {
    const struct fact_stream *reader = opened->reader->stream;
    struct source *source = source_of(opened->evidence);
    void *state = heap_zeros(1, reader->state);
    bool ok = true;
    for (source->bytes = 0; n;
         n = ok ? stream_fill(opened->stream, opened->room, ROOM_BYTES, &ok, err) : 0) {
        source->bytes += n;
        reader->feed(state, (struct str){opened->room, n});
        if (opened->run->done) opened->run->done(opened->run->ctx, n);
    }
    source->kind = opened->kind;
    source->truncated = !ok;
    struct origin origin = origin_of(opened->evidence);
    if (!opened->run->options->hits_only) reader->end(state, opened->evidence, &origin);
    free(state);
    look_at_headline(opened);
    return ok;
}

/* A dump is one document: its reader needs the whole of it, up to a bound. */
static bool read_document(struct opened *opened, size_t n, struct err *err) {
    char **room = &opened->room;
    size_t cap = ROOM_BYTES;
    bool ok = true;
    while (ok && n == cap && cap < DUMP_BYTES) {
        cap *= 2;
        *room = heap_resize(*room, cap);
        n += stream_fill(opened->stream, *room + n, cap - n, &ok, err);
    }
    struct source *source = source_of(opened->evidence);
    source->kind = opened->kind;
    source->bytes = opened->fd >= 0 ? opened->size : n;
    source->truncated = n == cap;
    if (n == cap) source->note = "only its beginning was read";
    read_dump(opened, (struct str){*room, n});
    if (cap > ROOM_BYTES) *room = heap_resize(*room, ROOM_BYTES);
    return ok;
}

/* A log in a regular file that is too long to be a paste. */
static bool is_long_log(const struct opened *opened, enum kind kind, bool wide) {
    return kind == KIND_LOG && !opened->reader && !wide && opened->fd >= 0 &&
           opened->size > TELL_PASTE;
}

static enum kind kind_of(struct opened *opened, struct str head) {
    const struct walked *file = opened->file;
    bool may = file && head.n == TELL_BYTES && tell_text(str_sub(head, 0, KIN_BYTES));
    opened->kin = may ? kin_log(opened->run->kins, file) : NULL;
    if (opened->kin) return opened->custom = opened->kin->custom, KIND_LOG;
    return tell_kind(head, opened->path, &opened->reader, &opened->custom);
}

/* Fills the room behind its first `n` bytes up to `most`; no more is asked for than a regular file
 * has. */
static size_t room_fill(struct opened *opened, size_t n, size_t most, bool *ok, struct err *err) {
    bool known = opened->fd >= 0 && opened->size;
    if (known && most > opened->size) most = opened->size;
    if (n >= most) return n;
    return n + stream_fill(opened->stream, opened->room + n, most - n, ok, err);
}

/* What it is told from, in a room; `ok` as of stream_fill. */
static struct str read_head(struct opened *opened, bool *ok, struct err *err) {
    opened->room = room_take(&opened->run->workers[opened->worker]);
    *ok = true;
    return (struct str){opened->room, room_fill(opened, 0, TELL_BYTES, ok, err)};
}

/* What its head leaves undecided is none of ours: gigabytes are not read. */
static bool read_opened(struct opened *opened, struct str head, bool ok, struct err *err) {
    struct worker *worker = &opened->run->workers[opened->worker];
    size_t n = head.n;
    struct source *source = source_of(opened->evidence);
    int wide = utf16_tell(head);
    enum kind kind = wide ? KIND_LOG : kind_of(opened, head);
    bool settled = kind == KIND_OTHER || kind == KIND_EMPTY;
    bool long_log = is_long_log(opened, kind, wide);
    bool by_block = long_log && opened->size > BLOCK_BYTES;
    size_t wanted = by_block ? LIMIT_DOCUMENT : ROOM_BYTES;
    if (ok && n == TELL_BYTES && !settled) n = room_fill(opened, n, wanted, &ok, err);
    head.n = n;
    opened->kind = kind;
    /* it grew meanwhile, or is one of /proc, whose size is 0: read it as a stream */
    if (opened->fd >= 0 && opened->size < n) opened->fd = -1;
    if (opened->fd < 0 && long_log && ok) {
        head.n = n = room_fill(opened, n, ROOM_BYTES, &ok, err);
        long_log = false;
    }
    if (settled) {
        source->bytes = opened->fd >= 0 ? opened->size : n;
        say_other(opened->evidence, kind);
    } else if (opened->reader && opened->reader->whole) {
        ok = opened->reader->stream ? stream_document(opened, n, err)
                                    : read_document(opened, n, err);
    } else if (long_log) {
        ok = read_large(opened, head, head, err);
    } else if (n < ROOM_BYTES) {
        read_small(opened, head);
    } else if (wide) {
        ok = read_wide(opened, head, wide == 2, err);
    } else {
        opened->kind = tell_kind(str_sub(head, 0, LIMIT_DOCUMENT), opened->path, &opened->reader,
                                 &opened->custom);
        ok = read_large(opened, head, head, err);
    }
    if (!ok) source_of(opened->evidence)->truncated = true;
    room_give(worker, &opened->room);
    return ok;
}

bool source_stream(struct source_run *run, int worker, const struct named_stream *named,
                   struct evidence *into, struct err *err) {
    char room[ARCHIVE_HEAD];
    bool ok;
    struct ahead_stream whole;
    struct str head = {room, stream_fill(named->stream, room, sizeof room, &ok, err)};
    ahead_stream_init(&whole, head, named->stream);
    struct named_stream packed = {&whole.stream, named->path, named->depth + 1};
    bool may = ok && named->depth < ARCHIVE_DEPTH;
    if (may && unzstd_tell(head)) return unzstd_source(run, worker, &packed, into, err);
    if (may && archive_tell(head, named->path))
        return archive_source(run, worker, &packed, into, err);
    source_new(into, named->path, NULL);
    struct opened opened = {.run = run,
                            .worker = worker,
                            .threads = run->threads,
                            .evidence = into,
                            .path = source_of(into)->path,
                            .fd = -1,
                            .stream = &whole.stream};
    bool begun;
    struct str begin = read_head(&opened, &begun, err);
    bool read = read_opened(&opened, begin, begun, err);
    if (!ok) source_of(into)->truncated = true;
    return ok && read;
}

void source_open_log(struct source_run *run, struct evidence *into, enum kind kind,
                     const struct walked *file, struct reader *reader) {
    source_new(into, file->path, file->real);
    source_of(into)->kind = kind;
    struct opened opened = {
        .run = run, .threads = 1, .evidence = into, .kind = kind, .path = file->path, .fd = -1};
    reader_open(&opened, reader, false);
}

/* A regular file can be read by several threads; one that is packed is a stream from its begin. */
static bool read_regular(struct opened *opened, struct err *err) {
    const struct source_run *run = opened->run;
    const struct walked *file = opened->file;
    struct evidence *into = opened->evidence;
    bool ok;
    struct str head = read_head(opened, &ok, err);
    bool packed = archive_tell(str_sub(head, 0, ARCHIVE_HEAD), file->path);
    if (packed && lseek(opened->fd, 0, SEEK_SET) == 0) {
        room_give(&run->workers[opened->worker], &opened->room);
        const struct named_stream named = {opened->stream, file->path, 0};
        return source_stream(opened->run, opened->worker, &named, into, err);
    }
    into->paths_stay = run->paths_stay;
    if (run->paths_stay)
        source_add(into, file->path, file->real);
    else
        source_new(into, file->path, file->real);
    if (file->task && source_of(into)->rank < 0) source_of(into)->rank = file->task - 1;
    opened->path = source_of(into)->path;
    return read_opened(opened, head, ok, err);
}

void source_unread(struct evidence *into, struct str path, const struct err *err) {
    source_new(into, path, NULL);
    struct source *source = source_of(into);
    source->kind = KIND_OTHER;
    source->truncated = true;
    source->note = arena_cstr(&into->arena, str_of(err->detail));
}

bool source_read(struct source_run *run, int worker, int threads, const struct walked *file,
                 struct evidence *into, struct err *err) {
    bool standard = strcmp(file->real, "-") == 0, ok;
    struct stat status;
    int fd = standard ? STDIN_FILENO : open(file->real, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        err_set(err, strerror(errno),
                errno == EACCES ? "ask for read permission or run as the job's user" : NULL,
                "cannot read '%s'", file->real);
        source_unread(into, file->path, err);
        return false;
    }
    struct fd_stream stream;
    fd_stream_init(&stream, fd, file->path.p);
    bool regular = !file->stream && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (regular) {
        struct opened opened = {.run = run,
                                .worker = worker,
                                .threads = threads,
                                .evidence = into,
                                .file = file,
                                .fd = fd,
                                .size = (uint64_t)status.st_size,
                                .stream = &stream.stream};
        ok = read_regular(&opened, err);
    } else {
        const struct named_stream named = {&stream.stream, file->path, 0};
        ok = source_stream(run, worker, &named, into, err);
    }
    if (!standard) close(fd);
    return ok;
}

void source_text(struct source_run *run, struct str text, struct str path, struct evidence *into) {
    source_new(into, path, NULL);
    struct opened opened = {
        .run = run, .threads = 1, .evidence = into, .path = source_of(into)->path, .fd = -1};
    opened.kind =
        tell_kind(str_sub(text, 0, TELL_BYTES), opened.path, &opened.reader, &opened.custom);
    if (opened.reader && opened.reader->whole) {
        read_dump(&opened, str_sub(text, 0, DUMP_BYTES));
        return;
    }
    if (text.n < ROOM_BYTES) {
        read_small(&opened, text);
        return;
    }
    struct err err;
    struct memory_stream memory;
    bool ok;
    memory_stream_init(&memory, text);
    opened.stream = &memory.stream;
    struct str head = read_head(&opened, &ok, &err);
    read_opened(&opened, head, ok, &err);
}
