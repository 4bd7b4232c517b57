/* What a text says of the operating system, and of Python by the paths that it holds. */
#include "facts/lines.h"
#include "facts/pick.h"
#include "text/chars.h"

struct system_name {
    const char *word, *os, *distribution;
};
static const struct system_name systems[] = {
    {"Ubuntu", "Linux", "Ubuntu"},
    {"Debian", "Linux", "Debian"},
    {"CentOS Stream", "Linux", "CentOS Stream"},
    {"CentOS Linux", "Linux", "CentOS"},
    {"CentOS", "Linux", "CentOS"},
    {"Red Hat Enterprise Linux", "Linux", "RHEL"},
    {"RHEL", "Linux", "RHEL"},
    {"Red Hat", "Linux", "RHEL"},
    {"Rocky Linux", "Linux", "Rocky"},
    {"AlmaLinux", "Linux", "AlmaLinux"},
    {"Fedora", "Linux", "Fedora"},
    {"SUSE Linux Enterprise Server", "Linux", "SLES"},
    {"SLES", "Linux", "SLES"},
    {"openSUSE", "Linux", "openSUSE"},
    {"Arch Linux", "Linux", "Arch"},
    {"Amazon Linux", "Linux", "Amazon Linux"},
    {"Windows", "Windows", "Windows"},
    {"Win10", "Windows", "Windows"},
    {"Win11", "Windows", "Windows"},
    {"macOS", "macOS", "macOS"},
    {"Mac OS X", "macOS", "macOS"},
    {"Darwin", "macOS", "macOS"},
    {"Linux", "Linux", ""},
};

static void note_wsl(struct reading *reading, struct str text) {
    if (pick_find_word(text, STR("WSL2"), 0) >= 0 ||
        str_find_nocase(text, STR("microsoft-standard"), 0) >= 0 ||
        pick_find_word(text, STR("WSL"), 0) >= 0) {
        note(reading, STR("wsl"), STR("yes"));
        note(reading, STR("os.name"), STR("Linux"));
    }
}

/* The number behind a name: "Ubuntu 20.04.1 LTS", "Server 7.9 (Maipo)", "Windows-10-10.0.19045". */
static struct str version_behind(struct str rest) {
    for (size_t i = 0; i < rest.n && i < 40; i++) {
        if (rest.p[i] == ',' || rest.p[i] == ';' || rest.p[i] == '(') break;
        if (is_digit(rest.p[i]) && (i == 0 || !is_alpha(rest.p[i - 1])))
            return pick_number(str_sub(rest, i, rest.n));
    }
    return (struct str){0};
}

void os_note(struct reading *reading, struct str text) {
    note_wsl(reading, text);
    for (size_t i = 0; i < COUNT_OF(systems); i++) {
        struct str word = str_of(systems[i].word);
        ptrdiff_t at = pick_find_word(text, word, 0);
        if (at < 0 && str_eq(word, STR("Ubuntu"))) { /* "ubuntu20.04" */
            at = str_find_nocase(text, word, 0);
            size_t end = (size_t)at + word.n;
            if (at < 0 || end >= text.n || !is_digit(text.p[end])) continue;
        }
        if (at < 0) continue;
        struct str rest = str_sub(text, (size_t)at + word.n, text.n);
        note(reading, STR("os.name"), str_of(systems[i].os));
        note(reading, STR("os.distribution"), str_of(systems[i].distribution));
        if (str_starts(word, STR("Win1")))
            note(reading, STR("os.version"), str_sub(word, 3, 2));
        else if (systems[i].distribution[0])
            note(reading, STR("os.version"), version_behind(rest));
        return;
    }
}

void os_note_platform(struct reading *reading, struct str platform) {
    struct str rest, kernel;
    if (str_starts(platform, STR("Linux-"))) {
        note(reading, STR("os.name"), STR("Linux"));
        kernel = pick_word(str_sub(platform, 6, platform.n), NULL);
        ptrdiff_t end = str_find(kernel, STR("-x86_64"), 0);
        if (end < 0) end = str_find(kernel, STR("-aarch64"), 0);
        if (end < 0) end = str_find(kernel, STR("-ppc64le"), 0);
        note(reading, STR("kernel.version"),
             end > 0 ? str_sub(kernel, 0, (size_t)end) : pick_version(kernel));
        note_wsl(reading, platform);
        /* The C library that Python was built for: the machine's own, where known, says more. */
        if (!note_has(reading, STR("glibc.version")) &&
            pick_after(platform, STR("with-glibc"), &rest))
            note(reading, STR("glibc.version"), pick_version(rest));
    } else {
        os_note(reading, platform);
    }
}

void python_note_path(struct reading *reading, struct str text) {
    static const char *const behind[] = {"/site-packages", "/dist-packages", "/lib-dynload"};
    for (size_t from = 0;;) {
        ptrdiff_t at = str_find(text, STR("/python3."), from);
        if (at < 0) return;
        struct str version = pick_number(str_sub(text, (size_t)at + 7, text.n));
        struct str rest = str_sub(text, (size_t)at + 7 + version.n, text.n);
        for (size_t i = 0; i < COUNT_OF(behind); i++)
            if (str_starts(rest, str_of(behind[i]))) {
                note(reading, STR("python.version"), version);
                return;
            }
        from = (size_t)at + 1;
    }
}
