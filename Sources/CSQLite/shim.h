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
static const int dbrescue_corrupt_virtual_table = SQLITE_CORRUPT_VTAB;
static const int dbrescue_ioerr_delete = SQLITE_IOERR_DELETE;
static const int dbrescue_ioerr_read = SQLITE_IOERR_READ;
static const int dbrescue_ioerr_short_read = SQLITE_IOERR_SHORT_READ;

// A module in the place of one that is not there: its tables can be declared, and nothing else.

static inline int dbrescue_stand_in_connect(
    sqlite3 *db, void *context, int count, const char *const *arguments, sqlite3_vtab **table,
    char **message) {
  (void)context; (void)count; (void)arguments; (void)message;
  int result = sqlite3_declare_vtab(db, "CREATE TABLE stand_in (value)");
  if (result != SQLITE_OK) return result;
  *table = (sqlite3_vtab *)sqlite3_malloc(sizeof(sqlite3_vtab));
  if (*table == 0) return SQLITE_NOMEM;
  (*table)->pModule = 0;
  (*table)->nRef = 0;
  (*table)->zErrMsg = 0;
  return SQLITE_OK;
}

static inline int dbrescue_stand_in_plan(sqlite3_vtab *table, sqlite3_index_info *plan) {
  (void)table; (void)plan;
  return SQLITE_ERROR;
}

static inline int dbrescue_stand_in_disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

static inline int dbrescue_stand_in_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  (void)table; (void)cursor;
  return SQLITE_ERROR;
}

/// Puts a module that does nothing in the place of the one with this name.
static inline int dbrescue_stand_in_module(sqlite3 *db, const char *name) {
  static const sqlite3_module module = {
      .iVersion = 1,
      .xCreate = dbrescue_stand_in_connect,
      .xConnect = dbrescue_stand_in_connect,
      .xBestIndex = dbrescue_stand_in_plan,
      .xDisconnect = dbrescue_stand_in_disconnect,
      .xDestroy = dbrescue_stand_in_disconnect,
      .xOpen = dbrescue_stand_in_open,
  };
  return sqlite3_create_module(db, name, &module, 0);
}

#endif
