/* Rows of a launcher's summary, and lines of srun: whom they tell of. */
#include "text/chars.h"
#include "text/locate_tags.h"
#include "text/text.h"

enum { ROW_COLON = 12, ROWS_MAX = 8 };

static bool is_row(struct str body) {
    return body.n > ROW_COLON + 2 && body.p[0] == ' ' && body.p[1] == ' ' && is_lower(body.p[2]) &&
           body.p[ROW_COLON] == ':' && body.p[ROW_COLON + 1] == ' ';
}

static void keep_host(struct box *box, struct str value) {
    struct str host = str_sub(value, 0, sizeof box->host - 1);
    for (size_t i = 0; i < host.n; i++)
        if (!is_word(host.p[i]) && host.p[i] != '-' && host.p[i] != '.') host.n = i;
    memcpy(box->host, host.p ? host.p : "", host.n);
    box->host[host.n] = '\0';
}

/* "srun: error: node07: task 3: Exited with exit code 1"; of several tasks the line tells less. */
static void srun_row(struct str body, bool nodes, struct place *place) {
    static const struct str start = STR("srun: error: "), task = STR(": task ");
    if (!str_starts(body, start)) return;
    ptrdiff_t at = str_find(body, task, 0);
    int rank;
    if (at <= (ptrdiff_t)start.n) return;
    struct str rest = str_from(body, (size_t)at + task.n), number = str_digits(rest);
    if (byte_at(rest, number.n) != ':' || !small_number(number, &rank)) return;
    if (!nodes) place->rank = rank;
    place->host = str_sub(body, start.n, (size_t)at - start.n);
}

void box_row(struct box *box, const struct custom *custom, struct str body, struct place *place) {
    srun_row(body, custom->nodes, place);
    if (!is_row(body)) return;
    struct str value = str_from(body, ROW_COLON + 2);
    if (str_starts(body, STR("  time  "))) box->rank = -1, box->host[0] = '\0';
    if (str_starts(body, STR("  host  "))) keep_host(box, value);
    if (str_starts(body, STR("  rank  "))) {
        if (!small_number(str_digits(value), &box->rank)) box->rank = -1;
        box->left = ROWS_MAX;
    }
    if (box->rank < 0 || box->left <= 0) return;
    box->left--;
    place->rank = box->rank;
    if (box->host[0] && !str_eq(str_of(box->host), STR("localhost")))
        place->host = str_of(box->host);
}
