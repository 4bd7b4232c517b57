#include "report/whynot.h"

#include "base/json.h"

static struct str head_text(struct arena *arena, const struct kb *kb, struct str code,
                            const struct why_not *row) {
    const struct failure *failure = &kb->failures[row->failure];
    if (!row->rank)
        return arena_printf(
            arena, STR_FMT " " STR_FMT ": not considered, nothing in the input says " STR_FMT,
            STR_ARG(code), STR_ARG(row->why), STR_ARG(failure->id));
    return arena_printf(arena,
                        STR_FMT " " STR_FMT ": number %d of %d, %.1f %% of the fault, %d decibans "
                                "behind the first; %d %% of such failures before any clue",
                        STR_ARG(code), STR_ARG(row->why), row->rank, row->of, 100 * row->share,
                        row->behind, row->prior);
}

static struct str clue_text(struct arena *arena, const struct why_not_clue *clue) {
    static const char *const kinds[] = {"for it", "against it", "would raise it"};
    struct str weight = {0}, tail = {0};
    if (clue->weight) weight = arena_printf(arena, " %+d", clue->weight);
    if (clue->why.n) tail = arena_printf(arena, ", as " STR_FMT, STR_ARG(clue->why));
    if (clue->question.n)
        tail = arena_printf(arena, STR_FMT "; --answer " STR_FMT "=" STR_FMT, STR_ARG(tail),
                            STR_ARG(clue->question), STR_ARG(clue->choice));
    return arena_printf(arena, "%s" STR_FMT ": " STR_FMT STR_FMT, kinds[clue->kind],
                        STR_ARG(weight), STR_ARG(clue->text), STR_ARG(tail));
}

struct why_not_line *why_not_lines(struct arena *arena, const struct kb *kb,
                                   const struct diagnosis *diagnosis, int *n) {
    int most = 1;
    for (int i = 0; i < diagnosis->n_why_not; i++) most += 1 + diagnosis->why_not[i].n_clues;
    struct why_not_line *lines = ARENA_ARRAY(arena, struct why_not_line, most);
    *n = 0;
    for (int i = 0; i < diagnosis->n_why_not; i++) {
        const struct why_not *row = &diagnosis->why_not[i];
        lines[(*n)++] =
            (struct why_not_line){0, head_text(arena, kb, diagnosis->why_not_code, row)};
        for (int kind = 0; kind <= CLUE_MISSING; kind++)
            for (int c = 0; c < row->n_clues; c++)
                if ((int)row->clues[c].kind == kind)
                    lines[(*n)++] = (struct why_not_line){1, clue_text(arena, &row->clues[c])};
    }
    if (diagnosis->why_not_code.n && !*n)
        lines[(*n)++] = (struct why_not_line){
            0, arena_printf(arena, STR_FMT " is no cause %s", STR_ARG(diagnosis->why_not_code),
                            diagnosis->n_findings ? "of this symptom that any entry knows"
                                                  : "of anything here: no failure was found")};
    return lines;
}

static void clue_json(struct json *json, const struct why_not_clue *clue) {
    static const char *const kinds[] = {"for", "against", "missing"};
    json_begin_object(json);
    json_member(json, "kind", str_of(kinds[clue->kind]));
    json_member_int(json, "weight", clue->weight);
    json_member(json, "text", clue->text);
    json_member(json, "why", clue->why);
    json_member(json, "question", clue->question);
    json_member(json, "choice", clue->choice);
    json_member(json, "how", clue->how);
    json_end(json);
}

static void row_json(struct json *json, const struct kb *kb, struct str code,
                     const struct why_not *row) {
    json_begin_object(json);
    json_member(json, "cause", code);
    json_member(json, "entry", kb->failures[row->failure].id);
    json_member(json, "why", row->why);
    const struct {
        const char *key;
        int value;
    } members[] = {{"rank", row->rank}, {"of", row->of}, {"behind", row->behind}};
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        json_key(json, members[i].key);
        if (row->rank)
            json_int(json, members[i].value);
        else
            json_null(json); /* not considered */
    }
    json_key(json, "clues");
    json_begin_array(json);
    for (int i = 0; i < row->n_clues; i++) clue_json(json, &row->clues[i]);
    json_end(json);
    json_end(json);
}

void why_not_json(struct json *json, const struct kb *kb, const struct diagnosis *diagnosis) {
    if (!diagnosis->why_not_code.n) return;
    json_key(json, "why_not");
    json_begin_array(json);
    for (int i = 0; i < diagnosis->n_why_not; i++)
        row_json(json, kb, diagnosis->why_not_code, &diagnosis->why_not[i]);
    json_end(json);
}
