// SPDX-License-Identifier: Apache-2.0
// The layout of the quarantine file. Its comments are part of the file: `.schema` shows them.

extension QuarantineDatabase {
  /// The statements that make the tables.
  static let schema = """
    CREATE TABLE meta (
      -- What this file is and how it came about: tool, version, layout, support_code, created,
      -- input.N (name and SHA-256), schema_source, encoding, evidence.N (by what the schema is
      -- known, and whose lost pages are), backup.N (a backup whose rows were merged in).
      key TEXT PRIMARY KEY,
      value TEXT
    ) WITHOUT ROWID;
    CREATE TABLE rows (
      -- Rows that can be read whole, but were not placed in a table of the fresh database.
      "number" INTEGER PRIMARY KEY,
      "table" TEXT,      -- the table; NULL where it is not known
      "rowid" INTEGER,   -- the row's rowid; NULL in tables without
      "source" TEXT,     -- the file that holds its bytes: main, wal, journal, or a backup by name;
      -- of a merge, the input by name, and which of its files where that is known
      "page" INTEGER,    -- the page of the database that they are, from 1
      "offset" INTEGER,  -- where the row's cell starts in the page
      "reason" TEXT,     -- why it was not placed, in one word
      "evidence" TEXT,   -- what is known of it, in words
      "nfield" INTEGER   -- how many values its record has: c0, c1, … with their types,
      -- in the order of the record; the column that is the rowid is NULL there. A text that this
      -- file's encoding cannot keep as it is is a blob of its bytes, here and in all tables
    );
    CREATE INDEX rows_by_rowid ON rows ("table", "rowid");
    CREATE TABLE conflicts (
      -- Rows that the fresh schema refused; the columns are those of rows.
      "number" INTEGER PRIMARY KEY,
      "table" TEXT,
      "rowid" INTEGER,
      "source" TEXT,
      "page" INTEGER,
      "offset" INTEGER,
      "reason" TEXT,     -- key-taken: a row with this key is there already; constraint: any other;
      -- encoding: a text of it is not valid, and would be another one; parent-aside: what it refers
      -- to was set aside; not-merged: its table cannot be merged
      "evidence" TEXT,   -- for a constraint, what SQLite says
      "nfield" INTEGER
    );
    CREATE INDEX conflicts_by_rowid ON conflicts ("table", "rowid");
    CREATE TABLE partial_rows (
      -- What is left of rows that are lost: one row here for each.
      "number" INTEGER PRIMARY KEY,
      "table" TEXT,
      "rowid" INTEGER,
      "source" TEXT,
      "page" INTEGER,    -- the page of the cell, or of the first index entry
      "offset" INTEGER,
      "reason" TEXT,     -- broken-chain: the start of the row; index-entry: its keys in indexes
      "evidence" TEXT,
      "witnesses" TEXT,  -- the indexes that hold an entry for the row
      "known" TEXT,      -- which of c0, c1, … are known, such as 0,2; the others are NULL here
      -- and lost
      "cut" INTEGER,     -- in which value, counted as in known, the row breaks off
      "beginning",       -- what is left of that value: the beginning of a text or blob
      "nfield" INTEGER   -- how many values the whole record had; NULL where that is not known
    );
    CREATE INDEX partial_rows_by_rowid ON partial_rows ("table", "rowid");
    CREATE TABLE left_out (
      -- Values of rows that are in the fresh database, for which that has no column, one that it
      -- computes, or one whose type changes them: '007' is 7 in a column of integers.
      "number" INTEGER PRIMARY KEY,
      "table" TEXT,
      "rowid" INTEGER,
      "source" TEXT,
      "page" INTEGER,
      "offset" INTEGER,
      "columns" TEXT,    -- the columns without a place in the fresh schema, or with another type there
      "known" TEXT       -- which of c0, c1, … are given: their values, and the key of a table
      -- without rowids
    );
    CREATE TABLE pages (
      -- Pages that no row was read from and that may hold some; their bytes are in the input.
      "number" INTEGER PRIMARY KEY,
      "page" INTEGER,
      "source" TEXT,     -- the file that holds it; NULL where none does
      "file_offset" INTEGER,
      "size" INTEGER,    -- how many of its bytes are there
      "kind" TEXT,       -- what it looks like
      "cells" INTEGER,   -- how many cells it says it has
      "owner_candidates" TEXT,
      "reason" TEXT,     -- unclaimed: nothing leads to it; unreadable: what leads to it finds
      -- something else
      "evidence" TEXT
    );
    CREATE TABLE origins (
      -- Rows of the fresh database that come from a backup.
      "number" INTEGER PRIMARY KEY,
      "table" TEXT,
      "first" INTEGER,   -- the first and the last rowid of a stretch; NULL in tables without
      "last" INTEGER,
      "rows" INTEGER,    -- how many rows of the stretch come from the backup
      "backup" TEXT      -- its file name; meta has its date
    );
    CREATE TABLE renumbered (
      -- Rows of a merged database that have a new key; what refers to them follows it. And numbers
      -- of rows that are not there, where what refers to them would lead to other rows.
      "number" INTEGER PRIMARY KEY,
      "table" TEXT,
      "source" TEXT,     -- the input that the row comes from
      "old" INTEGER,     -- the key that it has there
      "new" INTEGER      -- the key that it has in the merged database
    );
    """
}
