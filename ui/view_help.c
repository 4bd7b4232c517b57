/* What the keys do: made from the table of keys. */
#include "ui/screen.h"

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    int top = screen->selected[VIEW_HELP];
    screen->n_items = n_key_rows;
    grid_text(grid, area, 0, 2, FACE_TITLE, STR("Keys"));
    for (int i = top, row = 1; i < n_key_rows && row < area.rows; i++, row++) {
        grid_text(grid, area, row, 2, FACE_CODE, str_of(key_rows[i].shown));
        grid_text(grid, area, row, 15, FACE_PLAIN, str_of(key_rows[i].about));
        if (key_rows[i].views & 1u << VIEW_DIAGNOSIS && key_rows[i].views & 1u << VIEW_HELP)
            continue;
        struct str where = {0};
        for (int v = 0; v < VIEW_COUNT; v++)
            if (key_rows[i].views & 1u << v)
                where = arena_printf(&screen->arena, STR_FMT "%s%s", STR_ARG(where),
                                     where.n ? ", " : "", views[v]->name);
        int col = area.cols - (int)where.n - 2;
        if (col > 50) grid_text(grid, area, row, col, FACE_DIM, where);
    }
}

const struct view view_help = {VIEW_HELP, "help", "what the keys do", draw, NULL};
