/* clang-format off */
/* pass_body.h - passing over lines, written once.  Included with these defined:
 *   PASS, PASS_NAME(name)           the function's name, and those of what it calls
 *   V_TARGET, V_FN                  attributes: allow the instructions; and inline the function
 *   V                               MASKED_BEYOND bytes
 *   v_load(p), v_zero()             unaligned; empty
 *   v_lines(v)                      bits of the bytes that are LF
 *   v_mask(v), v_first(v, n)        every digit made '0'; the first n bytes, then zeros
 *   v_differ(a, b), v_or, v_none(v) zero where equal; whether all is zero
 *   V_LANES                         four lanes of masked.h
 *   v_keys()                        their keys for the first 32 bytes
 *   v_stir(lanes, v, keys), v_step(keys), v_finish(lanes, n)
 */
/* clang-format on */

/* Whether the line of n bytes at p is the masked one; n bytes rounded up to whole vectors are read
 * of both. */
V_FN bool PASS_NAME(same)(const char *p, const char *masked, size_t n) {
    V differ = v_zero();
    size_t i = 0;
    for (; i + MASKED_BEYOND <= n; i += MASKED_BEYOND)
        differ = v_or(differ, v_differ(v_mask(v_load(p + i)), v_load(masked + i)));
    if (i < n)
        differ = v_or(differ, v_differ(v_first(v_mask(v_load(p + i)), n - i), v_load(masked + i)));
    return v_none(differ);
}

/* The line that came after the last one before, if it does again. */
V_FN struct entry *PASS_NAME(expected)(struct memo *memo, const char *p, size_t room) {
    struct entry *last = memo->last, *entry = &memo->entries[last->next];
    size_t n = entry->length, lf;
    if (last->faith < MEMO_FAITH || !n || n + MASKED_BEYOND + 2 > room) return NULL;
    lf = n + (p[n] == '\r');
    if (p[lf] != '\n' || (lf == n && p[n - 1] == '\r')) return NULL;
    return PASS_NAME(same)(p, entry_text(memo, entry), n) ? entry : NULL;
}

/* Where the line at p ends: its LF, or SIZE_MAX where that is not near; *hash of what stands before
 * the LF. */
V_FN size_t PASS_NAME(line)(const char *p, size_t room, uint64_t *hash) {
    V_LANES lanes = v_zero(), keys = v_keys();
    if (room > MEMO_LINE + MASKED_BEYOND) room = MEMO_LINE + MASKED_BEYOND;
    for (size_t i = 0; i + MASKED_BEYOND <= room; i += MASKED_BEYOND) {
        V v = v_load(p + i);
        uint32_t lines = v_lines(v);
        v = v_mask(v);
        if (lines) {
            size_t n = (size_t)__builtin_ctz(lines);
            v_stir(lanes, v_first(v, n), keys);
            *hash = memo_hash(v_finish(lanes, i + n));
            return i + n;
        }
        v_stir(lanes, v, keys);
        v_step(keys);
    }
    return SIZE_MAX;
}

/* The hash of a line whose end is known. */
V_FN uint64_t PASS_NAME(hash)(const char *p, size_t n) {
    V_LANES lanes = v_zero(), keys = v_keys();
    size_t i = 0;
    for (; i + MASKED_BEYOND <= n; i += MASKED_BEYOND) {
        v_stir(lanes, v_mask(v_load(p + i)), keys);
        v_step(keys);
    }
    v_stir(lanes, v_first(v_mask(v_load(p + i)), n - i), keys);
    return memo_hash(v_finish(lanes, n));
}

V_FN struct entry *PASS_NAME(find)(struct memo *memo, const char *p, size_t n, uint64_t hash) {
    size_t set = memo_set(hash);
    for (int way = 0; way < MEMO_WAYS; way++) {
        struct entry *entry = &memo->entries[set * MEMO_WAYS + (size_t)way];
        if (memo->hashes[set][way] == hash && entry->length == n &&
            PASS_NAME(same)(p, entry_text(memo, entry), n))
            return entry;
    }
    return NULL;
}

V_TARGET void PASS(struct memo *memo, struct pass *pass) {
    pass->known = NULL;
    while (pass->at < pass->stop) {
        const char *p = pass->block.p + pass->at;
        size_t room = pass->block.n - pass->at, lf;
        struct entry *entry = PASS_NAME(expected)(memo, p, room);
        if (entry) {
            lf = entry->length + (size_t)(p[entry->length] == '\r');
        } else {
            uint64_t hash;
            lf = PASS_NAME(line)(p, room, &hash);
            bool cr = lf && lf != SIZE_MAX && p[lf - 1] == '\r';
            size_t n = lf - cr;
            if (n == 0) { /* it is blank */
                pass->lines++;
                pass->roll = roll_line(pass->roll, LOOSELY_NOTHING);
                pass->at += lf + 1;
                continue;
            }
            if (n <= MEMO_LINE)
                entry = PASS_NAME(find)(memo, p, n, cr ? PASS_NAME(hash)(p, n) : hash);
            if (!entry) {
                memo->last = &memo->spare;
                return;
            }
            entry_follow(memo, entry);
        }
        memo->last = entry;
        if (entry->decision.about & pass->wanted && entry->muted != pass->round) {
            pass->known = &entry->decision;
            pass->length = entry->length;
            pass->next = pass->at + lf + 1;
            return;
        }
        pass->lines++;
        pass->roll = roll_line(pass->roll, memo->loosely[entry - memo->entries]);
        pass->at += lf + 1;
    }
}
#undef PASS
#undef PASS_NAME
#undef V_TARGET
#undef V_FN
#undef V
#undef V_LANES
#undef v_load
#undef v_lines
#undef v_mask
#undef v_first
#undef v_differ
#undef v_or
#undef v_none
#undef v_zero
#undef v_keys
#undef v_stir
#undef v_step
#undef v_finish
