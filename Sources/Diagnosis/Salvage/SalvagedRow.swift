// SPDX-License-Identifier: Apache-2.0
// One row that was found, and how sure it is whose it is.

package import SQLiteFormat

/// Why a row is set aside instead of being placed in its table.
package enum Doubt: Hashable, Sendable {
  /// The row's page hangs in the tree, but its rowid does not belong there.
  case misplaced
  /// No tree leads to the row's page; the tables that it can belong to.
  case orphan(candidates: [Name])
  /// An index that knows every row of its table does not know this one, or has another in its
  /// stead.
  case contradicted
  /// The row's page is damaged, and nothing in it proves that the row was not deleted.
  case unproven
  /// The row reaches into a sector of its file that was lost: it is nothing but one byte, or one of
  /// another page or time.
  case torn
  /// Bytes may have been put into the row, or left out of it.
  case joined
  /// A byte of the row may stand in the place of another one, since the file was sent as text.
  case replaced
  /// The row can be read, and something is wrong with its overflow chain.
  case chain(ChainDoubt)
  /// The row's table is known by name only: its statement cannot be parsed.
  case shapeUnknown
  /// The record has more fields than the table has columns, or a value where the rowid stands.
  case unfit
  /// The fresh schema has no such table.
  case tableNotWanted
  /// A row with the same key and other values is already there.
  case keyTaken
  /// The row breaks a constraint of the fresh schema, in SQLite's words.
  case constraint(String)
  /// SQLite cannot keep a text of the row as it is in the encoding of the fresh database.
  case encoding(TextEncoding)
  /// The row lies only in a copy of its page that is not part of the database.
  case replica(PageReplica.Source)

  /// Whether a survey counts the row's cell among those that cannot be read.
  package var isOfLostCell: Bool {
    switch self {
    case .chain(.overwritten), .chain(.inferred), .chain(.disputed): true
    default: false
    }
  }

  /// The doubt in one word that does not change from version to version, for queries.
  package var word: String {
    switch self {
    case .misplaced: "misplaced"
    case .orphan: "orphan"
    case .contradicted: "contradicted"
    case .unproven: "unproven"
    case .torn: "torn"
    case .joined: "joined"
    case .replaced: "replaced"
    case .chain(let doubt): doubt.word
    case .shapeUnknown: "shape-unknown"
    case .unfit: "unfit"
    case .tableNotWanted: "table-not-wanted"
    case .keyTaken: "key-taken"
    case .constraint: "constraint"
    case .encoding: "encoding"
    case .replica(let source): source.word
    }
  }

  /// Whether it is the fresh schema that has no place for the row, and nothing is wrong with it.
  package var isOfSchema: Bool {
    switch self {
    case .tableNotWanted, .constraint, .encoding: true
    default: false
    }
  }

  /// The doubt in words; no part of a row.
  package var description: String {
    switch self {
    case .misplaced: "the rowid does not belong on its page"
    case .orphan(let candidates):
      candidates.isEmpty
        ? "no table leads to its page"
        : "no table leads to its page; by its form it can be of "
          + candidates.prefix(8).joined(separator: ", ")
    case .contradicted: "an index of its table contradicts it"
    case .unproven: "its page is damaged: it may be a deleted row"
    case .torn: "it reaches into a sector of its file that was lost"
    case .joined: "bytes of the file are missing or were put in where it lies, or inside it"
    case .replaced: "a byte of it may have been another one before the file was sent as text"
    case .chain(let doubt): doubt.words
    case .shapeUnknown: "the columns of its table are not known"
    case .unfit: "the record does not fit the columns of its table"
    case .tableNotWanted: "the fresh schema has no such table"
    case .keyTaken: "another row has the same key"
    case .constraint(let message): "the fresh schema refuses it: \(message)"
    case .encoding(let encoding):
      "a text of it is not valid, and the fresh database cannot keep it as it is in \(encoding.name)"
    case .replica(let source): "only in \(source.words)"
    }
  }
}

/// What speaks against a row whose overflow chain can be followed.
package enum ChainDoubt: Hashable, Sendable {
  /// Another row leads to the same pages, and nothing tells whose they are.
  case shared
  /// A link inside the chain is wrong: there is only one way for it to go on, but the page with
  /// the link may be damaged as a whole.
  case inferred
  /// One of its pages is nothing but zeros, in a file where pages were lost.
  case zeroed
  /// One of its pages was damaged in the log, as the checksum of its frame proves.
  case damaged
  /// The pointer map has a page of it in another chain.
  case disputed
  /// A sector in the midst of a text is blank, or holds what is no text.
  case overwritten

  fileprivate var word: String {
    switch self {
    case .shared: "shared-chain"
    case .inferred: "inferred-chain"
    case .zeroed: "zeroed-chain"
    case .damaged: "damaged-chain"
    case .disputed: "disputed-chain"
    case .overwritten: "overwritten-chain"
    }
  }

  fileprivate var words: String {
    switch self {
    case .shared: "another row leads to its overflow pages too"
    case .inferred: "a link between its overflow pages is broken: where it led is inferred"
    case .zeroed: "an overflow page of it is nothing but zeros"
    case .disputed: "the pointer map has an overflow page of it in another row"
    case .overwritten:
      "a sector of it or of its overflow pages is blank, or is no text, in the midst of a text"
    case .damaged: "an overflow page of it was damaged in the log, as its checksum proves"
    }
  }
}

extension PageReplica.Source {
  /// Where the copy lies, in one word.
  fileprivate var word: String {
    switch self {
    case .main: "older-page"
    case .journal: "journal-page"
    case .unprovenRecord: "unproven-record"
    case .olderFrame: "older-frame"
    case .supersededFrame: "superseded-frame"
    case .uncommittedFrame: "uncommitted-frame"
    case .unverifiedFrame: "unverified-frame"
    }
  }

  /// Where the copy lies and how old it is, for people; frames and records are counted from 1.
  fileprivate var words: String {
    switch self {
    case .main: "the database file under its journals: older"
    case .journal(let record): "the rollback journal, record \(record + 1): before the last change"
    case .unprovenRecord(let offset):
      "the rollback journal, the page at byte \(offset), whose record does not hold"
    case .olderFrame(let index):
      "the write-ahead log, frame \(index + 1), left from before the log began anew: older"
    case .supersededFrame(let index):
      "the write-ahead log, frame \(index + 1), superseded by a later one: older"
    case .uncommittedFrame(let index):
      "the write-ahead log, frame \(index + 1), of a transaction whose end is missing"
    case .unverifiedFrame(let index):
      "the write-ahead log, frame \(index + 1), that nothing vouches for"
    }
  }
}

/// One thing that a salvage met in the file.
package enum SalvagedItem: Sendable {
  /// A row in its place in the tree of its table.
  case row(table: Name, StoredRecord)
  /// A row that can be read but must not be placed; its table where that is known.
  case doubtful(table: Name?, StoredRecord, Doubt)
  /// A row of which only a part can be read: it is lost, and the part is not; its table where that is
  /// known.
  case partial(table: Name?, PartialRow)
}
