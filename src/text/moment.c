#include "text/chars.h"
#include "text/text.h"

static const int64_t second_ns = 1000000000;

/* What was read of a date and a time of day. */
struct clock {
    int year, month, day; /* year 0: not given; month 0: no date */
    int64_t seconds, nanos;
    int zone; /* minutes east of Greenwich */
    bool zoned;
};

/* Days since 1970-01-01 in the proleptic Gregorian calendar (years count from March). */
static int64_t days_from_civil(int64_t y, int64_t m, int64_t d) {
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400, year = y - era * 400;
    int64_t day = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + year * 365 + year / 4 - year / 100 + day - 719468;
}

/* Reads exactly n digits (or min..max) at *at. */
static bool digits(struct str s, size_t *at, int min, int max, int *value) {
    int n = 0, sum = 0;
    while (n < max && is_digit(byte_at(s, *at + (size_t)n)))
        sum = sum * 10 + s.p[*at + (size_t)n++] - '0';
    if (n < min) return false;
    *at += (size_t)n;
    *value = sum;
    return true;
}

static bool one_of(struct str s, size_t *at, const char *set) {
    char c = byte_at(s, *at);
    if (!c || !strchr(set, c)) return false;
    ++*at;
    return true;
}

static void fraction(struct str s, size_t *at, int64_t *nanos) {
    if ((byte_at(s, *at) != '.' && byte_at(s, *at) != ',') || !is_digit(byte_at(s, *at + 1)))
        return;
    int64_t unit = second_ns / 10;
    for (++*at; is_digit(byte_at(s, *at)); ++*at, unit /= 10) *nanos += (s.p[*at] - '0') * unit;
}

/* HH:MM:SS[.fraction]; a fraction of three digits may follow a colon. */
static bool time_of_day(struct str s, size_t *at, struct clock *clock) {
    int hour, minute, second = 0;
    size_t i = *at;
    if (!digits(s, &i, 1, 2, &hour) || !one_of(s, &i, ":") || !digits(s, &i, 2, 2, &minute))
        return false;
    if (!one_of(s, &i, ":") || !digits(s, &i, 2, 2, &second)) return false;
    if (hour > 23 || minute > 59 || second > 60 || is_digit(byte_at(s, i))) return false;
    clock->seconds = hour * 3600 + minute * 60 + second;
    fraction(s, &i, &clock->nanos);
    *at = i;
    return true;
}

static void zone(struct str s, size_t *at, struct clock *clock) {
    size_t i = *at;
    int hours, minutes = 0;
    if (byte_at(s, i) == 'Z' && !is_word(byte_at(s, i + 1))) {
        clock->zoned = true;
        *at = i + 1;
        return;
    }
    if (str_starts(str_from(s, i), STR(" UTC")) || str_starts(str_from(s, i), STR(" GMT"))) {
        clock->zoned = true;
        *at = i + 4;
        return;
    }
    if (byte_at(s, i) == ' ' && (byte_at(s, i + 1) == '+' || byte_at(s, i + 1) == '-') &&
        is_digit(byte_at(s, i + 2)))
        i++;
    char sign = byte_at(s, i);
    if ((sign != '+' && sign != '-') || (i++, !digits(s, &i, 2, 2, &hours))) return;
    one_of(s, &i, ":");
    if (!digits(s, &i, 2, 2, &minutes) || is_digit(byte_at(s, i)) || hours > 14) return;
    clock->zoned = true;
    clock->zone = (sign == '-' ? -1 : 1) * (hours * 60 + minutes);
    *at = i;
}

static bool date_valid(const struct clock *clock) {
    return clock->month >= 1 && clock->month <= 12 && clock->day >= 1 && clock->day <= 31 &&
           (clock->year == 0 || (clock->year >= 1990 && clock->year <= 2199));
}

/* 2024-05-01, 2024/05/01, 05-01, 05/18/23, 05/18/2023, 24/05/01. */
static bool numeric_date(struct str s, size_t *at, struct clock *clock) {
    int a, b, c = -1;
    size_t i = *at, first = i, last;
    if (!digits(s, &i, 2, 4, &a)) return false;
    size_t width = i - first;
    char separator = byte_at(s, i);
    if (!one_of(s, &i, "-/") || !digits(s, &i, 1, 2, &b)) return false;
    last = i;
    if (byte_at(s, i) == separator && is_digit(byte_at(s, i + 1))) {
        last = ++i;
        if (!digits(s, &i, 2, 4, &c)) return false;
        last = i - last;
    }
    if (width == 4 && c >= 0)
        *clock = (struct clock){.year = a, .month = b, .day = c};
    else if (width == 2 && c < 0)
        *clock = (struct clock){.month = a, .day = b};
    else if (width == 2 && (last == 4 || a <= 12))
        *clock = (struct clock){.year = c < 100 ? 2000 + c : c, .month = a, .day = b};
    else if (width == 2)
        *clock = (struct clock){.year = 2000 + a, .month = b, .day = c};
    else
        return false;
    *at = i;
    return date_valid(clock);
}

/* Index of the three-letter name at s[at], -1 if it is none of them. */
static int name_at(struct str s, size_t at, const char *names, int n) {
    if (s.n < at + 3) return -1;
    const char *p = s.p + at;
    for (int i = 0; i < n; i++)
        if (p[0] == names[3 * i] && p[1] == names[3 * i + 1] && p[2] == names[3 * i + 2]) return i;
    return -1;
}

static int month_name(struct str s, size_t at) {
    return name_at(s, at, "JanFebMarAprMayJunJulAugSepOctNovDec", 12) + 1;
}

static bool day_name(struct str s, size_t at) {
    return name_at(s, at, "MonTueWedThuFriSatSun", 7) >= 0;
}

/* "Jan 05 2026 10:00:00": the year before the time, as fabric manager writes it. */
static void early_year(struct str s, size_t *at, struct clock *clock) {
    size_t i = *at;
    int value;
    if (!digits(s, &i, 4, 4, &value) || byte_at(s, i) != ' ') return;
    clock->year = value;
    *at = i + 1;
}

/* "Jan  5 10:00:00", "Mon Jan  5 10:00:00 2026", "Mon Jan 5 10:00:00 UTC 2026". */
static bool named_date(struct str s, size_t *at, struct clock *clock) {
    size_t i = *at;
    if (day_name(s, i) && byte_at(s, i + 3) == ' ') i += 4;
    clock->month = month_name(s, i);
    if (!clock->month || byte_at(s, i + 3) != ' ') return false;
    i += 4;
    while (byte_at(s, i) == ' ') i++;
    if (!digits(s, &i, 1, 2, &clock->day) || !one_of(s, &i, " ")) return false;
    early_year(s, &i, clock);
    if (!time_of_day(s, &i, clock)) return false;
    size_t year = i;
    if (str_starts(str_from(s, year), STR(" UTC"))) year += 4;
    int value;
    bool spaced = !clock->year && byte_at(s, year) == ' ';
    year += spaced;
    if (spaced && digits(s, &year, 4, 4, &value) && value >= 1990 && value < 2200 &&
        !is_word(byte_at(s, year))) {
        clock->year = value;
        clock->zoned = str_starts(str_from(s, i), STR(" UTC"));
        i = year;
    }
    *at = i;
    return date_valid(clock);
}

/* glog and c10d after the letter: 0512 or 512, a space, a time.  Single-digit months are not padded
 * by c10d. */
static bool glog_date(struct str s, size_t *at, struct clock *clock) {
    size_t i = *at;
    int value;
    if (!digits(s, &i, 3, 4, &value) || !one_of(s, &i, " ")) return false;
    clock->month = value / 100;
    clock->day = value % 100;
    if (!time_of_day(s, &i, clock)) return false;
    *at = i;
    return date_valid(clock);
}

/* Seconds or milliseconds since 1970 with ten or thirteen digits, in a range that jobs live in. */
static size_t epoch(struct str s, struct moment *moment) {
    size_t n = 0;
    int64_t value = 0, nanos = 0;
    while (n < 14 && is_digit(byte_at(s, n))) value = value * 10 + s.p[n++] - '0';
    if (n != 10 && n != 13) return 0;
    if (n == 13) {
        nanos = value % 1000 * 1000000;
        value /= 1000;
    }
    size_t at = n;
    if (n == 10) fraction(s, &at, &nanos);
    char next = byte_at(s, at);
    if (value < 1000000000 || value > 2500000000LL || !(next == '\0' || strchr(" \t]:,|", next)))
        return 0;
    *moment = (struct moment){.time = value * second_ns + nanos, .zoned = true};
    return at;
}

static void moment_set(struct moment *moment, const struct clock *clock) {
    /* 1972 is a leap year: 29 February keeps its place */
    int year = clock->year ? clock->year : 1972;
    int64_t days = clock->month ? days_from_civil(year, clock->month, clock->day) : 0;
    moment->time = (days * 86400 + clock->seconds - clock->zone * 60) * second_ns + clock->nanos;
    moment->zoned = clock->zoned;
    moment->yearless = clock->year == 0;
    moment->dateless = clock->month == 0;
}

size_t moment_read(struct str s, struct moment *moment) {
    struct clock clock = {0};
    size_t at = 0, length;
    char c = byte_at(s, 0);
    if (is_digit(c)) {
        if ((length = epoch(s, moment)) > 0) return length;
        if (numeric_date(s, &at, &clock)) {
            if (byte_at(s, at) == 'T' || byte_at(s, at) == ' ' || byte_at(s, at) == '_' ||
                byte_at(s, at) == '-')
                at++;
            while (byte_at(s, at) == ' ') at++;
            if (!time_of_day(s, &at, &clock)) return 0;
        } else {
            clock = (struct clock){0};
            at = 0;
            if (!time_of_day(s, &at, &clock)) return 0;
        }
        zone(s, &at, &clock);
    } else if (is_upper(c) && is_digit(byte_at(s, 1))) {
        at = 1;
        if (!strchr("DIWEFCV", c) || !glog_date(s, &at, &clock)) return 0;
    } else if (!is_upper(c) || !named_date(s, &at, &clock)) {
        return 0;
    }
    if (is_word(byte_at(s, at))) return 0;
    moment_set(moment, &clock);
    return at;
}

/* ---- completed from a moment near by ------------------------------------------------------------
 */

static const int64_t day_ns = INT64_C(86400000000000), year_days = 365;

/* 1 January of the year that holds a time, in days since 1970, and its length. */
static int64_t year_start(int64_t time, int64_t *length) {
    int64_t day = time / day_ns, start = 0, year = 1970;
    for (;; year++) {
        *length = year_days + ((year % 4 == 0 && year % 100 != 0) || year % 400 == 0);
        if (day < start + *length || year > 2200) return start;
        start += *length;
    }
}

int64_t moment_with_year(int64_t yearless, int64_t known) {
    int64_t length, start = year_start(known, &length);
    int64_t into = yearless - 730 * day_ns; /* 1 January 1972 */
    if (length == year_days && into >= 60 * day_ns) into -= day_ns;
    int64_t time = start * day_ns + into;
    if (time - known > 200 * day_ns) time -= year_days * day_ns;
    if (known - time > 200 * day_ns) time += length * day_ns;
    return time;
}

int64_t moment_with_date(int64_t dateless, int64_t known) {
    int64_t time = known - known % day_ns + dateless;
    if (time < known - day_ns / 2) time += day_ns;
    if (time > known + day_ns / 2) time -= day_ns;
    return time;
}
