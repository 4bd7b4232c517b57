#include "ui/screen.h"
#include "ui/term.h"

#define BIT(view) (1u << (view))
enum {
    EVERYWHERE =
        BIT(VIEW_DIAGNOSIS) | BIT(VIEW_LOG) | BIT(VIEW_WALK) | BIT(VIEW_FIX) | BIT(VIEW_HELP),
    RESULTS = BIT(VIEW_DIAGNOSIS) | BIT(VIEW_LOG) | BIT(VIEW_WALK) | BIT(VIEW_FIX)
};

const struct key_row key_rows[] = {
    {'?', TERM_F1, "? F1", ACTION_HELP, EVERYWHERE, "what the keys do", true, "help"},
    {'d', TERM_F2, "d F2", ACTION_DIAGNOSIS, EVERYWHERE, "the diagnosis with its reasons", true,
     "diagnosis"},
    {'l', TERM_F3, "l F3", ACTION_LOG, EVERYWHERE, "the log at the first fault", true, "log"},
    {'w', TERM_F4, "w F4", ACTION_WALK, EVERYWHERE, "the walk: one question at a time", true,
     "walk"},
    {'f', TERM_F5, "f F5", ACTION_FIX, EVERYWHERE, "the fix: steps and commands", true, "fix"},
    {'\t', 0, "Tab", ACTION_NEXT_VIEW, EVERYWHERE, "the next view", false, NULL},
    {TERM_BACK_TAB, 0, "Shift-Tab", ACTION_PREVIOUS_VIEW, EVERYWHERE, "the view before", false,
     NULL},
    {'k', TERM_UP, "k Up", ACTION_UP, EVERYWHERE, "one row up", false, NULL},
    {'j', TERM_DOWN, "j Down", ACTION_DOWN, EVERYWHERE, "one row down", false, NULL},
    {2, TERM_PAGE_UP, "^B PgUp", ACTION_PAGE_UP, EVERYWHERE, "one page up", false, NULL},
    {' ', TERM_PAGE_DOWN, "Space PgDn", ACTION_PAGE_DOWN, EVERYWHERE, "one page down", false, NULL},
    {'g', TERM_HOME, "g Home", ACTION_TOP, EVERYWHERE, "to the top", false, NULL},
    {'G', TERM_END, "G End", ACTION_BOTTOM, EVERYWHERE, "to the bottom", false, NULL},
    {'\n', TERM_RIGHT, "Enter Right", ACTION_OPEN, RESULTS,
     "open: the log at a reason, the fix of a cause, answer with a choice", true, "open"},
    {'/', 0, "/", ACTION_SEARCH, BIT(VIEW_LOG), "search with a regular expression", true, "search"},
    {'n', 0, "n", ACTION_SEARCH_NEXT, BIT(VIEW_LOG), "the next match", false, NULL},
    {'N', 0, "N", ACTION_SEARCH_BACK, BIT(VIEW_LOG), "the match before", false, NULL},
    {']', 0, "]", ACTION_HIT_NEXT, BIT(VIEW_LOG), "the next line that says something", true,
     "next hit"},
    {'[', 0, "[", ACTION_HIT_BACK, BIT(VIEW_LOG), "the line before that says something", false,
     NULL},
    {'x', 0, "x", ACTION_UNKNOWN, BIT(VIEW_WALK), "don't know: skip this question", true,
     "don't know"},
    {'u', TERM_LEFT, "u Left", ACTION_UNDO, BIT(VIEW_WALK), "go back: take the last answer away",
     true, "undo"},
    {'y', 0, "y", ACTION_COPY, RESULTS, "copy the line or command to the clipboard", true, "copy"},
    {'W', 0, "W", ACTION_WRITE, RESULTS, "write the report to faultline-report.md", false, NULL},
    {27, TERM_BACKSPACE, "Esc", ACTION_BACK, EVERYWHERE, "back", false, NULL},
    {4, 0, "^D", ACTION_PASTE_DONE, BIT(VIEW_START), "diagnose what was pasted", true, "diagnose"},
    {26, 0, "^Z", ACTION_SUSPEND, EVERYWHERE | BIT(VIEW_START), "suspend", false, NULL},
    {3, 0, "^C", ACTION_QUIT, EVERYWHERE | BIT(VIEW_START), "leave", false, NULL},
    {'q', TERM_F10, "q F10", ACTION_QUIT, EVERYWHERE, "leave", true, "quit"},
};
const int n_key_rows = COUNT_OF(key_rows);
