#include "match/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

void kernel_admit(struct kernel_tables *tables, int bucket, int at, uint8_t byte) {
    int group = bucket >> 3;
    uint8_t bit = (uint8_t)(1u << (bucket & 7));
    tables->low[group][at][byte & 15] |= bit;
    tables->high[group][at][byte >> 4] |= bit;
    tables->seven[group][at][byte & 127] |= bit;
    tables->byte[at][byte] |= (uint16_t)(1u << bucket);
}

static uint32_t word_at(const void *p) {
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

void kernel_admit_pair(struct kernel_tables *tables, int kind, const char *p) {
    tables->pair[kernel_hash(word_at(p))] |= (uint8_t)(1u << kind);
    tables->pair[kernel_hash(word_at(p + 4))] |= (uint8_t)(16u << kind);
}

void kernel_admit_single(struct kernel_tables *tables, const char *p) {
    uint8_t any = 16u << PAIR_SINGLE;
    if (!(tables->pair[0] & any))
        for (size_t i = 0; i < sizeof tables->pair; i++) tables->pair[i] |= any;
    tables->pair[kernel_hash(word_at(p))] |= (uint8_t)(1u << PAIR_SINGLE);
}

uint64_t lanes_pair_bytes(const struct lanes *lanes) {
    uint64_t v = lanes->pair;
    v = (v | v << 24) & 0x000000ff000000ffu;
    v = (v | v << 12) & 0x000f000f000f000fu;
    v = (v | v << 6) & 0x0303030303030303u;
    return (v | v << 3) & 0x1111111111111111u;
}

/* The last words of a text, copied to where kernels may read beyond them: `rest` is what is left of
 * the text, `words` at most 2. */
static void run_tail(const struct kernel *kernel, const struct kernel_tables *tables,
                     struct str rest, size_t words, struct lanes *out, size_t *lines) {
    uint8_t padded[192] = {0};
    size_t room = words * 64 + KERNEL_BEYOND;
    memcpy(padded, rest.p, rest.n < room ? rest.n : room);
    *lines += kernel->run(tables, padded, words, out);
    if (rest.n >= words * 64) return;
    struct lanes *last = &out[words - 1];
    uint64_t valid = ((uint64_t)1 << rest.n % 64) - 1;
    last->hit &= valid;
    last->control &= valid;
    last->pair &= (1u << (rest.n % 64 + 3) / 4) - 1;
}

size_t kernel_over(const struct kernel *kernel, const struct kernel_tables *tables, struct str text,
                   size_t at, size_t words, struct lanes *out, size_t *lines) {
    size_t left = text.n - at, have = (left + 63) / 64;
    size_t whole = left >= KERNEL_BEYOND ? (left - KERNEL_BEYOND) / 64 : 0;
    if (have > words) have = words;
    if (whole > words) whole = words;
    *lines = 0;
    for (size_t done = 0, n; done < whole; done += n) {
        n = whole - done < KERNEL_WORDS ? whole - done : KERNEL_WORDS;
        *lines += kernel->run(tables, (const uint8_t *)text.p + at + done * 64, n, out + done);
    }
    if (have > whole)
        run_tail(kernel, tables, str_sub(text, at + whole * 64, left), have - whole, out + whole,
                 lines);
    return have;
}

/* ---- scalar: the meaning of all the others ----------------------------------------------- */

static bool always(void) {
    return true;
}

static struct lanes scalar_lanes(const struct kernel_tables *t, const uint8_t *p) {
    struct lanes lanes = {0};
    for (int i = 0; i < 64; i++) {
        uint64_t bit = (uint64_t)1 << i;
        if (t->byte[0][p[i]] & t->byte[1][p[i + 1]] & t->byte[2][p[i + 2]] & t->byte[3][p[i + 3]])
            lanes.hit |= bit;
        if (p[i] >= 0x20) continue;
        if (p[i] == '\n')
            lanes.newline |= bit;
        else if (p[i] != '\t')
            lanes.control |= bit;
    }
    uint8_t kinds = t->pair[kernel_hash(word_at(p))];
    for (int i = 0; i < 16; i++) {
        uint8_t next = t->pair[kernel_hash(word_at(p + 4 * i + 4))];
        if (kinds & next >> 4 & 15) lanes.pair |= 1u << i;
        kinds = next;
    }
    return lanes;
}

static size_t run_scalar(const struct kernel_tables *t, const uint8_t *p, size_t words,
                         struct lanes *out) {
    size_t lines = 0;
    for (size_t w = 0; w < words; w++) {
        out[w] = scalar_lanes(t, p + w * 64);
        for (uint64_t v = out[w].newline; v; v &= v - 1) lines++;
    }
    return lines;
}

/* ---- x86-64 ------------------------------------------------------------------------------ */

#if defined(__x86_64__)

/* See v_pairs in kernel_body.h. */
static inline __attribute__((always_inline)) uint32_t sse_pairs(const uint8_t *kinds) {
    __m128i one = _mm_loadu_si128((const void *)kinds);
    __m128i next = _mm_srli_epi16(_mm_loadu_si128((const void *)(kinds + 1)), 4);
    __m128i both = _mm_and_si128(_mm_and_si128(one, next), _mm_set1_epi8(15));
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(both, _mm_setzero_si128())) ^ 0xffff;
}

#define V_TARGET __attribute__((target("avx2,popcnt")))
#define AVX2_FN  V_TARGET static inline __attribute__((always_inline))
struct avx2_tables {
    __m256i low[2][4], high[2][4];
};
struct avx2_index {
    __m256i low, high;
};
AVX2_FN void avx2_load_tables(struct avx2_tables *T, const struct kernel_tables *t) {
    for (int g = 0; g < 2; g++)
        for (int j = 0; j < 4; j++) {
            const __m128i *low = (const void *)t->low[g][j], *high = (const void *)t->high[g][j];
            T->low[g][j] = _mm256_broadcastsi128_si256(_mm_loadu_si128(low));
            T->high[g][j] = _mm256_broadcastsi128_si256(_mm_loadu_si128(high));
        }
}
AVX2_FN struct avx2_index avx2_index(__m256i v) {
    __m256i nibble = _mm256_set1_epi8(15);
    return (struct avx2_index){_mm256_and_si256(v, nibble),
                               _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble)};
}
AVX2_FN __m256i avx2_look(const struct avx2_tables *T, int g, int j, struct avx2_index i) {
    return _mm256_and_si256(_mm256_shuffle_epi8(T->low[g][j], i.low),
                            _mm256_shuffle_epi8(T->high[g][j], i.high));
}
AVX2_FN void avx2_hash(uint32_t *to, __m256i v) {
    __m256i product = _mm256_mullo_epi32(v, _mm256_set1_epi32((int)0x9E3779B1u));
    _mm256_storeu_si256((void *)to, _mm256_srli_epi32(product, 16));
}
AVX2_FN uint64_t avx2_bits(__m256i v) {
    return (uint32_t)_mm256_movemask_epi8(v);
}
AVX2_FN uint64_t avx2_some(__m256i v) {
    return (uint32_t)~avx2_bits(_mm256_cmpeq_epi8(v, _mm256_setzero_si256()));
}
AVX2_FN uint64_t avx2_below(__m256i v, uint8_t limit) {
    __m256i most = _mm256_set1_epi8((char)(limit - 1));
    return avx2_bits(_mm256_cmpeq_epi8(_mm256_min_epu8(v, most), v));
}
#define KERNEL        run_avx2
#define V             __m256i
#define V_BYTES       32
#define V_TABLES      struct avx2_tables
#define V_INDEX       struct avx2_index
#define v_tables      avx2_load_tables
#define v_load(p)     _mm256_loadu_si256((const void *)(p))
#define v_index       avx2_index
#define v_look        avx2_look
#define v_and         _mm256_and_si256
#define v_or          _mm256_or_si256
#define v_some        avx2_some
#define v_is(v, byte) avx2_bits(_mm256_cmpeq_epi8(v, _mm256_set1_epi8(byte)))
#define v_below       avx2_below
#define v_hash        avx2_hash
#define v_pairs       sse_pairs
#include "match/kernel_body.h"

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
}

/* AVX-512 with byte shuffles: the same nibble tables, 64 bytes at a time. */
#define V_TARGET  __attribute__((target("avx512f,avx512bw,popcnt")))
#define AVX512_FN V_TARGET static inline __attribute__((always_inline))
struct avx512_tables {
    __m512i low[2][4], high[2][4];
};
struct avx512_index {
    __m512i low, high;
};
AVX512_FN void avx512_load_tables(struct avx512_tables *T, const struct kernel_tables *t) {
    for (int g = 0; g < 2; g++)
        for (int j = 0; j < 4; j++) {
            const __m128i *low = (const void *)t->low[g][j], *high = (const void *)t->high[g][j];
            T->low[g][j] = _mm512_broadcast_i32x4(_mm_loadu_si128(low));
            T->high[g][j] = _mm512_broadcast_i32x4(_mm_loadu_si128(high));
        }
}
AVX512_FN struct avx512_index avx512_index(__m512i v) {
    __m512i nibble = _mm512_set1_epi8(15);
    return (struct avx512_index){_mm512_and_si512(v, nibble),
                                 _mm512_and_si512(_mm512_srli_epi16(v, 4), nibble)};
}
AVX512_FN void avx512_hash(uint32_t *to, __m512i v) {
    __m512i product = _mm512_mullo_epi32(v, _mm512_set1_epi32((int)0x9E3779B1u));
    _mm512_storeu_si512((void *)to, _mm512_srli_epi32(product, 16));
}
AVX512_FN __m512i avx512_look(const struct avx512_tables *T, int g, int j, struct avx512_index i) {
    return _mm512_and_si512(_mm512_shuffle_epi8(T->low[g][j], i.low),
                            _mm512_shuffle_epi8(T->high[g][j], i.high));
}
#define KERNEL           run_avx512bw
#define V                __m512i
#define V_BYTES          64
#define V_TABLES         struct avx512_tables
#define V_INDEX          struct avx512_index
#define v_tables         avx512_load_tables
#define v_load(p)        _mm512_loadu_si512((const void *)(p))
#define v_index          avx512_index
#define v_look           avx512_look
#define v_and            _mm512_and_si512
#define v_or             _mm512_or_si512
#define v_some(v)        _mm512_test_epi8_mask(v, v)
#define v_is(v, byte)    _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(byte))
#define v_below(v, byte) _mm512_cmplt_epu8_mask(v, _mm512_set1_epi8(byte))
#define v_hash           avx512_hash
#define v_pairs          sse_pairs
#include "match/kernel_body.h"

static bool has_avx512bw(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
}

/* AVX-512 VBMI: one lookup of 128 entries instead of two of 16. */
#define V_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi,popcnt")))
#define VBMI_FN  V_TARGET static inline __attribute__((always_inline))
struct vbmi_tables {
    __m512i seven[2][4][2];
};
VBMI_FN void vbmi_load_tables(struct vbmi_tables *T, const struct kernel_tables *t) {
    for (int g = 0; g < 2; g++)
        for (int j = 0; j < 4; j++)
            for (int h = 0; h < 2; h++)
                T->seven[g][j][h] = _mm512_loadu_si512(t->seven[g][j] + 64 * h);
}
VBMI_FN __m512i vbmi_look(const struct vbmi_tables *T, int g, int j, __m512i v) {
    return _mm512_permutex2var_epi8(T->seven[g][j][0], v, T->seven[g][j][1]);
}
#define KERNEL           run_vbmi
#define V                __m512i
#define V_BYTES          64
#define V_TABLES         struct vbmi_tables
#define V_INDEX          __m512i
#define v_tables         vbmi_load_tables
#define v_load(p)        _mm512_loadu_si512((const void *)(p))
#define v_index(v)       (v)
#define v_look           vbmi_look
#define v_and            _mm512_and_si512
#define v_or             _mm512_or_si512
#define v_some(v)        _mm512_test_epi8_mask(v, v)
#define v_is(v, byte)    _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(byte))
#define v_below(v, byte) _mm512_cmplt_epu8_mask(v, _mm512_set1_epi8(byte))
#define v_hash           avx512_hash
#define v_pairs          sse_pairs
#include "match/kernel_body.h"

static bool has_vbmi(void) {
    return has_avx512bw() && __builtin_cpu_supports("avx512vbmi");
}

/* ---- aarch64 ----------------------------------------------------------------------------- */

#elif defined(__aarch64__)

#define V_TARGET
#define NEON_FN          static inline __attribute__((always_inline))
struct neon_tables {
    uint8x16_t low[2][4], high[2][4];
};
struct neon_index {
    uint8x16_t low, high;
};
NEON_FN void neon_load_tables(struct neon_tables *T, const struct kernel_tables *t) {
    for (int g = 0; g < 2; g++)
        for (int j = 0; j < 4; j++) {
            T->low[g][j] = vld1q_u8(t->low[g][j]);
            T->high[g][j] = vld1q_u8(t->high[g][j]);
        }
}
NEON_FN struct neon_index neon_index(uint8x16_t v) {
    return (struct neon_index){vandq_u8(v, vdupq_n_u8(15)), vshrq_n_u8(v, 4)};
}
NEON_FN uint8x16_t neon_look(const struct neon_tables *T, int g, int j, struct neon_index i) {
    return vandq_u8(vqtbl1q_u8(T->low[g][j], i.low), vqtbl1q_u8(T->high[g][j], i.high));
}
NEON_FN void neon_hash(uint32_t *to, uint8x16_t v) {
    uint32x4_t product = vmulq_u32(vreinterpretq_u32_u8(v), vdupq_n_u32(0x9E3779B1u));
    vst1q_u32(to, vshrq_n_u32(product, 16));
}
/* One bit for each byte that is all ones: most vectors hold none, which is told first. */
NEON_FN uint64_t neon_bits(uint8x16_t v) {
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    if (vmaxvq_u8(v) == 0) return 0;
    uint8x16_t bits = vandq_u8(v, vld1q_u8(weights));
    return vaddv_u8(vget_low_u8(bits)) | (uint64_t)vaddv_u8(vget_high_u8(bits)) << 8;
}
NEON_FN uint32_t neon_pairs(const uint8_t *kinds) {
    return (uint32_t)neon_bits(vtstq_u8(vld1q_u8(kinds), vshrq_n_u8(vld1q_u8(kinds + 1), 4)));
}
#define KERNEL           run_neon
#define V                uint8x16_t
#define V_BYTES          16
#define V_TABLES         struct neon_tables
#define V_INDEX          struct neon_index
#define v_tables         neon_load_tables
#define v_load(p)        vld1q_u8(p)
#define v_index          neon_index
#define v_look           neon_look
#define v_and            vandq_u8
#define v_or             vorrq_u8
#define v_some(v)        neon_bits(vtstq_u8(v, v))
#define v_is(v, byte)    neon_bits(vceqq_u8(v, vdupq_n_u8(byte)))
#define v_below(v, byte) neon_bits(vcltq_u8(v, vdupq_n_u8(byte)))
#define v_hash           neon_hash
#define v_pairs          neon_pairs
#include "match/kernel_body.h"

#endif

const struct kernel kernels[] = {
    {"scalar", run_scalar, pass_none, always},
#if defined(__x86_64__)
    {"avx2", run_avx2, pass_avx2, has_avx2},
    {"avx512bw", run_avx512bw, pass_avx2, has_avx512bw},
    {"avx512vbmi", run_vbmi, pass_avx2, has_vbmi},
#elif defined(__aarch64__)
    {"neon", run_neon, pass_neon, always},
#endif
};
const int n_kernels = (int)COUNT_OF(kernels);

const struct kernel *kernel_best(void) {
    int best = 0;
    for (int i = 1; i < n_kernels; i++)
        if (kernels[i].usable()) best = i;
    return &kernels[best];
}
