/* What single views show and do: the walk, the fix, ranks, machines, what is known. */
#include "tests/unit/face.h"

static const char demo[] = "assets/demo";

static void a_selected_cause_shows_its_own_fixes(void **state) {
    struct fixture *face = *state;
    face_read(face, FACE_TWO_CAUSES);
    const struct diagnosis *diagnosis = session_diagnosis(face->session);
    assert_true(diagnosis->n_findings > 1);
    int opened = -1;
    for (int i = 0; i < 30 && opened < 1; i++) {
        face_keys(face, "dj");
        face_key(face, '\n');
        if (face->screen.view == VIEW_FIX) opened = face->screen.finding;
    }
    assert_int_equal(opened, 1);
    assert_true(str_has(face_text(face), str_sub(diagnosis->findings[1].why, 0, 30)));
}

/* Reads the sample of an entry that leaves something to ask. */
static void find_a_question(struct fixture *face) {
    const struct kb *kb = session_kb(face->session);
    for (int i = 0; i < kb->n_signals; i++) {
        struct image_sample sample;
        if (kb->signals[i].role != ROLE_INITIATING || kb->signals[i].in != IN_LINE) continue;
        if (!image_samples(session_image(face->session), &face->arena, kb->signals[i].id, &sample,
                           1))
            continue;
        face_read_text(face, sample.line);
        const struct walk_step *step = session_walk(face->session);
        if (step->question >= 0 && step->n_choices >= 2) return;
    }
    fail_msg("no entry leaves a question");
}

static void answers_move_the_walk_and_can_be_taken_back(void **state) {
    struct fixture *face = *state;
    find_a_question(face);
    const struct kb *kb = session_kb(face->session);
    int question = session_walk(face->session)->question;
    struct str ask = str_sub(kb->questions[question].ask, 0, 30);
    face_key(face, 'a');
    face_size(face, 120, 60);
    assert_true(str_has(face_text(face), ask));
    assert_shows(face, "> 1. ");
    assert_shows(face, " 2. ");
    face_key(face, 'j');
    assert_shows(face, "> 2. ");
    face_key(face, '\n');
    assert_int_equal(session_answers(face->session), 1);
    struct str id, choice;
    session_answer_at(face->session, 0, &id, &choice);
    assert_true(str_eq(id, kb->questions[question].id));
    assert_true(str_eq(choice, kb->questions[question].choices[1].id));
    assert_shows(face, "(you said) ");
    assert_true(session_walk(face->session)->question != question);
    face_key(face, 'u');
    assert_int_equal(session_answers(face->session), 0);
    assert_int_equal(session_walk(face->session)->question, question);
    face_key(face, 'u');
    assert_shows(face, "nothing to go back to");
    face_key(face, '1');
    session_answer_at(face->session, 0, &id, &choice);
    assert_true(str_eq(choice, kb->questions[question].choices[0].id));
    face_keys(face, "ux");
    session_answer_at(face->session, 0, &id, &choice);
    assert_str(choice, "unknown");
    assert_shows(face, "(you said) don't know");
    face_keys(face, "u9");
    assert_int_equal(session_answers(face->session), kb->questions[question].n_choices >= 9);
}

/* While the causes are weighed the question stays, and what is typed answers the next one. */
static void answers_wait_for_the_question(void **state) {
    struct fixture *face = *state;
    find_a_question(face);
    face_key(face, 'a');
    struct str ask = str_sub(session_walk(face->session)->ask, 0, 20);
    screen_key(&face->screen, '1');
    work_begin(&face->screen, work_wanted(&face->screen));
    face_draw(face);
    assert_shows(face, "Weighing the causes ...");
    assert_true(str_has(face_text(face), ask));
    screen_key(&face->screen, 'u');
    screen_key(&face->screen, 'x');
    assert_int_equal(session_answers(face->session), 1);
    work_do(&face->screen);
    work_end(&face->screen);
    face_mind(face);
    face_draw(face);
    assert_int_equal(session_answers(face->session), 1);
    struct str id, choice;
    session_answer_at(face->session, 0, &id, &choice);
    assert_str(choice, "unknown"); /* taken back, and skipped */
}

static void a_walk_without_a_question_says_so(void **state) {
    struct fixture *face = *state;
    face_size(face, 80, 60);
    for (int i = 0; i < 30 && session_walk(face->session)->id.n; i++) face_keys(face, "ax");
    face_key(face, 'a');
    assert_shows(face, "One cause leads clearly, and nothing is left to ask");
    while (session_answers(face->session)) face_key(face, 'u');
    face_read_text(face, STR("hello\n"));
    face_key(face, 'a');
    assert_shows(face, "What was the job doing when it went wrong?"); /* the taxonomy asks */
    face_key(face, '4');
    assert_shows(face, "What do you see?");
    assert_shows(face, "Memory & offload issue");
    face_key(face, 'u');
    face_read_text(face, STR("[2024-05-01 12:00:00,000] [INFO] [launch.py:351:main] Process 4711 "
                             "exits successfully.\n"));
    face_key(face, 'a');
    assert_shows(face, "If something is wrong all the same:");
    assert_shows(face, "What was the job doing when it went wrong?");
}

static void a_hang_tells_who_did_not_come(void **state) {
    struct fixture *face = *state;
    struct hang_last last = {.rank = 3, .source = 0, .what = STR("waiting in the loader")};
    struct rollcall call = {
        .text = STR("rank 3 did not come to nccl:all_reduce"), .last = &last, .n_last = 1};
    const struct roster roster = {.text = STR("rank 3 wrote nothing")};
    /* as the thinking would have left it */
    struct diagnosis *diagnosis = (struct diagnosis *)session_diagnosis(face->session);
    diagnosis->rollcall = &call;
    diagnosis->roster = &roster;
    face_size(face, 80, 40);
    assert_shows(face, "hang     rank 3 did not come to nccl:all_reduce");
    assert_shows(face, "rank 3, last: waiting in the loader");
    assert_shows(face, "ranks    rank 3 wrote nothing");
    face_keys(face, "jj");
    assert_shows(face, ">          rank 3, last:");
    face_key(face, '\n');
    assert_int_equal(face->screen.view, VIEW_LOG);
}

static void lines_and_commands_are_copied(void **state) {
    struct fixture *face = *state;
    face_key(face, 'y');
    assert_true(face->screen.copy_wanted);
    assert_true(str_starts(buf_view(&face->screen.copied), STR("[rank2]: torch.cuda.OutOfMemory")));
    assert_shows(face, "Copied the line");
    face->screen.copy_wanted = false;
    face_keys(face, "lky");
    assert_str(buf_view(&face->screen.copied), "[rank2]:     _engine_run_backward(");
    /* at the title of a fix its commands, one a line */
    const struct finding *best = &session_diagnosis(face->session)->findings[0];
    face_key(face, 'f');
    face_key(face, '\n');
    assert_true(face->screen.copied.n > 0);
    if (best->fixes[0].n_commands)
        assert_true(str_starts(buf_view(&face->screen.copied), best->fixes[0].commands[0]));
}

/* Its faces tell what goes and what comes. */
static void the_patch_is_a_diff(void **state) {
    struct fixture *face = *state;
    int gone = 0, comes = 0;
    face_size(face, 80, 40);
    face_key(face, 'f');
    for (int row = 0; row < face->grid.rows; row++) {
        struct str line = str_trim(grid_row(&face->grid, row, &face->arena));
        enum face last = face->grid.cells[row * face->grid.cols + 10].face;
        if (str_starts(line, STR("-  \"train"))) gone += last == FACE_MARK;
        if (str_starts(line, STR("+  \"train"))) comes += last == FACE_HEALTHY;
    }
    assert_int_equal(gone, 1);
    assert_int_equal(comes, 1);
}

static void steps_are_ticked_off(void **state) {
    struct fixture *face = *state;
    face_keys(face, "fjx");
    assert_shows(face, " x    - ");
    face_key(face, 'g');
    face_key(face, 'x');
    assert_shows(face, " x 1. ");
    face_keys(face, "dfgjx");
    assert_hides(face, " x    - ");
}

/* What to do is not pushed off the screen by a tail of causes. */
static void few_causes_are_shown(void **state) {
    struct fixture *face = *state;
    face_size(face, 120, 40);
    face_read_text(face, STR("ValueError: something is wrong\n"));
    struct str text = face_text(face), line;
    int n = 0;
    while (str_line(&text, &line)) n += str_has(line, STR(" % R"));
    assert_int_equal(n, 5);
}

static void the_ranks_are_told_apart(void **state) {
    struct fixture *face = *state;
    face_key(face, 'r');
    assert_shows(face, "1 the first fault: rank 2");
    assert_shows(face, "only consequences");
    assert_shows(face, "3 only consequences: ranks 0, 1, 3");
    assert_shows(face, "rank 2           ----o--X---");
    assert_shows(face, "rank 2: the first fault"); /* before anybody chose */
    face_key(face, 'g');
    assert_shows(face, "rank 0:");
    face_key(face, ']');
    assert_shows(face, "rank 2: the first fault, rank2.log");
    assert_shows(face, "rank2.log:20");
    face_key(face, ']');
    assert_shows(face, "No other rank after this one");
    face_key(face, '\n');
    assert_int_equal(face->screen.view, VIEW_LOG);
    assert_shows(face, ">    20 !");
    face_keys(face, "rg");
    face_key(face, TERM_RIGHT);
    assert_shows(face, "rank 1:");
    face_key(face, TERM_LEFT);
    face_key(face, 'G');
    assert_shows(face, "rank 3:");
    face_read_text(face, STR("hello world\n"));
    face_key(face, 'r');
    assert_shows(face, "tell of no ranks");
    /* what stands below the ranks can be read on a small screen, too */
    face_size(face, 40, 10);
    face_read(face, demo);
    face_key(face, 'r');
    struct str all = {0};
    for (int i = 0; i < 12; i++) {
        all = arena_printf(&face->arena, STR_FMT STR_FMT, STR_ARG(all), STR_ARG(face_text(face)));
        face_key(face, TERM_PAGE_DOWN);
    }
    assert_true(str_has(all, STR("rank2.log")));
    assert_true(str_has(all, STR("\nrank 2   -o-X-----------c  first fault"))); /* fits 40 */
    for (int i = 0; i < 12; i++) face_key(face, TERM_PAGE_UP);
    assert_shows(face, "the first fault");
    /* of many ranks not every line is kept, but that they followed */
    struct buf many = {0};
    buf_str(&many, STR("[rank700]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
                       "2.50 GiB\n"));
    for (int r = 0; r < 700; r++)
        buf_printf(
            &many,
            "[rank%d]:[E ProcessGroupNCCL.cpp:563] [Rank %d] Watchdog caught collective "
            "operation timeout: WorkNCCL(SeqNum=40, OpType=ALLREDUCE)\n"
            "[rank%d]: Some NCCL operations have failed or timed out.\n"
            "[rank%d]: terminate called after throwing an instance of 'c10::DistBackendError'\n",
            r, r, r, r);
    face_read_text(face, buf_view(&many));
    buf_release(&many);
    face_key(face, 'r');
    face_size(face, 120, 50);
    assert_shows(face, "1 the first fault: rank 700");
    assert_shows(face, "700 only consequences");
    face_size(face, 40, 10);
    /* more ranks than rows are told */
    face_read_text(face, STR("[rank 1/512] iteration 1/9 | lm loss: 2.5\n"
                             "[rank 1/512] RuntimeError: CUDA out of memory. Tried to allocate\n"));
    face_key(face, 'r');
    assert_shows(face, "_ _ _ _ _v\n");
    face_size(face, 120, 50);
    assert_shows(face, "_   511 named by no line");
}

static void facts_show_where_they_stand(void **state) {
    struct fixture *face = *state;
    face_size(face, 100, 60);
    face_key(face, 'm');
    assert_shows(face, "ds.zero_optimization.stage          2   (ds_config.json:");
    assert_shows(face, "ds_config.json:");
    face_keys(face, "/micro_batch\n");
    assert_shows(face, "only: micro_batch");
    assert_hides(face, "zero_optimization.stage");
    assert_shows(face, "train_micro_batch_size_per_gpu ");
    face_key(face, '\n');
    assert_int_equal(face->screen.view, VIEW_LOG);
    face_keys(face, "m/\np");
    assert_true(face->screen.probe_wanted);
    assert_shows(face, "zero_optimization.stage");
    face_size(face, 40, 10);
    face_key(face, 'g');
    struct str all = face_folded(face, face_scroll_text(face));
    assert_true(str_has(all, STR("ds.zero_optimization.stage = 2 (ds_config.json:")));
}

static void ask_environment(struct fixture *face) {
    struct probe_options options = {0};
    struct probe_report report;
    assert_true(face->screen.probe_wanted);
    assert_string_equal(face->screen.probe_only->id, "environment");
    probe_run(&report, face->screen.probe_only, &options);
    face->screen.probe_here = true;
    screen_take_probe(&face->screen, &report);
    probe_release(&report);
    face->screen.probe_wanted = false;
    face_mind(face);
    face_draw(face);
}

/* One probe is asked by its row, and again by a fact that it told; what cannot be true together
 * stands on top. */
static void single_probes_are_asked_again(void **state) {
    struct fixture *face = *state;
    face_size(face, 100, 200);
    setenv("RANK", "9", 1);
    setenv("WORLD_SIZE", "4", 1);
    setenv("NCCL_DEBUG", "WARN", 1);
    face_key(face, 'm');
    assert_shows(face, "this machine can be asked");
    assert_shows(face, "environment   -  ");
    face_click(face, "variables that launchers");
    face_key(face, 'p');
    assert_shows(face, "Asking this machine: environment ...");
    ask_environment(face);
    assert_shows(face, "Asked environment.");
    assert_shows(face, "environment   ok ");
    assert_shows(face, "! RANK=9, but WORLD_SIZE=4");
    assert_shows(face, "WARN   (probe environment, on ");
    setenv("NCCL_DEBUG", "INFO", 1);
    face_click(face, "WARN   (probe environment, on ");
    face_key(face, 'p');
    ask_environment(face);
    assert_shows(face, "INFO   (probe environment, on ");
    assert_hides(face, "WARN   (probe");
    face_key(face, 'P');
    assert_null(face->screen.probe_only);
    unsetenv("RANK");
    unsetenv("WORLD_SIZE");
    unsetenv("NCCL_DEBUG");
}

static void knowledge_leads_from_a_stage_to_an_entry(void **state) {
    struct fixture *face = *state;
    face_size(face, 100, 40);
    face_key(face, TERM_F8);
    assert_shows(face, "49.8 %  4  ");
    for (int i = 0; i < 3; i++) face_key(face, 'j');
    face_key(face, '\n');
    assert_shows(face, "4.2  Memory & offload issue");
    assert_shows(face, "R4.5");
    face_key(face, 'j');
    face_key(face, '\n');
    struct str all = face_scroll_text(face);
    assert_true(str_has(all, STR("cuda-out-of-memory")));
    face_keys(face, "/activation memory long sequence\n");
    assert_shows(face, "found: activation memory");
    face_key(face, '\n');
    all = face_scroll_text(face);
    assert_true(str_has(all, STR(" why ")) && str_has(all, STR(" fix ")));
    /* entries stand in columns, and what an entry follows from has its label */
    face_keys(face, "/nccl watchdog timeout\n");
    assert_shows(face, "> nccl-collective-timeout       A collective did not complete");
    face_key(face, '\n');
    all = face_scroll_text(face);
    assert_true(str_has(all, STR("  after    cuda-out-of-memory            The GPU ran")));
    face_keys(face, "uuuuuu");
    assert_shows(face, "49.8 %  4  ");
    face_key(face, 27);
    assert_int_equal(face->screen.view, VIEW_START);
}

static void knowledge_of_the_selected_cause(void **state) {
    struct fixture *face = *state;
    face_key(face, 'e');
    assert_shows(face, "cuda-out-of-memory  The GPU");
    face_key(face, 27);
    assert_shows(face, "849 issues");
    face_key(face, 27);
    assert_int_equal(face->screen.view, VIEW_DIAGNOSIS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_selected_cause_shows_its_own_fixes, face_open_demo,
                                        face_shut),
        cmocka_unit_test_setup_teardown(answers_move_the_walk_and_can_be_taken_back,
                                        face_open_empty, face_shut),
        cmocka_unit_test_setup_teardown(answers_wait_for_the_question, face_open_empty, face_shut),
        cmocka_unit_test_setup_teardown(a_walk_without_a_question_says_so, face_open_demo,
                                        face_shut),
        cmocka_unit_test_setup_teardown(a_hang_tells_who_did_not_come, face_open_demo, face_shut),
        cmocka_unit_test_setup_teardown(lines_and_commands_are_copied, face_open_demo, face_shut),
        cmocka_unit_test_setup_teardown(the_patch_is_a_diff, face_open_demo, face_shut),
        cmocka_unit_test_setup_teardown(steps_are_ticked_off, face_open_demo, face_shut),
        cmocka_unit_test_setup_teardown(few_causes_are_shown, face_open_demo, face_shut),
        cmocka_unit_test_setup_teardown(the_ranks_are_told_apart, face_open_demo, face_shut),
        cmocka_unit_test_setup_teardown(facts_show_where_they_stand, face_open_demo, face_shut),
        cmocka_unit_test_setup_teardown(single_probes_are_asked_again, face_open_demo, face_shut),
        cmocka_unit_test_setup_teardown(knowledge_leads_from_a_stage_to_an_entry, face_open_empty,
                                        face_shut),
        cmocka_unit_test_setup_teardown(knowledge_of_the_selected_cause, face_open_demo, face_shut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
