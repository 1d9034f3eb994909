// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4) by the instructions that x86 and ARM have for it, four rounds at a time.

#include "CDigest.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

bool dbrescue_sha256_is_supported(void) {
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_SSE4_1)) return false;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_SHA);
}

__attribute__((target("sha,sse4.1"))) void dbrescue_sha256_compress(
    uint32_t *words, const uint8_t *bytes, size_t blocks, const uint32_t *round_constants) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  // The instructions want the words as ABEF and CDGH, A in the highest lane.
  __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)words), 0xB1);
  __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(words + 4)), 0x1B);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xF0);

  for (; blocks > 0; blocks--, bytes += 64) {
    const __m128i old_abef = abef, old_cdgh = cdgh;
    __m128i schedule[4];
#pragma clang loop unroll(full)
    for (int group = 0; group < 16; group++) {
      __m128i next;
      if (group < 4) {
        next = _mm_loadu_si128((const __m128i *)(bytes + 16 * group));
        next = _mm_shuffle_epi8(next, big_endian);
      } else {
        const __m128i last = schedule[(group + 3) & 3];
        next = _mm_sha256msg1_epu32(schedule[group & 3], schedule[(group + 1) & 3]);
        next = _mm_add_epi32(next, _mm_alignr_epi8(last, schedule[(group + 2) & 3], 4));
        next = _mm_sha256msg2_epu32(next, last);
      }
      schedule[group & 3] = next;
      const __m128i constants = _mm_loadu_si128((const __m128i *)(round_constants + 4 * group));
      const __m128i sum = _mm_add_epi32(next, constants);
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, old_abef);
    cdgh = _mm_add_epi32(cdgh, old_cdgh);
  }

  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)words, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128((__m128i *)(words + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_SHA2)

#include <arm_neon.h>

bool dbrescue_sha256_is_supported(void) { return true; }

void dbrescue_sha256_compress(
    uint32_t *words, const uint8_t *bytes, size_t blocks, const uint32_t *round_constants) {
  uint32x4_t abcd = vld1q_u32(words), efgh = vld1q_u32(words + 4);

  for (; blocks > 0; blocks--, bytes += 64) {
    const uint32x4_t old_abcd = abcd, old_efgh = efgh;
    uint32x4_t schedule[4];
#pragma clang loop unroll(full)
    for (int group = 0; group < 16; group++) {
      uint32x4_t next;
      if (group < 4) {
        next = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 16 * group)));
      } else {
        next = vsha256su0q_u32(schedule[group & 3], schedule[(group + 1) & 3]);
        next = vsha256su1q_u32(next, schedule[(group + 2) & 3], schedule[(group + 3) & 3]);
      }
      schedule[group & 3] = next;
      const uint32x4_t sum = vaddq_u32(next, vld1q_u32(round_constants + 4 * group));
      const uint32x4_t before = abcd;
      abcd = vsha256hq_u32(abcd, efgh, sum);
      efgh = vsha256h2q_u32(efgh, before, sum);
    }
    abcd = vaddq_u32(abcd, old_abcd);
    efgh = vaddq_u32(efgh, old_efgh);
  }

  vst1q_u32(words, abcd);
  vst1q_u32(words + 4, efgh);
}

#else

bool dbrescue_sha256_is_supported(void) { return false; }

void dbrescue_sha256_compress(
    uint32_t *words, const uint8_t *bytes, size_t blocks, const uint32_t *round_constants) {}

#endif
