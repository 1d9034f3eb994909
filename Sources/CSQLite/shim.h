// SPDX-License-Identifier: Apache-2.0
// SQLite, and what Swift cannot call of it: variadic functions and macro constants.
#ifndef DBRESCUE_CSQLITE_SHIM_H
#define DBRESCUE_CSQLITE_SHIM_H

#include <sqlite3.h>

/// `sqlite3_db_config` for the options that take an int and report an int.
static inline int dbrescue_db_config_int(sqlite3 *db, int option, int value) {
  int applied = 0;
  return sqlite3_db_config(db, option, value, &applied);
}

/// Has SQLite keep no statistics of its memory, which would take a lock for each piece of it.
static inline int dbrescue_forgo_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// SQLITE_TRANSIENT: SQLite makes its own copy of a bound value.
static inline sqlite3_destructor_type dbrescue_transient(void) { return SQLITE_TRANSIENT; }

/// Extended result codes that SQLite defines as expressions.
static const int dbrescue_constraint_primarykey = SQLITE_CONSTRAINT_PRIMARYKEY;
static const int dbrescue_constraint_rowid = SQLITE_CONSTRAINT_ROWID;
static const int dbrescue_constraint_unique = SQLITE_CONSTRAINT_UNIQUE;
static const int dbrescue_ioerr_delete = SQLITE_IOERR_DELETE;
static const int dbrescue_ioerr_read = SQLITE_IOERR_READ;
static const int dbrescue_ioerr_short_read = SQLITE_IOERR_SHORT_READ;

#endif
