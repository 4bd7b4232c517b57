/* Stacks of running processes: py-spy dump, faulthandler.
 *
 * The main threads are kept as a document of format "stacks", for putting ranks side by side: a
 * line "rank N" (parted by a tab, -1 where not told) for each process, and below it a line "frame
 * FUNCTION (FILE:LINE)" for each frame, the innermost first. */
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/reading.h"

enum { FRAMES = 64, DOCUMENT_ROOM = LIMIT_DOCUMENT - 8192 };

struct stacks {
    struct reading *reading;
    struct buf document; /* see above */
    int rank;            /* of the process being read, -1 not told */
    bool told;           /* its main thread stands in the document */
    int threads, main_threads;
    bool main_thread;
    int depth; /* frames of this thread so far */
    struct str frames[FRAMES];
    bool faulthandler;
};

/* Where the main thread of a training process waits, by the frames that say so. */
static const struct {
    const char *frame, *where;
} waits[] = {
    {"barrier", "barrier"},
    {"all_reduce", "all_reduce"},
    {"allreduce", "all_reduce"},
    {"broadcast", "broadcast"},
    {"all_gather", "all_gather"},
    {"reduce_scatter", "reduce_scatter"},
    {"all_to_all", "all_to_all"},
    {"_store_based_barrier", "rendezvous"},
    {"rendezvous", "rendezvous"},
    {"init_process_group", "init"},
    {"backward", "backward"},
    {"synchronize", "synchronize"},
    {"_next_data", "data"},
    {"_try_get_data", "data"},
    {"_save", "save"},
    {"save_checkpoint", "save"},
    {"load_checkpoint", "load"},
    {"forward", "forward"},
    {"step", "step"},
    {"isend", "p2p"},
    {"irecv", "p2p"},
    {"recv_forward", "p2p"},
};

static void add_field(struct buf *out, struct str text) {
    for (size_t i = 0; i < text.n && i < 200; i++) {
        unsigned char c = (unsigned char)text.p[i];
        buf_char(out, c < 0x20 ? ' ' : c < 0x7F ? (char)c : '?');
    }
}

static void add_process(struct stacks *stacks) {
    if (stacks->told || stacks->document.n > DOCUMENT_ROOM) return;
    stacks->told = true;
    buf_printf(&stacks->document, "rank\t%d\n", stacks->rank);
    for (int f = 0; f < stacks->depth; f++) {
        buf_str(&stacks->document, STR("frame\t"));
        add_field(&stacks->document, stacks->frames[f]);
        buf_char(&stacks->document, '\n');
    }
}

static void finish_thread(struct stacks *stacks) {
    struct reading *reading = stacks->reading;
    if (stacks->main_thread && stacks->depth) {
        add_process(stacks);
        struct str top = stacks->frames[0];
        note(reading, STR("stack.top"), top);
        for (int f = 0; f < stacks->depth; f++) {
            struct str function = pick_word(stacks->frames[f], NULL);
            for (size_t i = 0; i < COUNT_OF(waits); i++)
                if (str_eq(function, str_of(waits[i].frame))) {
                    note(reading, STR("stack.waits_in"), str_of(waits[i].where));
                    stacks->depth = 0;
                    return;
                }
        }
    }
    stacks->depth = 0;
}

/* "Process 280064: python train.py --local_rank=3", "=== rank 3 ===": another process begins. */
static void process_line(struct stacks *stacks, struct str line) {
    static const char *const labels[] = {"--rank=", "--rank ", "RANK=", "rank ", "rank="};
    struct str rest;
    bool begins = str_starts(line, STR("Process ")) || str_starts(line, STR("===")) ||
                  str_starts(line, STR("---")) || str_starts(line, STR("### "));
    int rank;
    if (!begins) return;
    finish_thread(stacks);
    stacks->told = stacks->main_thread = false;
    if (stacks->reading->origin.rank >= 0) return; /* the file's name tells */
    stacks->rank = -1;
    for (size_t i = 0; i < COUNT_OF(labels); i++)
        if (pick_after(line, str_of(labels[i]), &rest) && pick_int(rest, &rank)) {
            stacks->rank = rank;
            break;
        }
}

/* `Thread 280064 (active): "MainThread"`, `Thread 0x00007f... (most recent call first):` */
static bool thread_line(struct stacks *stacks, struct str line) {
    bool current = str_starts(line, STR("Current thread ")), any = str_starts(line, STR("Thread "));
    if (!current && !any) return false;
    finish_thread(stacks);
    stacks->threads++;
    stacks->faulthandler = str_has(line, STR("most recent call first"));
    stacks->main_thread = str_has(line, STR("\"MainThread\"")) || current;
    stacks->main_threads += stacks->main_thread;
    struct str state;
    if (stacks->main_thread && pick_between(line, STR("("), STR(")"), &state) &&
        !stacks->faulthandler)
        note(stacks->reading, STR("stack.state"), state);
    return true;
}

/* "    barrier (torch/distributed/distributed_c10d.py:2784)" or `  File "x.py", line 3 in f` */
static bool frame_line(struct stacks *stacks, struct str line) {
    struct str frame = (struct str){0}, path, number, function;
    line = str_trim(line);
    if (str_starts(line, STR("File \"")) && pick_between(line, STR("\""), STR("\""), &path) &&
        pick_after(line, STR(" in "), &function) && pick_after(line, STR(", line "), &number))
        frame = note_key(stacks->reading, STR_FMT " (" STR_FMT ":" STR_FMT ")", STR_ARG(function),
                         STR_ARG(path), STR_ARG(pick_number(number)));
    else if (str_ends(line, STR(")")) && str_has(line, STR(" (")) && str_has(line, STR(":")))
        frame = line;
    if (!frame.n) return false;
    if (stacks->depth < FRAMES) stacks->frames[stacks->depth++] = frame;
    return true;
}

static void read_stacks(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct str line;
    reading_open(&reading, evidence, text, origin, "stacks");
    struct stacks *stacks = ARENA_NEW(&reading.scratch, struct stacks);
    stacks->reading = &reading;
    stacks->rank = origin->rank;
    while (reading_line(&reading, &line)) {
        line = str_trim(line);
        process_line(stacks, line);
        if (thread_line(stacks, line) || frame_line(stacks, line)) continue;
        if (str_starts(line, STR("Python v")))
            note(&reading, STR("python.version"), pick_version(str_sub(line, 8, line.n)));
        if (str_has(line, STR("Failed to suspend process")) ||
            str_has(line, STR("Operation not permitted")))
            note(&reading, STR("stack.error"), STR("not permitted"));
        if (str_starts(line, STR("Fatal Python error: ")))
            note(&reading, STR("stack.fatal"), str_sub(line, 20, line.n));
    }
    finish_thread(stacks);
    if (stacks->threads) note_int(&reading, STR("stack.threads"), stacks->threads);
    if (stacks->document.n)
        note_document(&reading, "stacks", arena_str(&evidence->arena, buf_view(&stacks->document)));
    buf_release(&stacks->document);
    reading_close(&reading);
}

static int recognize(struct str head, struct str name) {
    struct str start = str_trim(str_sub(head, 0, 4096));
    bool thread = str_has(start, STR("Thread ")) &&
                  (str_has(start, STR("(active")) || str_has(start, STR("(idle"))) &&
                  str_has(start, STR(".py:"));
    if (str_starts(start, STR("Thread ")) && thread) return 95;
    if (str_starts(start, STR("Process ")) && str_has(start, STR("Python v"))) return 95;
    if (str_has(str_sub(start, 0, 200), STR("py-spy dump"))) return 90;
    if (str_has(start, STR("most recent call first")) &&
        (str_starts(start, STR("Thread 0x")) || str_starts(start, STR("Current thread")) ||
         str_starts(start, STR("Fatal Python"))))
        return 85;
    bool named = str_find_nocase(name, STR("py-spy"), 0) >= 0 ||
                 str_find_nocase(name, STR("pyspy"), 0) >= 0 ||
                 str_find_nocase(name, STR("stack"), 0) >= 0;
    return named && thread ? 80 : 0;
}

const struct fact_reader reader_stacks = {.id = "stacks",
                                          .about = "py-spy dump, faulthandler",
                                          .kind = KIND_STACKS,
                                          .recognize = recognize,
                                          .read = read_stacks};
