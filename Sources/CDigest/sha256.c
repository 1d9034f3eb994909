// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4) by the instructions that x86 and ARM have for it, four rounds at a time.
//
// Each round waits for the one before. Two digests of the same bytes take hardly longer than one:
// they share the schedule, and the rounds of one fill the waits of the other.

#include "CDigest.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#define USES_INSTRUCTIONS __attribute__((target("sha,sse4.1")))

bool dbrescue_sha256_is_supported(void) {
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_SSE4_1)) return false;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_SHA);
}

USES_INSTRUCTIONS __attribute__((always_inline)) static inline void compress(
    uint32_t *const *words, const int digests, const uint8_t *bytes, size_t blocks,
    const uint32_t *round_constants) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  // The instructions want the words as ABEF and CDGH, A in the highest lane.
  __m128i abef[2], cdgh[2];
  for (int digest = 0; digest < digests; digest++) {
    const __m128i *halves = (const __m128i *)words[digest];
    const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(halves), 0xB1);
    const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(halves + 1), 0x1B);
    abef[digest] = _mm_alignr_epi8(badc, hgfe, 8);
    cdgh[digest] = _mm_blend_epi16(hgfe, badc, 0xF0);
  }

  for (; blocks > 0; blocks--, bytes += 64) {
    __m128i old_abef[2], old_cdgh[2], schedule[4];
    for (int digest = 0; digest < digests; digest++) {
      old_abef[digest] = abef[digest];
      old_cdgh[digest] = cdgh[digest];
    }
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
      const __m128i later = _mm_shuffle_epi32(sum, 0x0E);
#pragma clang loop unroll(full)
      for (int digest = 0; digest < digests; digest++) {
        cdgh[digest] = _mm_sha256rnds2_epu32(cdgh[digest], abef[digest], sum);
        abef[digest] = _mm_sha256rnds2_epu32(abef[digest], cdgh[digest], later);
      }
    }
    for (int digest = 0; digest < digests; digest++) {
      abef[digest] = _mm_add_epi32(abef[digest], old_abef[digest]);
      cdgh[digest] = _mm_add_epi32(cdgh[digest], old_cdgh[digest]);
    }
  }

  for (int digest = 0; digest < digests; digest++) {
    __m128i *halves = (__m128i *)words[digest];
    const __m128i feba = _mm_shuffle_epi32(abef[digest], 0x1B);
    const __m128i dchg = _mm_shuffle_epi32(cdgh[digest], 0xB1);
    _mm_storeu_si128(halves, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128(halves + 1, _mm_alignr_epi8(dchg, feba, 8));
  }
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_SHA2)

#include <arm_neon.h>

#define USES_INSTRUCTIONS

bool dbrescue_sha256_is_supported(void) { return true; }

__attribute__((always_inline)) static inline void compress(
    uint32_t *const *words, const int digests, const uint8_t *bytes, size_t blocks,
    const uint32_t *round_constants) {
  uint32x4_t abcd[2], efgh[2];
  for (int digest = 0; digest < digests; digest++) {
    abcd[digest] = vld1q_u32(words[digest]);
    efgh[digest] = vld1q_u32(words[digest] + 4);
  }

  for (; blocks > 0; blocks--, bytes += 64) {
    uint32x4_t old_abcd[2], old_efgh[2], schedule[4];
    for (int digest = 0; digest < digests; digest++) {
      old_abcd[digest] = abcd[digest];
      old_efgh[digest] = efgh[digest];
    }
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
#pragma clang loop unroll(full)
      for (int digest = 0; digest < digests; digest++) {
        const uint32x4_t before = abcd[digest];
        abcd[digest] = vsha256hq_u32(abcd[digest], efgh[digest], sum);
        efgh[digest] = vsha256h2q_u32(efgh[digest], before, sum);
      }
    }
    for (int digest = 0; digest < digests; digest++) {
      abcd[digest] = vaddq_u32(abcd[digest], old_abcd[digest]);
      efgh[digest] = vaddq_u32(efgh[digest], old_efgh[digest]);
    }
  }

  for (int digest = 0; digest < digests; digest++) {
    vst1q_u32(words[digest], abcd[digest]);
    vst1q_u32(words[digest] + 4, efgh[digest]);
  }
}

#else

#define USES_INSTRUCTIONS

bool dbrescue_sha256_is_supported(void) { return false; }

static inline void compress(
    uint32_t *const *words, const int digests, const uint8_t *bytes, size_t blocks,
    const uint32_t *round_constants) {}

#endif

USES_INSTRUCTIONS void dbrescue_sha256_compress(
    uint32_t *words, const uint8_t *bytes, size_t blocks, const uint32_t *round_constants) {
  compress(&words, 1, bytes, blocks, round_constants);
}

USES_INSTRUCTIONS void dbrescue_sha256_compress_two(
    uint32_t *words, uint32_t *other_words, const uint8_t *bytes, size_t blocks,
    const uint32_t *round_constants) {
  uint32_t *const both[2] = {words, other_words};
  compress(both, 2, bytes, blocks, round_constants);
}
