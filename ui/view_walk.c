/* The walk: one question, its choices, what each would change, and the path so
 * far. */
#include "ui/screen.h"

#include "report/phrase.h"

enum {
    BRIEF_ROWS = 14,
    LEADERS = 4,
    EFFECTS = 2,
    STEPS_FEW = 2,
    STEPS_MOST = 100,
    CHOICES_FEW = 5,
    LEADS_PERCENT = 90
};
static const double noticed = 0.02;

static struct row plain(int indent, enum face face, struct str text) {
    return (struct row){.indent = indent, .face = face, .text = text};
}

static void answer(struct screen *screen, struct str choice) {
    const struct walk_step *step = session_walk_known(screen->session);
    struct err err;
    if (!step->id.n) return;
    if (!session_note_answer(screen->session, step->id, choice, &err))
        screen_say(screen, "%s: %s", err.what, err.detail);
    screen->work.think = true;
    screen->selected[VIEW_WALK] = 0;
    screen->finding = 0;
}

/* With the study's causes among the evidence's, as they stand in the walk. */
static void add_leaders(struct screen *screen, struct list *list) {
    const struct diagnosis *standing = session_walk_known(screen->session)->standing;
    for (int i = 0; i < standing->n_findings && i < LEADERS; i++) {
        if (i > 0 && phrase_is_minor(&standing->findings[i])) continue;
        struct row row = screen_cause(screen, standing, i, -1);
        row.most = 1;
        list_add(list, row);
    }
}

/* ---- the path: what the evidence answered, then what the user did --------------------------- */

struct path {
    struct list *list;
    int left; /* steps that are left out: the oldest */
};

static void add_step(struct screen *screen, struct path *path, struct str question,
                     struct str choice, const char *by) {
    const struct kb *kb = session_kb(screen->session);
    if (path->left-- > 0) return;
    struct row ask = plain(2, FACE_DIM, walk_ask_text(kb, question, &screen->arena));
    struct str text = walk_choice_text(kb, question, choice, &screen->arena);
    struct row row =
        plain(6, FACE_CODE, arena_printf(&screen->arena, "(%s) " STR_FMT, by, STR_ARG(text)));
    row.lead[0] = (struct span){4, FACE_DIM, STR("-")};
    ask.most = row.most = 1;
    list_add(path->list, ask);
    list_add(path->list, row);
}

static bool user_answered(const struct screen *screen, struct str id) {
    for (int i = 0; i < session_answers(screen->session); i++) {
        struct str question, choice;
        session_answer_at(screen->session, i, &question, &choice);
        if (str_eq(question, id)) return true;
    }
    return false;
}

static void add_path(struct screen *screen, struct list *list, int most) {
    const struct walk_step *step = session_walk_known(screen->session);
    const struct kb *kb = session_kb(screen->session);
    int n = session_answers(screen->session);
    for (int i = 0; i < step->n_known; i++)
        n += !user_answered(screen, kb->questions[step->known[i].question].id);
    struct path path = {list, n > most ? n - most : 0};
    if (path.left)
        list_add(list, plain(2, FACE_DIM,
                             arena_printf(&screen->arena, "%d earlier answer%s", path.left,
                                          path.left == 1 ? "" : "s")));
    for (int i = 0; i < step->n_known; i++)
        if (!user_answered(screen, kb->questions[step->known[i].question].id))
            add_step(screen, &path, kb->questions[step->known[i].question].id,
                     step->known[i].choice, "the inputs say");
    for (int i = 0; i < session_answers(screen->session); i++) {
        struct str question, choice;
        session_answer_at(screen->session, i, &question, &choice);
        add_step(screen, &path, question, choice, "you said");
    }
}

/* ---- the question --------------------------------------------------------------------------- */

/* Which causes an answer raises and lowers, in percent of confidence before and after.  Where there
 * are many choices, so that they fit a small screen, only what it raises most. */
static void add_effects(struct screen *screen, struct list *list, const struct walk_choice *choice,
                        bool many) {
    const struct kb *kb = session_kb(screen->session);
    for (int e = 0, n = 0; e < choice->n_effects && n < (many ? 1 : EFFECTS); e++) {
        const struct walk_effect *effect = &choice->effects[e];
        const struct finding *finding = effect->of;
        double change = effect->after - effect->before;
        if (change < noticed && (many || change > -noticed)) continue;
        n++;
        struct row row =
            plain(7, FACE_DIM,
                  arena_printf(&screen->arena, "%2.0f -> %2.0f %%  " STR_FMT "  " STR_FMT,
                               100 * effect->before, 100 * effect->after,
                               STR_ARG(finding->root >= 0 ? kb->roots[finding->root].id : STR("?")),
                               STR_ARG(phrase_cause(kb, finding))));
        row.most = 1;
        list_add(list, row);
    }
}

static void add_choices(struct screen *screen, struct list *list) {
    const struct walk_step *step = session_walk_known(screen->session);
    int column = 5 + (step->n_choices > 9) + (step->n_choices > 99); /* behind the numbers */
    for (int i = 0; i < step->n_choices; i++) {
        struct row row = plain(column, FACE_PLAIN, step->choices[i].text);
        row.lead[0] = (struct span){2, FACE_BOLD, arena_printf(&screen->arena, "%d.", i + 1)};
        row.item = true;
        row.which = i;
        list_add(list, row);
        add_effects(screen, list, &step->choices[i], step->n_choices > CHOICES_FEW);
    }
}

static void add_question(struct screen *screen, struct list *list, bool brief) {
    const struct walk_step *step = session_walk_known(screen->session);
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    if (!diagnosis->n_findings && diagnosis->verdict == VERDICT_HEALTHY)
        list_add(list, plain(2, FACE_BOLD,
                             STR("Nothing in the inputs shows a failure.  If something is wrong "
                                 "all the same:")));
    if (step->decided)
        list_add(list, plain(2, FACE_BOLD, STR("One cause leads clearly: f shows the fix.")));
    list_add(list, plain(2, FACE_TITLE, step->ask));
    if (step->why.n && !brief) list_add(list, plain(4, FACE_DIM, step->why));
    if (step->how.n && !brief)
        list_add(list, plain(4, FACE_CODE,
                             arena_printf(&screen->arena, "how: " STR_FMT, STR_ARG(step->how))));
    if (!brief) list_gap(list);
    add_choices(screen, list);
}

static void add_nothing(struct screen *screen, struct list *list) {
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    const struct walk_step *step = session_walk_known(screen->session);
    bool path = step->n_known || session_answers(screen->session);
    struct str text;
    if (!diagnosis->n_findings)
        text = STR("Without a symptom there is nothing further to ask: u goes back.");
    else if (step->standing->findings[0].confidence * 100 >= LEADS_PERCENT)
        text = STR("One cause leads clearly, and nothing is left to ask. This was the path:");
    else if (path)
        text = STR("Nothing is left to ask: no answer would change the order. This "
                   "was the path:");
    else
        text = STR("Nothing is left to ask: the inputs alone settle it as far as "
                   "they can.");
    list_add(list, plain(2, FACE_BOLD, text));
    list_gap(list);
    add_path(screen, list, STEPS_MOST);
    list_gap(list);
    if (diagnosis->n_findings) list_add(list, plain(2, FACE_DIM, STR("f shows the fix.")));
}

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    struct list list = {.arena = &screen->arena};
    if (!session_walk_known(screen->session)) return; /* it is being thought of */
    bool brief = area.rows < BRIEF_ROWS;              /* the question and its choices matter most */
    if (!brief) add_leaders(screen, &list);
    list_gap(&list);
    if (!session_walk_known(screen->session)->id.n)
        add_nothing(screen, &list);
    else {
        if (!brief) add_path(screen, &list, area.rows <= 30 ? STEPS_FEW : STEPS_MOST);
        list_gap(&list);
        add_question(screen, &list, brief);
    }
    screen_draw_list(screen, &list, grid, area);
}

static bool act(struct screen *screen, enum action action) {
    const struct walk_step *step = session_walk_known(screen->session);
    int at = screen->selected[VIEW_WALK];
    if (!step) return false;
    if (action == ACTION_CHOICE) at = screen->key - '1';
    if (action == ACTION_OPEN || action == ACTION_CHOICE) {
        if (step->id.n && at >= 0 && at < step->n_choices) answer(screen, step->choices[at].id);
        return true;
    }
    if (action == ACTION_UNKNOWN) return answer(screen, STR("unknown")), true;
    if (action == ACTION_UNDO) {
        screen->work.think |= session_note_undo(screen->session);
        if (!screen->work.think) screen_say(screen, "There is nothing to go back to.");
        screen->selected[VIEW_WALK] = 0;
        return true;
    }
    if (action == ACTION_COPY) {
        screen_copy(screen, step->how, "how to find out");
        return true;
    }
    return false;
}

const struct view view_walk = {VIEW_WALK, "a", "walk", draw, act};
