/* clang-format off */
/* pass_body.h - passing over lines, written once.  Included with these defined:
 *   PASS, PASS_NAME(name)           the function's name, and those of what it calls
 *   V_TARGET, V_FN                  attributes: allow the instructions; and inline the function
 *   V                               MASKED_BEYOND bytes
 *   v_load(p), v_store(p, v)        unaligned
 *   v_zero()                        empty
 *   v_lines(v)                      bits of the bytes that are LF
 *   v_digits(v)                     its digits: all bits of their bytes are set
 *   v_crosses(digits, p)            bits of those before an 'x', which is looked for at p
 *   v_hex(v, digits)                bits of those, and of small letters up to f
 *   v_mask(v, digits)               the digits made '0'
 *   v_zeros(v, bits)                the bytes of these bits made '0'
 *   v_first(v, n)                   the first n bytes, then zeros
 *   v_differ(a, b), v_or, v_none(v) zero where equal; whether all is zero
 *   V_LANES                         four lanes of masked.h
 *   v_keys()                        their keys for the first 32 bytes
 *   v_stir(lanes, v, keys), v_step(keys), v_finish(lanes, n)
 */
/* clang-format on */

/* The bytes at p + at of a line of n bytes, masked. */
V_FN V PASS_NAME(take)(const char *p, size_t at, size_t n, struct hex_digits *digits) {
    V v = v_load(p + at), decimal = v_digits(v), masked = v_mask(v, decimal);
    uint32_t starts = v_crosses(decimal, p + at + 1);
    if (!(starts | digits->more)) return masked;
    return v_zeros(masked, hex_next(digits, p, at, n, starts, v_hex(v, decimal)));
}

/* Whether the line of n bytes at p is the masked one but for hexadecimal digits; n bytes rounded up
 * to whole vectors are read of both. */
V_FN bool PASS_NAME(same)(const char *p, const char *masked, size_t n) {
    V differ = v_zero(), v;
    size_t i = 0;
    for (; i + MASKED_BEYOND <= n; i += MASKED_BEYOND) {
        v = v_load(p + i);
        differ = v_or(differ, v_differ(v_mask(v, v_digits(v)), v_load(masked + i)));
    }
    if (i < n) {
        v = v_load(p + i);
        v = v_first(v_mask(v, v_digits(v)), n - i);
        differ = v_or(differ, v_differ(v, v_load(masked + i)));
    }
    return v_none(differ);
}

/* The same for lines with hexadecimal numbers; a byte more is read. */
V_FN bool PASS_NAME(alike)(const char *p, const char *masked, size_t n) {
    struct hex_digits digits = {0};
    V differ = v_zero();
    size_t i = 0;
    for (; i + MASKED_BEYOND <= n; i += MASKED_BEYOND)
        differ = v_or(differ, v_differ(PASS_NAME(take)(p, i, n, &digits), v_load(masked + i)));
    if (i < n)
        differ = v_or(differ, v_differ(v_first(PASS_NAME(take)(p, i, n, &digits), n - i),
                                       v_load(masked + i)));
    return v_none(differ);
}

/* The line that came after the last one before, if it does again. */
V_FN struct entry *PASS_NAME(expected)(struct memo *memo, const char *p, size_t room) {
    struct entry *last = memo->last, *entry = &memo->entries[last->next];
    size_t n = entry->length, lf;
    if (last->faith < MEMO_FAITH || !n || n + MASKED_BEYOND + 2 > room) return NULL;
    lf = n + (p[n] == '\r');
    if (p[lf] != '\n' || (lf == n && p[n - 1] == '\r')) return NULL;
    const char *masked = entry_text(memo, entry);
    bool same = entry->addresses ? PASS_NAME(alike)(p, masked, n) : PASS_NAME(same)(p, masked, n);
    return same ? entry : NULL;
}

/* Where the line at p ends: its LF, or SIZE_MAX where that is not near.  What stands before the LF
 * goes, masked, to `masked`; *hash of that. */
V_FN size_t PASS_NAME(line)(const char *p, size_t room, char *masked, uint64_t *hash) {
    V_LANES lanes = v_zero(), keys = v_keys();
    struct hex_digits digits = {0};
    if (room > MEMO_LINE + MASKED_BEYOND + 1) room = MEMO_LINE + MASKED_BEYOND + 1;
    for (size_t i = 0; i + MASKED_BEYOND < room; i += MASKED_BEYOND) {
        uint32_t lines = v_lines(v_load(p + i));
        V v = PASS_NAME(take)(p, i, room, &digits);
        size_t n = lines ? (size_t)__builtin_ctz(lines) : 0;
        if (lines) v = v_first(v, n);
        v_store(masked + i, v);
        v_stir(lanes, v, keys);
        if (lines) {
            *hash = memo_hash(v_finish(lanes, i + n));
            return i + n;
        }
        v_step(keys);
    }
    return SIZE_MAX;
}

/* The same for the first n bytes of a line that was just masked. */
V_FN uint64_t PASS_NAME(shorten)(char *masked, size_t n) {
    V_LANES lanes = v_zero(), keys = v_keys();
    size_t i = 0;
    for (; i + MASKED_BEYOND <= n; i += MASKED_BEYOND) {
        v_stir(lanes, v_load(masked + i), keys);
        v_step(keys);
    }
    V last = v_first(v_load(masked + i), n - i);
    v_store(masked + i, last);
    v_stir(lanes, last, keys);
    return memo_hash(v_finish(lanes, n));
}

V_FN bool PASS_NAME(equal)(const char *a, const char *b, size_t n) {
    V differ = v_zero();
    for (size_t i = 0; i < n; i += MASKED_BEYOND)
        differ = v_or(differ, v_differ(v_load(a + i), v_load(b + i)));
    return v_none(differ);
}

/* The masked line of n bytes. */
V_FN struct entry *PASS_NAME(find)(struct memo *memo, size_t n, uint64_t hash) {
    size_t set = memo_set(hash);
    for (int way = 0; way < MEMO_WAYS; way++) {
        struct entry *entry = &memo->entries[set * MEMO_WAYS + (size_t)way];
        if (memo->hashes[set][way] == hash && entry->length == n &&
            PASS_NAME(equal)(memo->masked, entry_text(memo, entry), n))
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
            lf = PASS_NAME(line)(p, room, memo->masked, &hash);
            bool cr = lf && lf != SIZE_MAX && p[lf - 1] == '\r';
            size_t n = lf - cr;
            if (n == 0) { /* it is blank */
                pass->lines++;
                pass->roll = roll_line(pass->roll, LOOSELY_NOTHING);
                pass->at += lf + 1;
                continue;
            }
            if (n <= MEMO_LINE)
                entry = PASS_NAME(find)(memo, n, cr ? PASS_NAME(shorten)(memo->masked, n) : hash);
            if (!entry) {
                memo->last = &memo->spare;
                return;
            }
            entry_follow(memo, entry);
        }
        memo->last = entry;
        unsigned wanted = entry->decision.about & pass->wanted;
        if (wanted & ABOUT_LOUD && entry_guarded(memo, entry, p)) wanted &= ~(unsigned)ABOUT_LOUD;
        if (wanted && entry->muted != pass->round) {
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
#undef v_store
#undef v_lines
#undef v_mask
#undef v_digits
#undef v_first
#undef v_crosses
#undef v_hex
#undef v_zeros
#undef v_differ
#undef v_or
#undef v_none
#undef v_zero
#undef v_keys
#undef v_stir
#undef v_step
#undef v_finish
