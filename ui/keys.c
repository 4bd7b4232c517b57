#include "ui/screen.h"
#include "ui/term.h"

#define BIT(view) (1u << (view))
enum {
    RESULTS = BIT(VIEW_DIAGNOSIS) | BIT(VIEW_LOG) | BIT(VIEW_WALK) | BIT(VIEW_FIX),
    EVERYWHERE = RESULTS | BIT(VIEW_HELP),
    START = BIT(VIEW_START)
};

const struct key_row key_rows[] = {
    {{'d', TERM_F2}, "d F2", ACTION_DIAGNOSIS, EVERYWHERE, "the diagnosis with its reasons", NULL},
    {{'l', TERM_F3}, "l F3", ACTION_LOG, EVERYWHERE, "the log at the first fault", NULL},
    {{'w', TERM_F4}, "w F4", ACTION_WALK, EVERYWHERE, "the walk: one question at a time", NULL},
    {{'f', TERM_F5}, "f F5", ACTION_FIX, EVERYWHERE, "the fix of the selected cause", NULL},
    {{'\t'}, "Tab", ACTION_NEXT_VIEW, EVERYWHERE, "the next view", NULL},
    {{TERM_BACK_TAB}, "Shift-Tab", ACTION_PREVIOUS_VIEW, EVERYWHERE, "the view before", NULL},
    {{'k', TERM_UP}, "k Up", ACTION_UP, EVERYWHERE, "one row up", NULL},
    {{'j', TERM_DOWN}, "j Down", ACTION_DOWN, EVERYWHERE, "one row down", NULL},
    {{'b', 2, TERM_PAGE_UP}, "b PgUp", ACTION_PAGE_UP, EVERYWHERE, "one page up", NULL},
    {{' ', 6, TERM_PAGE_DOWN}, "Space PgDn", ACTION_PAGE_DOWN, EVERYWHERE, "one page down", NULL},
    {{'g', TERM_HOME}, "g Home", ACTION_TOP, EVERYWHERE, "to the top", NULL},
    {{'G', TERM_END}, "G End", ACTION_BOTTOM, EVERYWHERE, "to the bottom", NULL},

    {{'\n', TERM_RIGHT},
     "Enter Right",
     ACTION_OPEN,
     BIT(VIEW_DIAGNOSIS),
     "open: the log at a line, the fix of a cause, the walk at a question",
     "open"},

    {{'\n'}, "Enter", ACTION_OPEN, BIT(VIEW_WALK), "answer with the selected choice", "answer"},
    {{'1', '2', '3', '4', '5', '6', '7', '8', '9'},
     "1-9",
     ACTION_CHOICE,
     BIT(VIEW_WALK),
     "answer with this choice",
     NULL},
    {{'x'}, "x", ACTION_UNKNOWN, BIT(VIEW_WALK), "don't know: skip this question", "don't know"},
    {{'u', TERM_LEFT}, "u Left", ACTION_UNDO, BIT(VIEW_WALK), "take the last answer back", "undo"},

    {{']'}, "]", ACTION_HIT_NEXT, BIT(VIEW_LOG), "the next line that says something", "next hit"},
    {{'['}, "[", ACTION_HIT_BACK, BIT(VIEW_LOG), "the line before that says something", NULL},
    {{'s'}, "s", ACTION_SOURCE_NEXT, BIT(VIEW_LOG), "the next log", "next log"},
    {{'S'}, "S", ACTION_SOURCE_BACK, BIT(VIEW_LOG), "the log before", NULL},
    {{'/'}, "/", ACTION_SEARCH, BIT(VIEW_LOG), "search with a regular expression", "search"},
    {{'n'}, "n", ACTION_SEARCH_NEXT, BIT(VIEW_LOG), "the next match", NULL},
    {{'N'}, "N", ACTION_SEARCH_BACK, BIT(VIEW_LOG), "the match before", NULL},
    {{TERM_LEFT}, "Left", ACTION_LEFT, BIT(VIEW_LOG), "long lines: back to their beginning", NULL},
    {{TERM_RIGHT}, "Right", ACTION_RIGHT, BIT(VIEW_LOG), "long lines: on to their end", NULL},

    {{'\n', 'y'},
     "Enter y",
     ACTION_COPY,
     BIT(VIEW_FIX),
     "copy this row; at a title its commands",
     "copy"},

    {{'y'},
     "y",
     ACTION_COPY,
     RESULTS & ~BIT(VIEW_FIX),
     "copy the selected line; in the walk the "
     "way to find out",
     "copy"},
    {{'W'}, "W", ACTION_WRITE, RESULTS, "write the report to faultline-report.md", NULL},
    {{27, TERM_BACKSPACE}, "Esc", ACTION_BACK, EVERYWHERE, "back to the diagnosis", NULL},
    {{'q'}, "q", ACTION_BACK, BIT(VIEW_HELP), "back", "back"},
    {{4},
     "Ctrl-D",
     ACTION_PASTE_DONE,
     START,
     "diagnose what was pasted, or the path typed",
     "diagnose"},
    {{26}, "Ctrl-Z", ACTION_SUSPEND, EVERYWHERE | START, "suspend", NULL},
    {{'?', TERM_F1, 'h'}, "? F1", ACTION_HELP, EVERYWHERE, "what the keys do", "help"},
    {{'q', TERM_F10}, "q F10", ACTION_QUIT, RESULTS, "leave", "quit"},
    {{3}, "Ctrl-C", ACTION_QUIT, EVERYWHERE | START, "leave", NULL},
};
const int n_key_rows = COUNT_OF(key_rows);
