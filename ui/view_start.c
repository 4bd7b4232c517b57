/* Where one begins without a path: paste a log, or type the name of a file or
 * folder. */
#include "ui/screen.h"

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    struct list list = {.arena = &screen->arena};
    list_add(&list, (struct row){.indent = 2,
                                 .face = FACE_BOLD,
                                 .text = STR("Paste the log of the job that failed, or type the "
                                             "name of its file or folder.")});
    static const struct {
        const char *key, *about;
    } ways[] = {{"Ctrl-D", "says why it failed; a piece of a log is enough, a folder with the logs "
                           "of all ranks is best"},
                {"Tab", "completes a path"},
                {"F7", "asks this machine: GPUs, versions, network"},
                {"F8", "starts from what you see: stages, symptoms, causes"}};
    for (size_t i = 0; i < COUNT_OF(ways) && area.rows > 10; i++)
        list_add(&list, (struct row){.lead = {{2, FACE_CODE, str_of(ways[i].key)}},
                                     .indent = 10,
                                     .face = FACE_DIM,
                                     .text = str_of(ways[i].about)});
    list_gap(&list);
    int none = 0, top = 0;
    list_draw(&list, grid, area, &none, &top);
    int row = 0;
    for (size_t i = 0; i < list.rows.n; i++)
        row += grid_wrap(grid, area, area.rows + 1, list.rows.v[i].indent, FACE_PLAIN,
                         list.rows.v[i].text, 0);
    /* the last lines, as many as fit: where one types */
    struct str text = buf_view(&screen->paste), line;
    int lines = 1, room = area.rows - row > 1 ? area.rows - row : 1;
    for (size_t i = 0; i < text.n; i++) lines += text.p[i] == '\n';
    int col = 2;
    for (int n = 0; str_split(&text, '\n', &line); n++)
        if (n >= lines - room) col = grid_text(grid, area, row++, 2, FACE_PLAIN, line);
    if (!screen->paste.n) row++;
    grid_text(grid, area, row - 1, col, FACE_BAR, STR(" "));
}

const struct view view_start = {VIEW_START, "", "start", draw, NULL};
