// SPDX-License-Identifier: Apache-2.0
// What is said about the program as a whole.

import DatabaseRescue

/// The program as a whole.
enum Program {
  /// What it is called by.
  static let name = "dbrescue"
  /// The version, by semantic versioning.
  static let version = Rescue.version
  /// The day of the version, as the man page wants it; the newest heading of `CHANGELOG.md` has it too.
  static let date = "December 1, 2026"
  /// What it is for: a phrase in lower case without a full stop.
  static let summary = "find what is wrong with an SQLite database, and bring its data back"
  /// What else there is to know: paragraphs.
  static let description = [
    """
    dbrescue says what is wrong with an SQLite database file, protects it before a migration, and \
    brings the data back when something broke. Files that are only looked at are never changed: \
    they are opened for reading, and not by SQLite.
    """,
    """
    Whatever changes a database keeps the old files first, says where they are, and prints the \
    command that brings them back. Every run ends with a support code; 'dbrescue explain CODE' \
    tells what it stands for.
    """,
    """
    The result goes to standard output, everything else to standard error. When standard output \
    is closed early, the rest of the result is dropped without a word, the work goes on, and the \
    exit status tells how the work went. Nothing is asked unless somebody sits at a terminal.
    """,
  ]
  /// Command lines to begin with.
  static let examples = ([.check, .diagnose, .recover, .backup, .guarded] as [Command]).compactMap(
    \.examples.first)
  /// The environment variables that matter: name and meaning.
  static let environment = [
    ("DBRESCUE_LOG", "the file of the run log"),
    ("XDG_STATE_HOME", "the folder that holds dbrescue/runs.jsonl, the run log, otherwise"),
    ("NO_COLOR", "no colours if it is set to anything but nothing; --color wins"),
    ("TERM", "no colours and no progress if it is 'dumb'"),
  ]
}
