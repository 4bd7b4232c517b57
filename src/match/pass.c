#include "match/pass.h"

#include "match/memo_table.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

void pass_none(struct memo *memo, struct pass *pass) {
    (void)memo;
    pass->known = NULL;
}

/* Notes that the line came after the last one. */
__attribute__((unused)) static inline void entry_follow(struct memo *memo, struct entry *entry) {
    struct entry *last = memo->last;
    unsigned at = (unsigned)(entry - memo->entries);
    if (last->next == at)
        last->faith = last->faith < MEMO_FAITH ? last->faith + 1u : last->faith;
    else if (last->faith)
        last->faith--;
    else
        last->next = at & (MEMO_SETS * MEMO_WAYS - 1);
}

/* Moved to n bytes before its middle it keeps the first n bytes. */
__attribute__((unused)) static const uint8_t keep[2 * MASKED_BEYOND] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

#if defined(__x86_64__)

#define V_TARGET __attribute__((target("avx2,popcnt")))
#define V_FN     V_TARGET static inline __attribute__((always_inline))
V_FN __m256i avx2_load(const void *p) {
    return _mm256_loadu_si256(p);
}
V_FN __m256i avx2_digits(__m256i v) {
    __m256i value = _mm256_sub_epi8(v, _mm256_set1_epi8('0'));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(value, _mm256_set1_epi8(9)), value);
}
V_FN uint32_t avx2_crosses(__m256i digits, const char *p) {
    __m256i x = _mm256_cmpeq_epi8(avx2_load(p), _mm256_set1_epi8('x'));
    return (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(digits, x));
}
V_FN uint32_t avx2_hex(__m256i v, __m256i digits) {
    __m256i value = _mm256_sub_epi8(v, _mm256_set1_epi8('a'));
    __m256i small = _mm256_cmpeq_epi8(_mm256_min_epu8(value, _mm256_set1_epi8(5)), value);
    return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(digits, small));
}
V_FN __m256i avx2_zeros(__m256i v, uint32_t bits) {
    __m256i byte =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201);
    __m256i of = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), byte), bit);
    return _mm256_blendv_epi8(v, _mm256_set1_epi8('0'), _mm256_cmpeq_epi8(of, bit));
}
V_FN __m256i avx2_stir(__m256i lanes, __m256i v, __m256i keys) {
    __m256i x = _mm256_xor_si256(v, keys);
    __m256i product = _mm256_mul_epu32(x, _mm256_srli_epi64(x, 32));
    __m256i beside = _mm256_shuffle_epi32(v, 0x4e);
    return _mm256_add_epi64(lanes, _mm256_add_epi64(product, beside));
}
V_FN uint64_t avx2_finish(__m256i lanes, size_t n) {
    uint64_t all[4];
    _mm256_storeu_si256((void *)all, lanes);
    return masked_finish(all, n);
}
#define PASS                   pass_avx2
#define PASS_NAME(name)        avx2_pass_##name
#define V                      __m256i
#define V_LANES                __m256i
#define v_load                 avx2_load
#define v_store(p, v)          _mm256_storeu_si256((void *)(p), v)
#define v_lines(v)             (uint32_t) _mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('\n')))
#define v_digits               avx2_digits
#define v_mask(v, digits)      _mm256_blendv_epi8(v, _mm256_set1_epi8('0'), digits)
#define v_first(v, n)          _mm256_and_si256(v, avx2_load(keep + MASKED_BEYOND - (n)))
#define v_crosses              avx2_crosses
#define v_hex                  avx2_hex
#define v_zeros                avx2_zeros
#define v_differ               _mm256_xor_si256
#define v_or                   _mm256_or_si256
#define v_none(v)              _mm256_testz_si256(v, v)
#define v_zero                 _mm256_setzero_si256
#define v_keys()               avx2_load(masked_keys)
#define v_stir(lanes, v, keys) (lanes = avx2_stir(lanes, v, keys))
#define v_step(keys)           (keys = _mm256_add_epi64(keys, _mm256_set1_epi64x((long long)MASKED_STEP)))
#define v_finish               avx2_finish
#include "match/pass_body.h"

#elif defined(__aarch64__)

#define V_TARGET
#define V_FN                   static inline __attribute__((always_inline))
struct neon_pair {
    uint8x16_t a, b;
};
V_FN struct neon_pair neon_load(const void *p) {
    const uint8_t *from = p;
    return (struct neon_pair){vld1q_u8(from), vld1q_u8(from + 16)};
}
V_FN void neon_store(void *p, struct neon_pair v) {
    uint8_t *to = p;
    vst1q_u8(to, v.a);
    vst1q_u8(to + 16, v.b);
}
V_FN struct neon_pair neon_zero(void) {
    return (struct neon_pair){vdupq_n_u8(0), vdupq_n_u8(0)};
}
static const uint8_t neon_weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
V_FN uint32_t neon_half(uint8x16_t v) {
    uint8x16_t bits = vandq_u8(v, vld1q_u8(neon_weights));
    return vaddv_u8(vget_low_u8(bits)) | (uint32_t)vaddv_u8(vget_high_u8(bits)) << 8;
}
V_FN uint32_t neon_bits(uint8x16_t a, uint8x16_t b) {
    if (vmaxvq_u8(vorrq_u8(a, b)) == 0) return 0;
    return neon_half(a) | neon_half(b) << 16;
}
V_FN uint32_t neon_lines(struct neon_pair v) {
    uint8x16_t lf = vdupq_n_u8('\n');
    return neon_bits(vceqq_u8(v.a, lf), vceqq_u8(v.b, lf));
}
V_FN uint8x16_t neon_digits_half(uint8x16_t v) {
    return vcltq_u8(vsubq_u8(v, vdupq_n_u8('0')), vdupq_n_u8(10));
}
V_FN struct neon_pair neon_digits(struct neon_pair v) {
    return (struct neon_pair){neon_digits_half(v.a), neon_digits_half(v.b)};
}
V_FN struct neon_pair neon_mask(struct neon_pair v, struct neon_pair digits) {
    uint8x16_t zero = vdupq_n_u8('0');
    return (struct neon_pair){vbslq_u8(digits.a, zero, v.a), vbslq_u8(digits.b, zero, v.b)};
}
V_FN uint32_t neon_crosses(struct neon_pair digits, const char *p) {
    struct neon_pair next = neon_load(p);
    uint8x16_t x = vdupq_n_u8('x');
    return neon_bits(vandq_u8(digits.a, vceqq_u8(next.a, x)),
                     vandq_u8(digits.b, vceqq_u8(next.b, x)));
}
V_FN uint8x16_t neon_hex_half(uint8x16_t v, uint8x16_t digits) {
    return vorrq_u8(digits, vcltq_u8(vsubq_u8(v, vdupq_n_u8('a')), vdupq_n_u8(6)));
}
V_FN uint32_t neon_hex(struct neon_pair v, struct neon_pair digits) {
    return neon_bits(neon_hex_half(v.a, digits.a), neon_hex_half(v.b, digits.b));
}
V_FN uint8x16_t neon_zeros_half(uint8x16_t v, uint32_t bits) {
    uint8x16_t of = vcombine_u8(vdup_n_u8((uint8_t)bits), vdup_n_u8((uint8_t)(bits >> 8)));
    return vbslq_u8(vtstq_u8(of, vld1q_u8(neon_weights)), vdupq_n_u8('0'), v);
}
V_FN struct neon_pair neon_zeros(struct neon_pair v, uint32_t bits) {
    return (struct neon_pair){neon_zeros_half(v.a, bits), neon_zeros_half(v.b, bits >> 16)};
}
V_FN struct neon_pair neon_first(struct neon_pair v, size_t n) {
    struct neon_pair kept = neon_load(keep + MASKED_BEYOND - n);
    return (struct neon_pair){vandq_u8(v.a, kept.a), vandq_u8(v.b, kept.b)};
}
V_FN struct neon_pair neon_differ(struct neon_pair v, struct neon_pair w) {
    return (struct neon_pair){veorq_u8(v.a, w.a), veorq_u8(v.b, w.b)};
}
V_FN struct neon_pair neon_or(struct neon_pair v, struct neon_pair w) {
    return (struct neon_pair){vorrq_u8(v.a, w.a), vorrq_u8(v.b, w.b)};
}
V_FN bool neon_none(struct neon_pair v) {
    return vmaxvq_u8(vorrq_u8(v.a, v.b)) == 0;
}
V_FN uint8x16_t neon_stir_half(uint8x16_t lanes, uint8x16_t v, uint8x16_t keys) {
    uint64x2_t word = vreinterpretq_u64_u8(v), x = veorq_u64(word, vreinterpretq_u64_u8(keys));
    uint64x2_t sum = vaddq_u64(vreinterpretq_u64_u8(lanes), vextq_u64(word, word, 1));
    return vreinterpretq_u8_u64(vmlal_u32(sum, vmovn_u64(x), vshrn_n_u64(x, 32)));
}
V_FN struct neon_pair neon_stir(struct neon_pair lanes, struct neon_pair v, struct neon_pair keys) {
    return (struct neon_pair){neon_stir_half(lanes.a, v.a, keys.a),
                              neon_stir_half(lanes.b, v.b, keys.b)};
}
V_FN uint8x16_t neon_step_half(uint8x16_t keys) {
    return vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(keys), vdupq_n_u64(MASKED_STEP)));
}
V_FN uint64_t neon_finish(struct neon_pair lanes, size_t n) {
    uint64_t all[4];
    vst1q_u8((uint8_t *)all, lanes.a);
    vst1q_u8((uint8_t *)(all + 2), lanes.b);
    return masked_finish(all, n);
}
#define PASS                   pass_neon
#define PASS_NAME(name)        neon_pass_##name
#define V                      struct neon_pair
#define V_LANES                struct neon_pair
#define v_load                 neon_load
#define v_store                neon_store
#define v_lines                neon_lines
#define v_digits               neon_digits
#define v_mask                 neon_mask
#define v_first                neon_first
#define v_crosses              neon_crosses
#define v_hex                  neon_hex
#define v_zeros                neon_zeros
#define v_differ               neon_differ
#define v_or                   neon_or
#define v_none                 neon_none
#define v_zero                 neon_zero
#define v_keys()               neon_load(masked_keys)
#define v_stir(lanes, v, keys) (lanes = neon_stir(lanes, v, keys))
#define v_step(keys)           (keys = (struct neon_pair){neon_step_half(keys.a), neon_step_half(keys.b)})
#define v_finish               neon_finish
#include "match/pass_body.h"

#endif
