// SPDX-License-Identifier: Apache-2.0
// The catalogue of findings: a table (numbers, names and meanings), longer than other files.

/// The stable code of a kind of finding.
///
/// The number is part of support codes and logs: it is never reused and never
/// changes. They group by subject: from 1 identity, 20 geometry and header, 40 journals (123 to 125,
/// 127 and 128 too), 60 structure, 100 rows, 120 schema, 130 backups, 140 contract, 160 data.
package enum FindingCode: UInt8, Hashable, Sendable, CaseIterable {
  // Identity
  case empty = 1
  case notADatabase = 2
  case encrypted = 3
  case otherFormat = 4
  case journalWithoutDatabase = 5
  case allZero = 6
  case unreadableBytes = 7
  case packed = 8
  case archiveDamaged = 9

  // Geometry and header
  case headerDamaged = 20
  case geometryVoted = 21
  case geometryUndetermined = 22
  case truncated = 23
  case partialLastPage = 24
  case pageCountMismatch = 25
  case startShifted = 26
  case lineEndingsConverted = 27
  case unsupportedVersion = 28
  case pagesMoved = 29
  case databaseBeside = 30

  // Journals
  case walCommitted = 40
  case walMissing = 41
  case walDamaged = 42
  case walForeign = 43
  case hotJournal = 44
  case journalStale = 45
  case journalDamaged = 46
  case walResetPossible = 47
  case logIndexStrange = 48
  case journalForeign = 49
  case logAttached = 123
  case walInDoubt = 124
  case fileHeldApart = 125
  case sidecarDeleted = 127
  case sidecarBlocked = 128

  // Structure
  case pageDamaged = 60
  case pageLost = 61
  case pageClaimedTwice = 62
  case pageUnclaimed = 63
  case treeCycle = 64
  case treeUneven = 65
  case keyOrder = 66
  case cellDamaged = 67
  case overflowBroken = 68
  case freelistDamaged = 69
  case pointerMapMismatch = 70
  case freeSpaceDamaged = 71
  case rootLost = 72
  case orphanRows = 73
  case bytesNotRead = 74

  // Rows
  case rowsLost = 100
  case rowDoubtful = 101
  case textInvalid = 102
  case indexMismatch = 103
  case indexDamaged = 104
  case constraintBroken = 105
  case notChecked = 106
  case fullTextDamaged = 110
  case fullTextContentLost = 111
  case fullTextStale = 112
  case regionsDamaged = 113
  case virtualTableUnreadable = 114

  // Schema
  case schemaDamaged = 120
  case schemaSQLUnreadable = 121
  case schemaHostile = 122
  case headOfAnother = 126

  // Backups
  case databaseOlder = 130
  case rowsFewer = 131
  case changedUncounted = 132

  // Contract
  case versionOlder = 140
  case versionNewer = 141
  case schemaDrift = 142
  case invariantBroken = 143
  case foreignKeyBroken = 144
  case applicationMismatch = 145
  case migrationUnfinished = 146

  // Data
  case unsyncedRows = 160
  case unsyncedUnknown = 161

  /// The code as people see it, such as `DBR-F060`.
  package var name: String {
    let digits = String(rawValue)
    return "DBR-F" + String(repeating: "0", count: 3 - digits.count) + digits
  }

  /// The code of a name such as `DBR-F060`, `F060` or `60`; nil when there is none.
  package init?(name: String) {
    var text = name.uppercased()[...]
    for prefix in ["DBR-", "F"] where text.hasPrefix(prefix) {
      text = text.dropFirst(prefix.count)
    }
    guard let number = UInt8(text), let code = FindingCode(rawValue: number) else { return nil }
    self = code
  }

  /// The severity that a finding of this kind has unless it says otherwise.
  package var severity: Finding.Severity { entry.severity }

  /// The kind of finding in a few words.
  package var title: String { entry.title }

  /// What it means for the data, and what to do.
  package var meaning: String { entry.meaning }

  private struct Entry {
    let severity: Finding.Severity
    let title: String
    let meaning: String

    init(_ severity: Finding.Severity, _ title: String, _ meaning: String) {
      self.severity = severity
      self.title = title
      self.meaning = meaning
    }
  }

  private var entry: Entry {
    switch self {
    case .empty:
      Entry(
        .loss, "the file is empty",
        "there are no bytes and so no data; ask for the -wal file beside it, which may hold all")
    case .notADatabase:
      Entry(
        .loss, "not a database",
        "nothing in the file looks like SQLite; ask for the right file")
    case .encrypted:
      Entry(
        .loss, "encrypted or random",
        "the bytes look like an encrypted database; it is not damaged as far as anyone can tell "
          + "without its key")
    case .otherFormat:
      Entry(
        .loss, "another kind of file",
        "the file is something else, and is named; ask for the right file")
    case .journalWithoutDatabase:
      Entry(
        .loss, "a journal without its database",
        "the file is the -wal or -journal of a database; ask for the database file itself")
    case .allZero:
      Entry(
        .loss, "nothing but zeros, or nothing but 255",
        "the space was reserved but never written, or was wiped; no data is left in this file")
    case .unreadableBytes:
      Entry(
        .loss, "bytes that cannot be read",
        "the disk or file system did not hand out some bytes; copy the file elsewhere first")
    case .packed:
      Entry(
        .notice, "the database came in an archive",
        "it was read from a private copy; the archive is as it was")
    case .archiveDamaged:
      Entry(
        .loss, "the archive of the database is cut off or damaged",
        "the database in it may be whole where it came from; ask for the file again")
    case .headerDamaged:
      Entry(
        .damage, "the file header is damaged",
        "SQLite refuses the file, but the header holds no rows; salvage reads past it")
    case .geometryVoted:
      Entry(
        .notice, "page size inferred from the pages",
        "the header could not be believed; the pages agree among themselves on what is used")
    case .geometryUndetermined:
      Entry(
        .loss, "page size undetermined",
        "no page size fits the pages well enough; a backup or contract may decide it")
    case .truncated:
      Entry(
        .loss, "the file is cut short",
        "pages that the file should have are missing at its end; rows on them are lost")
    case .partialLastPage:
      Entry(
        .damage, "the last page is incomplete",
        "the file does not end at a page boundary; cells that lie wholly inside are still read")
    case .pageCountMismatch:
      Entry(
        .notice, "the header's page count does not fit",
        "the size of the file is used instead; no row depends on the number")
    case .startShifted:
      Entry(
        .damage, "the database does not start at byte 0",
        "something stands before it, or its beginning is missing; salvage reads what is there")
    case .lineEndingsConverted:
      Entry(
        .loss, "the file was transferred as text",
        "its bytes were changed on the way; ask for it again as a binary file")
    case .unsupportedVersion:
      Entry(
        .warning, "a newer file format version",
        "what can be read is read; the file must not be written by this tool")
    case .pagesMoved:
      Entry(
        .damage, "pages lie elsewhere than their numbers say",
        "bytes were left out of the file or put into it; SQLite reads other pages than it should, "
          + "and writes to them: do not open it")
    case .databaseBeside:
      Entry(
        .loss, "another database in the file",
        "two databases were written one behind the other; what is said is of one, and its rows are "
          + "not mixed with those of the other, which has to be read by itself")
    case .walCommitted:
      Entry(
        .notice, "committed changes in the WAL",
        "the newest transactions are in the -wal file; keep the two files together")
    case .walMissing:
      Entry(
        .notice, "WAL mode without a WAL",
        "normal after a clean close, and also what a copy without its -wal looks like: "
          + "recent commits may be missing; where a -shm proves it, find the -wal first")
    case .walDamaged:
      Entry(
        .loss, "the WAL is damaged",
        "SQLite reads it only up to the break; transactions behind it are read here as far as their "
          + "checksums prove them, and else kept apart")
    case .walForeign:
      Entry(
        .damage, "the WAL does not belong to this state of the database",
        "do not open the database: SQLite would apply it and destroy what the file holds; move the "
          + "-wal away first, and keep it")
    case .journalForeign:
      Entry(
        .damage, "the rollback journal does not belong to this state of the database",
        "do not open the database: SQLite would write it over the file; move the -journal away first, "
          + "and keep it")
    case .walInDoubt:
      Entry(
        .damage, "the WAL may not belong to this database",
        "the file is sound with it and without it, and nothing proves that the two belong together: "
          + "copy both before anything opens them")
    case .fileHeldApart:
      Entry(
        .loss, "a process has a lost file of the database open",
        "the file was deleted or moved away under it; let it run, and copy what it has committed "
          + "there with --from-process")
    case .sidecarDeleted:
      Entry(
        .damage, "SQLite would throw away what is left of the database",
        "do not open it: SQLite deletes a log beside an empty file, and empties one whose first "
          + "transaction was cut off; copy both")
    case .sidecarBlocked:
      Entry(
        .damage, "SQLite cannot use the database for what lies beside it",
        "a folder or the like has the name of one of its files: until it is moved away, no app can open "
          + "it or write to it; no row is lost")
    case .logAttached:
      Entry(
        .damage, "the log stands in the database file",
        "SQLite does not see it, and leaves out its transactions: take the two files apart again")
    case .hotJournal:
      Entry(
        .notice, "a hot rollback journal",
        "a transaction was cut off, or is open; the journal's pages are the true state and are "
          + "used")
    case .journalStale:
      Entry(
        .notice, "a journal that is not hot",
        "the journal belongs to a finished transaction and is not applied")
    case .journalDamaged:
      Entry(
        .loss, "the rollback journal is damaged",
        "an interrupted transaction cannot be undone completely")
    case .walResetPossible:
      Entry(
        .notice, "a known fault of SQLite is a possible cause",
        "SQLite 3.7.0 to 3.51.2 can lose pages when a log begins anew under a writer; 3.51.3, 3.50.7 "
          + "and 3.44.6 cannot: have the app use one")
    case .logIndexStrange:
      Entry(
        .notice, "the -shm is not that of the WAL beside it",
        "they are of two databases, or of two moments; the -shm holds no rows, and SQLite makes it "
          + "anew: see that the -wal is the right one")
    case .pageDamaged:
      Entry(
        .loss, "a page is damaged",
        "the page is not what its place demands; rows on it may be lost")
    case .pageLost:
      Entry(
        .loss, "a page is missing",
        "a tree points to a page that the file does not have; its rows are lost")
    case .pageClaimedTwice:
      Entry(
        .loss, "a page has two owners",
        "two structures point to the same page; only one can be right")
    case .pageUnclaimed:
      Entry(
        .warning, "a page belongs to nothing",
        "no tree and no free list leads to the page; it holds no rows that are known")
    case .treeCycle:
      Entry(
        .loss, "a tree runs in a circle",
        "a page points back to one above it; the walk stops there")
    case .treeUneven:
      Entry(
        .damage, "leaves at different depths",
        "SQLite never makes such a tree; a page was replaced or misdirected")
    case .keyOrder:
      Entry(
        .damage, "keys out of order",
        "SQLite may miss rows when it searches; reading every row still finds them")
    case .cellDamaged:
      Entry(
        .loss, "a cell is damaged",
        "one row cannot be read; its neighbours can")
    case .overflowBroken:
      Entry(
        .loss, "a long value is cut off",
        "the chain of pages that holds the rest of a row is broken; the row is not complete")
    case .freelistDamaged:
      Entry(
        .damage, "the free list is damaged",
        "only knowledge of free space is affected; no row depends on it")
    case .pointerMapMismatch:
      Entry(
        .damage, "the pointer map does not fit",
        "auto-vacuum bookkeeping is wrong; no row depends on it")
    case .freeSpaceDamaged:
      Entry(
        .damage, "free space inside a page is miscounted",
        "the next write could hit live rows; no row is lost yet")
    case .rootLost:
      Entry(
        .loss, "a table's first page is gone",
        "the table cannot be walked from its root; leaves without an owner may be its rows")
    case .bytesNotRead:
      Entry(
        .loss, "bytes that could not be read",
        "the disk or file system did not hand out some bytes, also when they were asked for again; "
          + "copy what can be read to another disk first, and work on the copy")
    case .orphanRows:
      Entry(
        .loss, "rows that no tree leads to",
        "leaf pages with rows have lost the way to their table; salvage keeps them")
    case .rowsLost:
      Entry(
        .loss, "rows are lost",
        "the count says how many, or how many at least")
    case .rowDoubtful:
      Entry(
        .loss, "a row is doubtful",
        "the row can be read but contradicts other evidence; salvage sets it aside")
    case .textInvalid:
      Entry(
        .notice, "text that is not valid in its encoding",
        "the bytes are kept as they are; some writers store such text on purpose")
    case .indexMismatch:
      Entry(
        .damage, "an index does not fit its table",
        "queries that use the index can miss rows; rebuilding the index repairs it")
    case .indexDamaged:
      Entry(
        .damage, "an index is damaged",
        "the table has every row; rebuilding the index repairs it")
    case .constraintBroken:
      Entry(
        .damage, "rows break a constraint of their table",
        "the rows are there, and SQLite would not accept them now: look at what they hold")
    case .notChecked:
      Entry(
        .notice, "not checked",
        "an index or constraint takes what only its app has, or more work than a check may do; "
          + "nothing speaks against it")
    case .fullTextDamaged:
      Entry(
        .damage, "a full-text index is damaged",
        "searches miss rows or fail; the index is built anew of the texts, where these are kept in a "
          + "table: else only a backup has the words")
    case .fullTextContentLost:
      Entry(
        .loss, "texts of a full-text table are gone",
        "the words that its index still holds are no texts: only a backup has these")
    case .fullTextStale:
      Entry(
        .warning, "a full-text index does not have the words of its table",
        "the app has to keep them alike, and searches may miss rows; INSERT INTO t (t) VALUES "
          + "('rebuild') builds it anew")
    case .regionsDamaged:
      Entry(
        .loss, "an R-tree is damaged",
        "what its nodes hold stands nowhere else: rows that they have lost are gone")
    case .virtualTableUnreadable:
      Entry(
        .damage, "a virtual table that SQLite cannot read",
        "the tables in which it is kept are there, and are not as its module looks for them")
    case .schemaDamaged:
      Entry(
        .loss, "the schema table is damaged",
        "some tables may be unknown; a contract or backup can name them again")
    case .schemaSQLUnreadable:
      Entry(
        .damage, "a CREATE statement cannot be parsed",
        "SQLite refuses the whole file because of it; the rows are still there")
    case .schemaHostile:
      Entry(
        .damage, "the schema holds SQL that is not a declaration",
        "it is not executed; SQLite never writes such a row, and refuses a file that has one")
    case .headOfAnother:
      Entry(
        .loss, "the first page is that of another database",
        "its header and schema fit none of the pages behind it and are left out; a contract or "
          + "backup can name the tables again")
    case .databaseOlder:
      Entry(
        .warning, "older than its backup",
        "an older copy was put in its place, or its log was lost: what came since is in the backup "
          + "only; restore that, or say --accept")
    case .changedUncounted:
      Entry(
        .warning, "other rows than in the last backup, and no commit was counted",
        "SQLite did not write them: a disk that lost or changed pages, or another program; restore "
          + "that backup, or say --accept")
    case .rowsFewer:
      Entry(
        .notice, "fewer rows than in the last backup",
        "an app may delete rows, and nothing speaks against it; the backup still has them, and "
          + "--max-loss makes it a refusal")
    case .versionOlder:
      Entry(
        .warning, "older than the app expects",
        "the migrations have not run; back up, then migrate")
    case .versionNewer:
      Entry(
        .warning, "newer than the app expects",
        "a newer app wrote it; install that app, and do not migrate or reset")
    case .schemaDrift:
      Entry(
        .damage, "the schema is not the one expected",
        "the diff lists what is missing, extra and changed")
    case .invariantBroken:
      Entry(
        .damage, "an invariant of the contract fails",
        "rows break a rule that the app relies on")
    case .foreignKeyBroken:
      Entry(
        .damage, "rows refer to rows that are not there",
        "a foreign key points nowhere; parent rows were lost or never written")
    case .applicationMismatch:
      Entry(
        .damage, "written by another application",
        "the application id is not the expected one; make sure that this is the right file")
    case .migrationUnfinished:
      Entry(
        .damage, "a migration did not finish",
        "its framework's books, a table left over or a guard's record show that one has no end; "
          + "go back to the backup before it, finish it, or say backup --accept")
    case .unsyncedRows:
      Entry(
        .notice, "rows wait to be sent",
        "they exist nowhere else; they are exported before anything drops them")
    case .unsyncedUnknown:
      Entry(
        .notice, "cannot tell whether rows wait to be sent",
        "nothing says where unsynced rows would be; do not read this as none")
    }
  }
}
