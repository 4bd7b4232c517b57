#include "text/paste_entities.h"

#include "text/chars.h"

static const struct {
    const char *name, *text;
} entities[] = {{"&lt;", "<"},   {"&gt;", ">"},   {"&quot;", "\""}, {"&#39;", "'"},
                {"&apos;", "'"}, {"&nbsp;", " "}, {"&#34;", "\""},  {"&#x27;", "'"},
                {"&#x2F;", "/"}, {"&#x60;", "`"}, {"&amp;", "&"},   {"&hellip;", "..."}};

bool entities_decode(struct buf *out, struct str line) {
    bool any = false;
    for (size_t i = 0; i < line.n;) {
        size_t length = 0;
        for (size_t e = 0; line.p[i] == '&' && e < COUNT_OF(entities); e++) {
            if (!str_starts(str_from(line, i), str_of(entities[e].name))) continue;
            buf_str(out, str_of(entities[e].text));
            length = strlen(entities[e].name);
            break;
        }
        any |= length > 0;
        if (!length) buf_char(out, line.p[i]);
        i += length ? length : 1;
    }
    return any;
}
