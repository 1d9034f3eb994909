// SPDX-License-Identifier: Apache-2.0
// SQLite's own file calls, told to somebody before and after they are made: tests record them, and
// make any of them fail.
#ifndef DBRESCUE_CWATCHEDVFS_H
#define DBRESCUE_CWATCHEDVFS_H

#include <stdint.h>

/// What SQLite does to a file.
enum watched_operation {
  watched_open,
  watched_read,
  watched_write,
  watched_truncate,
  watched_sync,
  watched_delete,
  watched_sync_folder,
  /// Asking: locks, sizes, whether a file is there.
  watched_other
};

/// One call: its file by name and number, and what it writes.
struct watched_call {
  enum watched_operation operation;
  const char *path;
  uint64_t file;
  /// Whether an opened file may be made.
  int creates;
  int64_t offset;
  const void *bytes;
  int64_t count;
};

/// Told of a call before it is made; what it returns other than 0 is the errno to fail with.
typedef int (*watched_before)(const struct watched_call *call);
/// Told of a call that has succeeded.
typedef void (*watched_after)(const struct watched_call *call);

/// Puts itself in the place of SQLite's default VFS, for connections that are opened from now on.
///
/// Returns SQLite's result code. May be called once.
int watched_vfs_register(watched_before before, watched_after after);

#endif
