/* image_schema.h - the tables of an image.  Private to image_write.c and image_load.c.
 *
 * A list in a column has one item a line; a line end inside an item is written as VT (0x0b).  Pairs
 * are items "key=value".  "by stage" is a list of pairs such as train=4.2.  A condition is a list
 * of nodes in prefix order, fields separated by tabs: "all 2", "seen ID", "is KEY VALUE...".
 *
 * The tables are for people, for questions in SQL and for searches.  The program loads the same
 * rows from the pack, which follows the last page of SQLite's file: 100,000 columns through SQL
 * take 10 ms, which every start would pay, and what lies in one piece is used where it lies.  The
 * pack is a stream of cells: one byte of length (255: four bytes of length follow, big end first),
 * then the bytes; a table is a cell with its name, four bytes with the number of its rows, and
 * their cells in the order of columns.  Numbers are decimal.  Behind it stand its length, four
 * bytes big end first, and IMAGE_END.
 */
#ifndef FAULTLINE_IMAGE_SCHEMA_H
#define FAULTLINE_IMAGE_SCHEMA_H

#define IMAGE_SCHEMA                                                                               \
    "CREATE TABLE meta(key TEXT, value TEXT);"                                                     \
    "CREATE TABLE code(kind TEXT, id TEXT, stage TEXT, name TEXT, about TEXT, examples TEXT,"      \
    " share REAL, dist REAL);"                                                                     \
    "CREATE TABLE failure(id TEXT, title TEXT, about TEXT, symptoms TEXT, context TEXT,"           \
    " consequence_of TEXT, ended TEXT, harmless INT, study INT, dead_ends TEXT, refs TEXT);"       \
    "CREATE TABLE signal(id TEXT, failure TEXT, role TEXT, place TEXT, level TEXT, says TEXT,"     \
    " needles TEXT, regex TEXT, groups TEXT, sets TEXT, stages TEXT, purpose INT, source TEXT);"   \
    "CREATE TABLE sample(signal TEXT, kind TEXT, line TEXT);"                                      \
    "CREATE TABLE fix(failure TEXT, id TEXT, pattern TEXT, kind TEXT, title TEXT, steps TEXT,"     \
    " commands TEXT, file TEXT, sets TEXT, cost TEXT, verify TEXT, undo TEXT, refs TEXT);"         \
    "CREATE TABLE cause(failure TEXT, id TEXT, prior INT, why TEXT, roots TEXT, symptoms TEXT,"    \
    " fixes TEXT);"                                                                                \
    "CREATE TABLE clue(failure TEXT, cause TEXT, db INT, family TEXT, why TEXT, condition TEXT);"  \
    "CREATE TABLE question(id TEXT, ask TEXT, why TEXT, how TEXT, cost INT, probe TEXT);"          \
    "CREATE TABLE choice(question TEXT, id TEXT, text TEXT, condition TEXT, weighs TEXT);"         \
    "CREATE TABLE fallback(exceptions TEXT, contains TEXT, title TEXT, symptoms TEXT,"             \
    " roots TEXT, patterns TEXT);"                                                                 \
    "CREATE TABLE precheck(id TEXT, failure TEXT, fix TEXT, level TEXT, place TEXT, says TEXT,"    \
    " advice TEXT, condition TEXT);"                                                               \
    "CREATE TABLE confidence(base INT, line INT, share INT, generic INT, unknown INT, words INT, " \
    "alike INT, leaning INT);"                                                                     \
    "CREATE TABLE near(kind TEXT, id TEXT, title TEXT);"                                           \
    "CREATE VIRTUAL TABLE words USING fts5(id, title, body, content='');"

#define IMAGE_END "pack" /* the last bytes of an image */
enum { IMAGE_TAIL = 4 + sizeof IMAGE_END - 1 };

/* Tables of the pack, in order, with their columns. */
/* clang-format off */
#define IMAGE_PACK_TABLES                                                                          \
    {                                                                                              \
        {"meta", 2}, {"code", 8}, {"failure", 11}, {"signal", 13}, {"fix", 13}, {"cause", 7},      \
        {"clue", 6}, {"question", 6}, {"choice", 5}, {"fallback", 6}, {"confidence", 8},           \
        {"precheck", 8}, {"plan", 1}, {"leaning", 1}                                               \
    }
/* clang-format on */

#endif
