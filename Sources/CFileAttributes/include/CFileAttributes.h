// SPDX-License-Identifier: Apache-2.0
// Extended attributes, and other calls of the system for which Swift has no names everywhere.
#ifndef DBRESCUE_CFILEATTRIBUTES_H
#define DBRESCUE_CFILEATTRIBUTES_H

/// Gives a file every extended attribute that another has and that this user may set.
///
/// Returns 0, or -1 with `errno` set; a file system that knows no attributes is no error.
int dbrescue_copy_extended_attributes(const char *path, const char *other);

/// Tells when a file was made, in seconds since 1970; 0 where nobody keeps that. Follows links.
///
/// Returns 0, or -1 with `errno` set.
int dbrescue_birth_time(const char *path, double *seconds);

/// Tells the kind of file system that a file lies on: its magic number on Linux; elsewhere 0 for one
/// of this machine and 1 for one of another. Follows links.
///
/// Returns 0, or -1 with `errno` set.
int dbrescue_file_system(const char *path, unsigned long *kind);

/// Takes room on the disk for so many bytes behind the end of an open file, without making it longer;
/// nothing is done where the file system cannot.
///
/// Returns 0, or -1 with `errno` set.
int dbrescue_reserve(int file, long long end, long long count);

/// Has processes become children of this one, or not any more, whose parents have ended and that it
/// or its children have started: on Linux; elsewhere nothing is done.
///
/// Returns 0, or -1 with `errno` set.
int dbrescue_adopt_orphans(int adopts);

#endif
