/* last_facts.h - of each key the last fact: thousands of ranks tell the same few keys. */
#ifndef FAULTLINE_LAST_FACTS_H
#define FAULTLINE_LAST_FACTS_H

#include "model/evidence.h"

struct last_facts {
    const struct fact **v; /* some places are free */
    size_t n_places, n;
};

/* `ours`: by source, whether its facts count; NULL: all do. */
void evidence_last_facts(const struct evidence *evidence, const bool *ours, struct arena *arena,
                         struct last_facts *last);
/* The one with this key, or NULL. */
const struct fact *evidence_last_fact(const struct last_facts *last, struct str key);

#endif
