/* `ip addr`: the interfaces that a library can be told to use. */
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/reading.h"
#include "text/chars.h"

/* "2: eth0@if5: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 ... state UP": also `ip -o addr`. */
static bool head_line(struct reading *reading, struct str line, struct str *nic) {
    struct str rest, flags, value;
    int number;
    if (!pick_int(line, &number) || !pick_after(line, STR(": "), &rest)) return false;
    struct str name = pick_word(rest, NULL);
    while (str_ends(name, STR(":"))) name = str_sub(name, 0, name.n - 1);
    *nic = note_key_of(reading, "", pick_until(name, STR("@")));
    if (!nic->n || !pick_between(rest, STR("<"), STR(">"), &flags)) return true;
    note(reading, STR("nic"), *nic);
    bool up =
        pick_find_word(flags, STR("UP"), 0) >= 0 && pick_find_word(flags, STR("LOWER_UP"), 0) >= 0;
    note(reading, note_key(reading, "nic." STR_FMT ".state", STR_ARG(*nic)),
         up ? STR("up") : STR("down"));
    if (pick_after(rest, STR(" mtu "), &value))
        note(reading, note_key(reading, "nic." STR_FMT ".mtu", STR_ARG(*nic)), pick_number(value));
    return true;
}

static void address_line(struct reading *reading, struct str line, struct str nic) {
    struct str value;
    if (!nic.n || !pick_after(line, STR("inet "), &value)) return;
    struct str address = pick_until(pick_word(value, NULL), STR("/"));
    note(reading, note_key(reading, "nic." STR_FMT ".address", STR_ARG(nic)), address);
    note(reading, STR("host.address"), address);
}

static void read_addresses(struct evidence *evidence, struct str text,
                           const struct origin *origin) {
    struct reading reading;
    struct str line, nic = {0};
    reading_open(&reading, evidence, text, origin, "ip addr");
    while (reading_line(&reading, &line)) {
        bool indented = line.n && is_space(line.p[0]);
        line = str_trim(line);
        if (!indented) head_line(&reading, line, &nic);
        address_line(&reading, line, nic);
    }
    reading_close(&reading);
}

static int recognize(struct str head, struct str name) {
    (void)name;
    struct str start = str_sub(str_trim(head), 0, 400);
    return str_starts(start, STR("1: lo: <LOOPBACK")) || str_starts(start, STR("1: lo    inet"))
               ? 96
               : 0;
}

const struct fact_reader reader_addresses = {.id = "ip-addr",
                                             .about = "ip addr",
                                             .kind = KIND_NETWORK,
                                             .recognize = recognize,
                                             .read = read_addresses};
