/* What somebody wrote in his own words: complaints, titles, sentences among the lines of a log. */
#include "tests/unit/reads.h"

static void words_are_told(void **state) {
    struct evidence evidence =
        read_text(*state, "complaint.txt",
                  STR("Hi, I start my job on two nodes.\nAfter the first epoch the training\nhangs "
                      "and nothing is printed any more.\n"));
    assert_int_equal(evidence.sources.v[0].kind, KIND_WORDS);
    assert_int_equal(hit_of(&evidence, S_WORDS)->first.line, 2);
    assert_true(hit_of(&evidence, S_WORDS)->flags & HIT_WORDS);
    evidence_release(&evidence);
    evidence = read_text(*state, "complaint.txt",
                         STR("I start my job on two nodes with this script:\n#SBATCH --nodes=2\n"
                             "#SBATCH --gres=gpu:8\nAfter the first epoch the training\nhangs and "
                             "nothing is printed any more.\n"));
    assert_int_equal(evidence.sources.v[0].kind, KIND_WORDS);
    evidence_release(&evidence);
    evidence =
        read_text(*state, "train.log",
                  STR("[2024-05-01 12:00:00,000] [INFO] a\n[2024-05-01 12:00:01,000] [INFO] b\n\n"
                      "I waited but my training is stuck here, can anyone help me?\n"));
    assert_int_equal(evidence.sources.v[0].kind, KIND_LOG);
    assert_int_equal(hit_of(&evidence, S_WORDS)->first.line, 4);
    evidence_release(&evidence);
    evidence = read_text(
        *state, "plain.log",
        STR("[INFO] waiting\n[INFO] the training hangs when the port is closed\n[INFO] c\n"));
    assert_int_equal(count_hits(&evidence, S_WORDS), 0);
    evidence_release(&evidence);
}

/* All that one paragraph says is heard, however many expressions meet in it. */
static void a_paragraph_says_many_things(void **state) {
    enum { MANY = 60 };
    struct fixture *fixture = *state;
    struct signal many[MANY] = {0};
    struct str regex[] = {STR("nodes"), STR("epoch"), STR("training")};
    for (int i = 0; i < MANY; i++)
        many[i] = (struct signal){.id = str_of(arena_printf(&fixture->arena, "said-%d", i).p),
                                  .in = IN_WORDS,
                                  .regex = regex[i % 3],
                                  .failure = -1};
    struct kb said = {.signals = many, .n_signals = MANY};
    struct matcher *matcher = matcher_new(&fixture->arena, &said);
    struct evidence evidence = {0};
    input_read_text(&evidence, &said, matcher,
                    STR("Hi, I start my job on two nodes.\nAfter the first epoch the training\n"
                        "hangs and nothing is printed any more.\n"),
                    STR("complaint.txt"), NULL);
    assert_int_equal(evidence.sources.v[0].kind, KIND_WORDS);
    for (int i = 0; i < MANY; i++) assert_int_equal(count_hits(&evidence, i), 1);
    evidence_release(&evidence);
    matcher_release(matcher);
}

/* Sentences that begin with the name of a severity are still somebody's words. */
static void words_of_errors_are_words(void **state) {
    struct evidence evidence = read_text(
        *state, "complaint.txt", STR("Error in a run with my model: none, but training hangs.\n"));
    assert_int_equal(count_hits(&evidence, S_WORDS), 0);
    evidence_release(&evidence);
    evidence = read_text(*state, "complaint.txt",
                         STR("Error in long runs with several nodes, as the training hangs.\n"));
    assert_int_equal(count_hits(&evidence, S_WORDS), 1);
    evidence_release(&evidence);
    evidence = read_text(*state, "complaint.txt",
                         STR("Error \"no progress\" after an hour, then the training hangs.\n"));
    assert_int_equal(count_hits(&evidence, S_WORDS), 1);
    evidence_release(&evidence);
}

static void titles_are_words_too(void **state) {
    struct evidence evidence =
        read_text(*state, "complaint.txt",
                  STR("RuntimeError: no progress when training hangs on several nodes\n\nIt is so "
                      "with my model.\n"));
    assert_int_equal(count_hits(&evidence, S_WORDS), 1);
    evidence_release(&evidence);
    evidence = read_text(*state, "complaint.txt",
                         STR("RuntimeError: no progress when training hangs on several nodes\nIt "
                             "is so with my model.\n"));
    assert_int_equal(count_hits(&evidence, S_WORDS), 0);
    evidence_release(&evidence);
}

/* What a title and the text below it both say is shown of the text, apart or in one piece. */
static void texts_go_before_their_titles(void **state) {
    static const char *const texts[] = {
        "Training hangs on two nodes\nAfter an hour my training hangs on all ranks.\nMy training "
        "hangs with one node as well.\n",
        "Training hangs on two nodes\n\nI waited.\nAfter an hour my training hangs on all "
        "ranks.\n"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct evidence evidence = read_text(*state, "complaint.txt", str_of(texts[i]));
        assert_int_equal(count_hits(&evidence, S_WORDS), 1);
        assert_str(hit_of(&evidence, S_WORDS)->text,
                   "After an hour my training hangs on all ranks.");
        evidence_release(&evidence);
    }
}

static void words_are_mended(void **state) {
    struct evidence evidence =
        read_text(*state, "complaint.txt",
                  STR("I see that \033[31mtraining\033[0m hangs\x07 with my model.\n"));
    assert_str(hit_of(&evidence, S_WORDS)->text, "I see that training hangs with my model.");
    evidence_release(&evidence);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(words_are_told),
        TEST(a_paragraph_says_many_things),
        TEST(words_of_errors_are_words),
        TEST(titles_are_words_too),
        TEST(texts_go_before_their_titles),
        TEST(words_are_mended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
