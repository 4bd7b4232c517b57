/* The walk: one question, its choices, what each would change, and the path so far. */
#include "ui/screen.h"

static void answer(struct screen *screen, struct str choice) {
    const struct walk_step *step = session_walk(screen->session);
    struct err err;
    if (step->question < 0) return;
    struct str id = session_kb(screen->session)->questions[step->question].id;
    if (!session_answer(screen->session, id, choice, &err))
        screen_say(screen, "%s: %s", err.what, err.detail);
    screen->selected[VIEW_WALK] = 0;
}

static int draw_leaders(struct screen *screen, struct grid *grid, struct area area, int row) {
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    const struct kb *kb = session_kb(screen->session);
    for (int i = 0; i < diagnosis->n_findings && i < 4; i++) {
        const struct finding *finding = &diagnosis->findings[i];
        grid_printf(grid, area, row, 2, FACE_BOLD, "%3.0f %%", 100 * finding->confidence);
        grid_text(grid, area, row, 8, FACE_CODE,
                  finding->root >= 0 ? kb->roots[finding->root].id : STR("?"));
        grid_text(grid, area, row++, 14, FACE_PLAIN,
                  finding->why.n ? finding->why : finding->title);
    }
    return row;
}

static int draw_path(struct screen *screen, struct grid *grid, struct area area, int row) {
    const struct kb *kb = session_kb(screen->session);
    for (int i = 0; i < session_answers(screen->session) && row < area.rows; i++) {
        struct str question, choice;
        session_answer_at(screen->session, i, &question, &choice);
        int index = kb_question(kb, question);
        int col = grid_text(grid, area, row, 2, FACE_DIM,
                            index >= 0 ? kb->questions[index].ask : question);
        col = grid_text(grid, area, row, col + 1, FACE_DIM, STR("->"));
        grid_text(grid, area, row++, col + 1, FACE_CODE, choice);
    }
    return row;
}

static void draw_choices(struct screen *screen, struct grid *grid, struct area area, int row) {
    const struct walk_step *step = session_walk(screen->session);
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    const struct kb *kb = session_kb(screen->session);
    screen->n_items = step->n_choices;
    for (int i = 0; i < step->n_choices; i++) {
        const struct walk_choice *choice = &step->choices[i];
        bool selected = i == screen->selected[VIEW_WALK];
        grid_printf(grid, area, row, 2, FACE_BOLD, "%s", selected ? ">" : " ");
        row += grid_wrap(grid, area, row, 4, selected ? FACE_SELECTED : FACE_PLAIN, choice->text);
        for (int e = 0; e < choice->n_effects && e < 2; e++) {
            const struct walk_effect *effect = &choice->effects[e];
            const struct finding *finding = &diagnosis->findings[effect->finding];
            struct str code = finding->root >= 0 ? kb->roots[finding->root].id : STR("?");
            int col = grid_printf(grid, area, row, 6, FACE_DIM, STR_FMT " %.0f -> %.0f %%  ",
                                  STR_ARG(code), 100 * effect->before, 100 * effect->after);
            grid_text(grid, area, row++, col, FACE_DIM,
                      finding->why.n ? finding->why : finding->title);
        }
    }
}

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    const struct walk_step *step = session_walk(screen->session);
    int row = draw_leaders(screen, grid, area, 1) + 1;
    int after_path = draw_path(screen, grid, area, row);
    row = after_path > row ? after_path + 1 : row;
    if (step->question < 0) {
        grid_wrap(
            grid, area, row, 2, FACE_BOLD,
            STR("Nothing is left to ask: no question can change the order. f shows the fix."));
        return;
    }
    const struct question *question = &session_kb(screen->session)->questions[step->question];
    row += grid_wrap(grid, area, row, 2, FACE_TITLE, question->ask);
    if (question->why.n) row += grid_wrap(grid, area, row, 4, FACE_DIM, question->why);
    if (question->how.n) row += grid_wrap(grid, area, row, 4, FACE_CODE, question->how);
    draw_choices(screen, grid, area, row + 1);
}

static bool act(struct screen *screen, enum action action) {
    const struct walk_step *step = session_walk(screen->session);
    int at = screen->selected[VIEW_WALK];
    if (action == ACTION_OPEN && step->question >= 0 && at < step->n_choices)
        return answer(screen, step->choices[at].id), true;
    if (action == ACTION_UNKNOWN) return answer(screen, STR("unknown")), true;
    if (action == ACTION_UNDO) {
        if (!session_undo(screen->session)) screen_say(screen, "There is nothing to go back to.");
        return true;
    }
    if (action == ACTION_COPY && step->question >= 0) {
        buf_clear(&screen->copied);
        buf_str(&screen->copied, session_kb(screen->session)->questions[step->question].how);
        screen->copy_wanted = true;
        screen_say(screen, "Copied.");
        return true;
    }
    return false;
}

const struct view view_walk = {VIEW_WALK, "walk", "one question at a time", draw, act};
