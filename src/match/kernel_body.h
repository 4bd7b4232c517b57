/* clang-format off */
/* kernel_body.h - the kernel, written once.  Included with these defined:
 *   KERNEL                     name of the function
 *   V_TARGET                   attribute that allows the instructions
 *   V, V_BYTES                 vector type and its size
 *   V_TABLES, v_tables(T, t)   the lookup tables in registers; loads them
 *   v_load(p)                  unaligned
 *   V_INDEX, v_index(v)        what a lookup needs of a vector of bytes
 *   v_look(T, j, i)            bucket set of each byte at position j
 *   v_and, v_some(v)           bits of nonzero bytes
 *   v_is(v, byte), v_below(v, byte)  bits of bytes so
 *   v_hash(to, v)              stores kernel_hash of each four bytes
 *   v_pairs(p)                 bits of the 16 bytes at p whose low half meets the high half of the
 *                              next byte
 */
/* clang-format on */
V_TARGET static size_t KERNEL(const struct kernel_tables *t, const uint8_t *p, size_t words,
                              struct lanes *out) {
    enum { AHEAD = 2048 };
    uint32_t index[KERNEL_WORDS * 16 + 1];
    uint8_t kinds[KERNEL_WORDS * 16 + 1];
    V_TABLES T;
    size_t lines = 0;
    v_tables(&T, t);
    for (size_t w = 0; w < words; w++) {
        const uint8_t *q = p + w * 64;
        uint64_t hit = 0, newline = 0, control = 0;
        __builtin_prefetch(q + AHEAD);
        for (int s = 0; s < 64; s += V_BYTES) {
            V first = v_load(q + s);
            V_INDEX i0 = v_index(first), i1 = v_index(v_load(q + s + 1)),
                    i2 = v_index(v_load(q + s + 2)), i3 = v_index(v_load(q + s + 3));
            V a = v_and(v_and(v_look(&T, 0, 0, i0), v_look(&T, 0, 1, i1)),
                        v_and(v_look(&T, 0, 2, i2), v_look(&T, 0, 3, i3)));
            V b = v_and(v_and(v_look(&T, 1, 0, i0), v_look(&T, 1, 1, i1)),
                        v_and(v_look(&T, 1, 2, i2), v_look(&T, 1, 3, i3)));
            uint64_t line = v_is(first, '\n');
            hit |= v_some(v_or(a, b)) << s;
            newline |= line << s;
            control |= (v_below(first, 0x20) & ~line & ~v_is(first, '\t')) << s;
            v_hash(index + w * 16 + s / 4, first);
        }
        out[w] = (struct lanes){hit, newline, control, 0};
        lines += (size_t)__builtin_popcountll(newline);
    }
    uint32_t last;
    memcpy(&last, p + words * 64, sizeof last);
    index[words * 16] = kernel_hash(last);
    for (size_t i = 0; i < words * 16; i += 4) {
        kinds[i] = t->pair[index[i]];
        kinds[i + 1] = t->pair[index[i + 1]];
        kinds[i + 2] = t->pair[index[i + 2]];
        kinds[i + 3] = t->pair[index[i + 3]];
    }
    kinds[words * 16] = t->pair[index[words * 16]];
    for (size_t w = 0; w < words; w++) out[w].pair = v_pairs(kinds + w * 16);
    return lines;
}
#undef KERNEL
#undef V_TARGET
#undef V
#undef V_BYTES
#undef V_TABLES
#undef V_INDEX
#undef v_tables
#undef v_load
#undef v_index
#undef v_look
#undef v_and
#undef v_or
#undef v_hash
#undef v_pairs
#undef v_some
#undef v_is
#undef v_below
