/* InfiniBand and RoCE: ibstat, ibstatus, ibv_devinfo, iblinkinfo's neighbours. */
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/reading.h"
#include "text/chars.h"

struct ports {
    struct reading *reading;
    struct str device;
    int port, active, down, devices;
};

static void note_port(struct ports *ports, const char *name, struct str value) {
    if (!ports->device.n) return;
    struct reading *reading = ports->reading;
    note(reading,
         note_key(reading, "ib." STR_FMT ".%d.%s", STR_ARG(ports->device), ports->port, name),
         value);
}

static void device(struct ports *ports, struct str name) {
    ports->device = note_key_of(ports->reading, "", pick_unquote(name));
    ports->port = 1;
    ports->devices++;
}

/* "Active", "1: DOWN", "PORT_ACTIVE (4)" */
static void state(struct ports *ports, struct str value) {
    struct str behind;
    if (is_digit(byte_at(value, 0)) && pick_after(value, STR(": "), &behind)) value = behind;
    if (str_starts(value, STR("PORT_"))) value = str_sub(value, 5, value.n);
    value = pick_word(value, NULL);
    note_port(ports, "state", value);
    if (str_eq_nocase(value, STR("ACTIVE")))
        ports->active++;
    else
        ports->down++;
}

static void read_line(struct ports *ports, struct str line) {
    struct str name, value, quoted;
    if (str_starts(line, STR("CA '")) && pick_between(line, STR("'"), STR("'"), &quoted)) {
        device(ports, quoted);
    } else if (str_starts(line, STR("Infiniband device '")) &&
               pick_between(line, STR("'"), STR("'"), &quoted)) {
        device(ports, quoted);
        if (pick_after(line, STR("port "), &value)) pick_int(value, &ports->port);
    } else if (pick_pair(line, ':', &name, &value)) {
        if (str_eq(name, STR("hca_id")))
            device(ports, value);
        else if (str_starts(name, STR("Port ")) && !value.n)
            pick_int(str_sub(name, 5, name.n), &ports->port);
        else if (str_eq(name, STR("port")))
            pick_int(value, &ports->port);
        else if (str_eq_nocase(name, STR("State")))
            state(ports, value);
        else if (str_eq(name, STR("Physical state")) || str_eq(name, STR("phys state")))
            note_port(ports, "physical", pick_last(value));
        else if (str_eq_nocase(name, STR("rate")))
            note_port(ports, "rate", pick_number(value));
        else if (str_eq(name, STR("Link layer")) || str_eq(name, STR("link_layer")))
            note_port(ports, "layer", value);
        else if (str_eq(name, STR("active_mtu")))
            note_port(ports, "mtu", pick_number(value));
        else if (str_eq(name, STR("Firmware version")) || str_eq(name, STR("fw_ver")))
            note_port(ports, "firmware", pick_version(value));
        else if (str_eq(name, STR("ibpanic")))
            note(ports->reading, STR("ib.error"), value);
    }
}

static void read_ports(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct str line;
    reading_open(&reading, evidence, text, origin, "infiniband");
    struct ports ports = {.reading = &reading, .port = 1};
    while (reading_line(&reading, &line)) read_line(&ports, str_trim(line));
    if (ports.devices) note_int(&reading, STR("ib.devices"), ports.devices);
    if (ports.active + ports.down) {
        note_int(&reading, STR("ib.ports.active"), ports.active);
        note_int(&reading, STR("ib.ports.down"), ports.down);
    }
    reading_close(&reading);
}

static int recognize(struct str head, struct str name) {
    struct str text = str_trim(str_sub(head, 0, 4096));
    if (str_starts(text, STR("CA '")) || str_starts(text, STR("Infiniband device '")) ||
        str_starts(text, STR("hca_id:")))
        return 96;
    if (str_has(text, STR("\nCA '")) && str_has(text, STR("Port "))) return 80;
    if (str_has(text, STR("switchguid=")) || str_has(text, STR("caguid=")))
        return 90; /* ibnetdiscover */
    bool named = str_find_nocase(name, STR("ibstat"), 0) >= 0 ||
                 str_find_nocase(name, STR("ibnetdiscover"), 0) >= 0 ||
                 str_find_nocase(name, STR("ibv_"), 0) >= 0;
    return named ? 75 : 0;
}

const struct fact_reader reader_infiniband = {.id = "infiniband",
                                              .about = "ibstat, ibstatus, ibv_devinfo",
                                              .kind = KIND_NETWORK,
                                              .recognize = recognize,
                                              .read = read_ports};
