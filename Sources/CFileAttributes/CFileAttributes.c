// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CFileAttributes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/xattr.h>

#ifdef __APPLE__
static ssize_t list(const char *path, char *names, size_t size) {
  return listxattr(path, names, size, 0);
}
static ssize_t get(const char *path, const char *name, void *value, size_t size) {
  return getxattr(path, name, value, size, 0, 0);
}
static int set(const char *path, const char *name, const void *value, size_t size) {
  return setxattr(path, name, value, size, 0, 0);
}
#else
static ssize_t list(const char *path, char *names, size_t size) {
  return listxattr(path, names, size);
}
static ssize_t get(const char *path, const char *name, void *value, size_t size) {
  return getxattr(path, name, value, size);
}
static int set(const char *path, const char *name, const void *value, size_t size) {
  return setxattr(path, name, value, size, 0);
}
#endif

/// Whether an attribute is one that the system keeps for itself, or that nobody has here.
static int is_beyond_reach(void) {
  return errno == EPERM || errno == EACCES || errno == ENOTSUP || errno == EOPNOTSUPP;
}

static int copy(const char *path, const char *other, const char *name) {
  ssize_t size = get(path, name, NULL, 0);
  if (size < 0) return is_beyond_reach() ? 0 : -1;
  void *value = malloc(size > 0 ? (size_t)size : 1);
  if (value == NULL) return -1;
  ssize_t got = get(path, name, value, (size_t)size);
  int result = got < 0 ? -1 : set(other, name, value, (size_t)got);
  free(value);
  return result == 0 || is_beyond_reach() ? 0 : -1;
}

int dbrescue_copy_extended_attributes(const char *path, const char *other) {
  ssize_t size = list(path, NULL, 0);
  if (size <= 0) return size == 0 || is_beyond_reach() ? 0 : -1;
  char *names = malloc((size_t)size);
  if (names == NULL) return -1;
  ssize_t got = list(path, names, (size_t)size);
  int result = got < 0 ? -1 : 0;
  for (char *name = names; result == 0 && name < names + got; name += strlen(name) + 1) {
    result = copy(path, other, name);
  }
  free(names);
  return result;
}

#ifdef __APPLE__
#include <sys/stat.h>

int dbrescue_birth_time(const char *path, double *seconds) {
  struct stat status;
  if (stat(path, &status) != 0) return -1;
  *seconds = status.st_birthtimespec.tv_sec + status.st_birthtimespec.tv_nsec / 1e9;
  return 0;
}
#else
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

int dbrescue_birth_time(const char *path, double *seconds) {
  // What the kernel fills in, as far as it matters: not every C library declares it.
  struct {
    uint32_t mask;
    uint8_t unused[76];
    int64_t birth_seconds;
    uint32_t birth_nanoseconds;
    uint8_t rest[164];
  } status = {0};
  const unsigned int birth = 0x800;
  *seconds = 0;
  if (syscall(SYS_statx, AT_FDCWD, path, 0, birth, &status) != 0) {
    return errno == ENOSYS || errno == EPERM ? 0 : -1;
  }
  if (status.mask & birth) {
    *seconds = (double)status.birth_seconds + status.birth_nanoseconds / 1e9;
  }
  return 0;
}
#endif

#ifdef __APPLE__
#include <sys/mount.h>
#include <sys/param.h>

int dbrescue_file_system(const char *path, unsigned long *kind) {
  struct statfs status;
  if (statfs(path, &status) != 0) return -1;
  *kind = (status.f_flags & MNT_LOCAL) == 0;
  return 0;
}
#else
#include <sys/vfs.h>

int dbrescue_file_system(const char *path, unsigned long *kind) {
  struct statfs status;
  if (statfs(path, &status) != 0) return -1;
  *kind = (unsigned long)status.f_type & 0xFFFFFFFF;
  return 0;
}
#endif

/// Whether a file system was asked for something that it cannot do.
static int is_unable(void) {
  return errno == ENOTSUP || errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL;
}

#ifdef __APPLE__
int dbrescue_reserve(int file, long long end, long long count) {
  (void)end;
  fstore_t room = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, count, 0};
  return fcntl(file, F_PREALLOCATE, &room) == 0 || is_unable() ? 0 : -1;
}
#else
int dbrescue_reserve(int file, long long end, long long count) {
  const int keep_size = 1;
  return fallocate(file, keep_size, end, count) == 0 || is_unable() ? 0 : -1;
}
#endif

#ifdef __linux__
#include <sys/prctl.h>

int dbrescue_adopt_orphans(int adopts) {
  return prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)adopts, 0, 0, 0);
}
#else
int dbrescue_adopt_orphans(int adopts) {
  (void)adopts;
  return 0;
}
#endif
