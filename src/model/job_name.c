#include "model/job_name.h"

enum { DIGITS_MAX = 12, SCHEDULED_DIGITS = 3 };

static bool digit_at(struct str s, size_t i) {
    return i < s.n && s.p[i] >= '0' && s.p[i] <= '9';
}

static bool letter_at(struct str s, size_t i) {
    return i < s.n && ((s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z');
}

/* 20240501 is a day, 1714564800 seconds since 1970; 20240501120000 is too long for a job. */
static bool is_date(struct str digits) {
    return (digits.n == 8 && str_starts(digits, STR("20"))) ||
           (digits.n == 10 && (str_starts(digits, STR("16")) || str_starts(digits, STR("17"))));
}

bool job_name_is_of_process(struct str name) {
    static const char words[][10] = {"rank",  "nccl",    "pid",  "py-spy",
                                     "pyspy", "worker-", "core", "proc"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_find_nocase(name, str_of(words[i]), 0) >= 0) return true;
    return false;
}

/* The first number of the right length that stands alone, or behind "slurm-", "job", ".o", ".e". */
static struct str number_in(struct str name, bool *scheduled) {
    bool dated = false; /* a time of day follows a date */
    if (job_name_is_of_process(name)) return (struct str){0};
    for (size_t i = 0; i < name.n; i++) {
        if (!digit_at(name, i) || (i && digit_at(name, i - 1))) continue;
        size_t n = 0;
        while (digit_at(name, i + n)) n++;
        struct str digits = str_sub(name, i, n), before = str_sub(name, 0, i);
        bool output = str_ends(before, STR("slurm-")) || str_ends(before, STR(".o")) ||
                      str_ends(before, STR(".e"));
        bool named = output || str_ends(before, STR("job")) || str_ends(before, STR("job-")) ||
                     str_ends(before, STR("job_"));
        bool alone = !(i && letter_at(name, i - 1)) && !letter_at(name, i + n);
        bool time = dated && n == 6;
        dated = is_date(digits);
        if (n > DIGITS_MAX || dated || time) continue;
        *scheduled = output && n >= SCHEDULED_DIGITS;
        if (named || (alone && n >= JOB_DIGITS)) return digits;
    }
    return (struct str){0};
}

struct str job_number(struct str path, bool *scheduled) {
    struct str component;
    while (str_split(&path, '/', &component)) {
        struct str number = number_in(component, scheduled);
        if (number.n) return number;
    }
    *scheduled = false;
    return (struct str){0};
}

int job_number_cmp(struct str a, struct str b) {
    if (a.n != b.n) return a.n < b.n ? -1 : 1;
    return str_cmp(a, b);
}
