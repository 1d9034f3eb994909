// SPDX-License-Identifier: Apache-2.0
// zlib, and the initialisers that it offers only as macros.
#ifndef DBRESCUE_CZLIB_SHIM_H
#define DBRESCUE_CZLIB_SHIM_H

#include <zlib.h>

/// Prepares a raw deflate stream (no zlib or gzip wrapper), with the largest tables that zlib has:
/// faster, and a little smaller.
static inline int dbrescue_deflate_init_raw(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY);
}

/// Prepares a raw inflate stream (no zlib or gzip wrapper).
static inline int dbrescue_inflate_init_raw(z_stream *stream) {
  return inflateInit2(stream, -MAX_WBITS);
}

#endif
