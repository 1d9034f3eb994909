// SPDX-License-Identifier: Apache-2.0
// The instructions of a processor for SHA-256, which Swift has no names for.
#ifndef DBRESCUE_CDIGEST_H
#define DBRESCUE_CDIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether this processor has instructions for SHA-256; without them nothing else is to be called.
bool dbrescue_sha256_is_supported(void);

/// Takes blocks of 64 bytes into the eight words of a SHA-256.
void dbrescue_sha256_compress(
  uint32_t *words, const uint8_t *bytes, size_t blocks, const uint32_t *round_constants);

/// Takes the same blocks into two of them.
void dbrescue_sha256_compress_two(
  uint32_t *words, uint32_t *other_words, const uint8_t *bytes, size_t blocks,
  const uint32_t *round_constants);

#endif
