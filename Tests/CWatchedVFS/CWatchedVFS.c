// SPDX-License-Identifier: Apache-2.0
// A VFS that passes every call on to the one that was the default, and tells of it.
//
// What the system does inside one of SQLite's calls is told as calls of its own: a journal or log
// that is new has its folder synchronized with its first sync, and a deletion may have.
#include "CWatchedVFS.h"

#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

static sqlite3_vfs *base;
static sqlite3_vfs watched;
static watched_before tell_before;
static watched_after tell_after;

/// A file of ours; that of the other VFS follows in memory.
typedef struct {
  sqlite3_file own;
  const char *path;
  /// Whether the first sync makes its name durable as well.
  int syncs_folder;
} watched_file;

static sqlite3_file *real(sqlite3_file *file) {
  return (sqlite3_file *)((char *)file + sizeof(watched_file));
}

static struct watched_call call_on(sqlite3_file *file, enum watched_operation operation) {
  struct watched_call call = {0};
  call.operation = operation;
  call.path = ((watched_file *)file)->path;
  call.file = (uint64_t)(uintptr_t)file;
  return call;
}

/// The result code that SQLite's unix VFS would give for a system call that fails.
static int code(int number, int otherwise) {
  switch (number) {
  case ENOSPC: return SQLITE_FULL;
  case EACCES: return otherwise == SQLITE_CANTOPEN ? SQLITE_CANTOPEN : otherwise;
  default: return otherwise;
  }
}

#define TOLD(call, failure, made)                         \
  do {                                                    \
    int number = tell_before(&(call));                    \
    if (number != 0) return code(number, (failure));      \
    int result = (made);                                  \
    if (result == SQLITE_OK) tell_after(&(call));         \
    return result;                                        \
  } while (0)

static int w_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int w_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  struct watched_call call = call_on(file, watched_read);
  TOLD(call, SQLITE_IOERR_READ, real(file)->pMethods->xRead(real(file), bytes, count, offset));
}

static int w_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  struct watched_call call = call_on(file, watched_write);
  call.bytes = bytes;
  call.count = count;
  call.offset = offset;
  TOLD(call, SQLITE_IOERR_WRITE, real(file)->pMethods->xWrite(real(file), bytes, count, offset));
}

static int w_truncate(sqlite3_file *file, sqlite3_int64 size) {
  struct watched_call call = call_on(file, watched_truncate);
  call.count = size;
  TOLD(call, SQLITE_IOERR_TRUNCATE, real(file)->pMethods->xTruncate(real(file), size));
}

static int w_sync(sqlite3_file *file, int flags) {
  struct watched_call call = call_on(file, watched_sync);
  int number = tell_before(&call);
  if (number != 0) return code(number, SQLITE_IOERR_FSYNC);
  int result = real(file)->pMethods->xSync(real(file), flags);
  if (result != SQLITE_OK) return result;
  tell_after(&call);
  if (((watched_file *)file)->syncs_folder) {
    ((watched_file *)file)->syncs_folder = 0;
    struct watched_call folder = call_on(file, watched_sync_folder);
    tell_after(&folder);
  }
  return SQLITE_OK;
}

static int w_size(sqlite3_file *file, sqlite3_int64 *size) {
  struct watched_call call = call_on(file, watched_other);
  TOLD(call, SQLITE_IOERR_FSTAT, real(file)->pMethods->xFileSize(real(file), size));
}

static int w_lock(sqlite3_file *file, int level) {
  struct watched_call call = call_on(file, watched_other);
  TOLD(call, SQLITE_IOERR_LOCK, real(file)->pMethods->xLock(real(file), level));
}

static int w_unlock(sqlite3_file *file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}

static int w_reserved(sqlite3_file *file, int *out) {
  return real(file)->pMethods->xCheckReservedLock(real(file), out);
}

static int w_control(sqlite3_file *file, int op, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), op, argument);
}

static int w_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int w_device(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int w_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, out);
}

static int w_shm_lock(sqlite3_file *file, int offset, int n, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, n, flags);
}

static void w_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int w_shm_unmap(sqlite3_file *file, int remove) {
  return real(file)->pMethods->xShmUnmap(real(file), remove);
}

static const sqlite3_io_methods methods = {
  2, w_close, w_read, w_write, w_truncate, w_sync, w_size, w_lock, w_unlock, w_reserved, w_control,
  w_sector, w_device, w_shm_map, w_shm_lock, w_shm_barrier, w_shm_unmap, NULL, NULL,
};

static int w_open(
  sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
  (void)vfs;
  watched_file *own = (watched_file *)file;
  memset(own, 0, sizeof *own);
  own->path = path;
  int is_journal = flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL);
  own->syncs_folder = (flags & SQLITE_OPEN_CREATE) && is_journal;
  struct watched_call call = call_on(file, watched_open);
  call.creates = (flags & SQLITE_OPEN_CREATE) != 0;
  if (path != NULL) {
    int number = tell_before(&call);
    if (number != 0) return code(number, SQLITE_CANTOPEN);
  }
  int result = base->xOpen(base, path, real(file), flags, out_flags);
  if (real(file)->pMethods != NULL) own->own.pMethods = &methods;
  if (result == SQLITE_OK && path != NULL) tell_after(&call);
  return result;
}

static int w_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
  (void)vfs;
  struct watched_call call = {0};
  call.operation = watched_delete;
  call.path = path;
  int number = tell_before(&call);
  if (number != 0) return code(number, SQLITE_IOERR_DELETE);
  int result = base->xDelete(base, path, syncs_folder);
  if (result != SQLITE_OK) return result;
  tell_after(&call);
  if (syncs_folder) {
    call.operation = watched_sync_folder;
    tell_after(&call);
  }
  return SQLITE_OK;
}

static int w_access(sqlite3_vfs *vfs, const char *path, int flags, int *out) {
  (void)vfs;
  return base->xAccess(base, path, flags, out);
}

static int w_full(sqlite3_vfs *vfs, const char *path, int count, char *out) {
  (void)vfs;
  return base->xFullPathname(base, path, count, out);
}

int watched_vfs_register(watched_before before, watched_after after) {
  base = sqlite3_vfs_find(NULL);
  if (base == NULL) return SQLITE_ERROR;
  tell_before = before;
  tell_after = after;
  // What is not told of is the other's own.
  watched = *base;
  watched.szOsFile = (int)sizeof(watched_file) + base->szOsFile;
  watched.zName = "watched";
  watched.pNext = NULL;
  watched.xOpen = w_open;
  watched.xDelete = w_delete;
  watched.xAccess = w_access;
  watched.xFullPathname = w_full;
  return sqlite3_vfs_register(&watched, 1);
}
