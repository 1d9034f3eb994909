// SPDX-License-Identifier: Apache-2.0
// How the bytes of a file set are read: cut into which pages, as they lie or as they were, with the
// head believed or not.

import SQLiteFormat

/// One way to read a file set.
struct SurveyReading {
  /// The files.
  var files: FileSet
  /// What the main file is.
  let kind: FileKind
  /// How the database is cut into pages.
  var decision: GeometryDecision
  /// What a transfer as text did to the file.
  let transfer: TextTransfer?
  /// Who reads the SQL of the schema.
  let parser: any SchemaParsing
  /// What is known from outside.
  let known: OutsideKnowledge
  /// The databases that lie in the file beside this one.
  let neighbours: [Neighbour]
  /// The first page that moved.
  var firstMovedPage: PageNumber?
  /// Whether the header and the schema are those of this database.
  var believesHead = true
  /// Pages in use that no tree of the schema table leads to: it has lost rows.
  var strays: Set<PageNumber> = []
  /// What lies in the place of the database file, of which then no page is read; nil where it is the
  /// database.
  var standIn: FileKind?
  /// At which byte of the file its log begins that was attached to it; nil for none.
  var startOfAttachedLog: Int?
}
