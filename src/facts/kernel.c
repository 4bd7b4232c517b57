/* The kernel's log: GPU errors (Xid, SXid), the OOM killer, segfaults; dmesg, journal and kmsg. */
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/smi_tree.h"
#include "text/text.h"

struct counts {
    int xids, sxids, ooms;
};

/* "NVRM: Xid (PCI:0000:10:1c): 63, pid=1850, Row Remapper: ..." -> xid.63 = "0000:10:1c" */
static void xid_line(struct reading *reading, struct counts *counts, struct str line,
                     const char *mark, const char *prefix) {
    struct str rest, bus = {0}, message;
    int code;
    if (!pick_after(line, str_of(mark), &rest) || !pick_after(rest, STR("):"), &message) ||
        !pick_int(message, &code))
        return;
    pick_between(rest, STR("PCI:"), STR(")"), &bus);
    bool switches = prefix[0] == 's';
    switches ? counts->sxids++ : counts->xids++;
    note(reading, note_key(reading, "%s.%d", prefix, code), bus.n ? bus : STR("seen"));
    note_int(reading, note_key(reading, "%s", prefix), code);
    struct str pid, name;
    if (pick_after(message, STR("pid="), &pid)) {
        pid = pick_unquote(pick_until(pid, STR(",")));
        note(reading, note_key(reading, "%s.%d.pid", prefix, code), pick_number(pid));
    }
    if (pick_after(message, STR("name="), &name)) {
        name = pick_until(name, STR(","));
        if (!str_starts(name, STR("<")))
            note(reading, note_key(reading, "%s.%d.process", prefix, code), name);
    }
    if (pick_after(message, STR("Ch "), &name))
        note(reading, note_key(reading, "%s.%d.channel", prefix, code), pick_word(name, NULL));
}

/* "Out of memory: Killed process 123 (python) total-vm:..., anon-rss:123kB", also of a cgroup. */
static void oom_line(struct reading *reading, struct counts *counts, struct str line) {
    struct str rest, name, rss;
    bool kill = pick_after(line, STR("Killed process "), &rest) ||
                pick_after(line, STR("Kill process "), &rest);
    if (!kill) {
        if (str_has(line, STR("oom-kill:constraint=CONSTRAINT_MEMCG")))
            note(reading, STR("oom.scope"), STR("cgroup"));
        if (str_has(line, STR("oom-kill:constraint=CONSTRAINT_NONE")))
            note(reading, STR("oom.scope"), STR("host"));
        return;
    }
    int pid;
    double gib;
    counts->ooms++;
    if (pick_int(rest, &pid)) note_int(reading, STR("oom.pid"), pid);
    if (pick_between(rest, STR("("), STR(")"), &name)) note(reading, STR("oom.process"), name);
    if (pick_after(rest, STR("anon-rss:"), &rss) && str_gib(rss, 'K', &gib))
        note_gib(reading, STR("oom.rss"), gib);
    if (str_has(line, STR("Memory cgroup out of memory")))
        note(reading, STR("oom.scope"), STR("cgroup"));
    else if (str_has(line, STR("Out of memory")))
        note(reading, STR("oom.scope"), STR("host"));
}

static struct str without_colon(struct str s) {
    return str_ends(s, STR(":")) ? str_sub(s, 0, s.n - 1) : s;
}

static void other_line(struct reading *reading, struct str line) {
    struct str rest, module;
    if (pick_after(line, STR(" segfault at "), &rest)) {
        struct str process = pick_last(str_sub(line, 0, (size_t)(rest.p - line.p) - 13));
        note(reading, STR("segfault.process"), pick_until(process, STR("[")));
        if (pick_after(rest, STR(" in "), &module))
            note(reading, STR("segfault.in"), pick_until(module, STR("[")));
    }
    if (str_has(line, STR("fallen off the bus"))) {
        note(reading, STR("gpu.fallen_off_bus"), STR("yes"));
    }
    if (pick_after(line, STR("The NVIDIA GPU "), &rest))
        note(reading, STR("gpu.lost.bus"), pick_word(rest, NULL));
    if (str_has(line, STR("NVRM: API mismatch")))
        note(reading, STR("driver.error"), STR("library-mismatch"));
    if (str_has(line, STR("NVRM: loading NVIDIA")) && pick_after(line, STR("x86_64"), &rest))
        note(reading, STR("driver.version"), pick_dotted(rest));
    if (str_has(line, STR("file-max limit")) && str_has(line, STR("reached")))
        note(reading, STR("kernel.file_max_reached"), STR("yes"));
    if (str_has(line, STR("nvidia-peermem")) && str_has(line, STR("ERROR")))
        note(reading, STR("peermem.error"), STR("yes"));
    if (str_has(line, STR("blocked for more than")) && pick_after(line, STR("task "), &rest))
        note(reading, STR("kernel.blocked_task"), pick_word(rest, NULL));
    if (str_has(line, STR("Hardware Error")) || str_has(line, STR("Machine check events logged")))
        note(reading, STR("kernel.hardware_error"), STR("yes"));
    if (str_has(line, STR("sysrq: ")) && str_has(line, STR("Trigger a crash")))
        note(reading, STR("kernel.panic"), STR("sysrq"));
    if (str_has(line, STR("Kernel panic")) || str_has(line, STR("BUG: unable to handle")))
        note(reading, STR("kernel.panic"), STR("yes"));
    if (pick_after(line, STR("Linux version "), &rest))
        note(reading, STR("kernel.version"), pick_version(rest));
    if (pick_after(line, STR("GPU at PCI:"), &rest))
        note(reading, STR("gpu.bus"), without_colon(pick_word(rest, NULL)));
}

/* Facts of a kernel line carry its time, so that they can be held against the log's. */
static void take_time(struct reading *reading, struct str line, const struct origin *base) {
    struct place place = locate_line(line, NULL);
    reading->origin.time = place.time == TIME_UNKNOWN ? base->time : place.time;
    reading->origin.zoned = place.zoned;
    reading->origin.yearless = place.yearless || place.dateless;
    reading->machine = place.host.n ? arena_str(&reading->scratch, place.host) : base->host;
}

static void read_kernel(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct counts counts = {0};
    struct str line;
    reading_open(&reading, evidence, text, origin, "kernel");
    while (reading_line(&reading, &line)) {
        take_time(&reading, line, origin);
        if (str_has(line, STR("SXid")))
            xid_line(&reading, &counts, line, "SXid", "sxid");
        else if (str_has(line, STR("Xid")))
            xid_line(&reading, &counts, line, "Xid", "xid");
        oom_line(&reading, &counts, line);
        other_line(&reading, line);
        smi_failure(&reading, line, NULL);
    }
    reading.origin.time = origin->time;
    if (counts.xids) note_int(&reading, STR("xid.count"), counts.xids);
    if (counts.sxids) note_int(&reading, STR("sxid.count"), counts.sxids);
    if (counts.ooms) note_int(&reading, STR("oom.count"), counts.ooms);
    reading_close(&reading);
}

/* ---- recognition ---------------------------------------------------------------------- */

enum { STAMP = 64 /* bytes in which a line's time ends */ };

/* "[ 1843.308145] ", "[Wed Mar  1 17:38:27 2023] ", "<6>[", "6,3964,206764307,-;", "kern  :warn  :
 * ", "May 19 07:08:57 host kernel: " */
static bool is_kernel_line(struct str line, bool names_kernel) {
    struct str rest = line, part;
    if (str_starts(line, STR("kern  :")) ||
        (str_starts(line, STR("<")) && line.n > 4 && line.p[2] == '>' && line.p[3] == '['))
        return true;
    ptrdiff_t named = names_kernel ? str_find(str_sub(line, 0, 120), STR("kernel: "), 0) : -1;
    if (named > 0 && line.p[named - 1] == ' ') return true;
    if (str_starts(line, STR("NVRM: ")) ||
        (str_starts(line, STR("nvidia-nvswitch")) && str_has(line, STR("SXid"))))
        return true;
    if (line.n && line.p[0] == '[') {
        const char *close = memchr(line.p, ']', line.n < STAMP ? line.n : STAMP);
        if (!close) return false;
        part = str_trim(str_sub(line, 1, (size_t)(close - line.p) - 1));
        double seconds;
        static const char *const days[] = {"Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "};
        if (memchr(part.p, '.', part.n) && str_number(part, &seconds)) return true;
        if (part.n != 24) return false;
        bool notice = str_starts(str_trim(str_sub(line, 26, line.n)), STR("[")); /* Apache's */
        return STR_STARTS_ANY(part, days) && !notice;
    }
    int commas = 0;
    while (commas < 3 && str_split(&rest, ',', &part)) {
        int64_t number;
        if (!str_int(part, &number)) return false;
        commas++;
    }
    return commas == 3 && str_starts(rest, STR("-;"));
}

static bool name_is_kernel(struct str name) {
    static const char *const words[] = {"dmesg", "kern", "kmsg", "journal", "syslog"};
    return STR_HAS_ANY(name, words);
}

enum { LOOKED = 300, SURE = 60, SOME = 20 /* lines, and of a hundred that are the kernel's */ };

static int recognize(struct str head, struct str name) {
    struct str rest = head, line;
    int lines = 0, own = 0;
    bool names_kernel = str_has(head, STR("kernel: ")), named = name_is_kernel(name);
    bool xid = str_has(head, STR("NVRM: Xid"));
    while (lines < LOOKED && str_line(&rest, &line)) {
        line = str_trim(line);
        if (!line.n) continue;
        lines++;
        own += is_kernel_line(line, names_kernel);
        bool settled = !named && !xid && (lines - own) * 100 > LOOKED * (100 - SURE);
        if (settled) return 0;
    }
    if (lines == 0) return 0;
    if (own * 100 >= lines * SURE) return 94;
    if (named && own) return 85;
    if (named) return str_has(head, STR("Traceback")) ? 0 : 60;
    bool speaks_of_it = str_find_nocase(name, STR("xid"), 0) >= 0;
    return xid && (speaks_of_it || own * 100 >= lines * SOME) ? 70 : 0;
}

const struct fact_reader reader_kernel = {.id = "kernel",
                                          .about = "dmesg, journalctl -k, kmsg",
                                          .kind = KIND_KERNEL,
                                          .recognize = recognize,
                                          .read = read_kernel};
