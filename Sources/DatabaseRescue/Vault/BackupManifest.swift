// SPDX-License-Identifier: Apache-2.0
// What a backup says about itself: the JSON document that it carries.

package import Diagnosis
package import SQLiteFormat

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What a backup says about itself.
///
/// Counts, names and digests; no row values.
package struct BackupManifest: Codable, Hashable, Sendable {
  /// The version of this document that is written and read.
  package static let currentSchema = 1

  /// The version of this document.
  package var schema = Self.currentSchema
  /// The file name of the database; what is not valid UTF-8 is U+FFFD.
  package var database: String
  /// When the backup was made, in UTC.
  package var created: Date
  /// How many backups of the same second there were before this one; nil for none.
  package var ordinal: Int?
  /// The name of the run.
  package var id: BackupID
  /// The version of the program that made it.
  package var tool: String
  /// The bytes that are stored.
  package var image: Image
  /// Whether the files were stored as they are, because SQLite could not read them.
  package var raw: Bool
  /// Who might read and write the database when it was backed up; nil when that is unknown.
  package var access: FileAccess?
  /// The other files of the database that were stored beside this one; only with `raw`.
  package var sidecars: [Sidecar] = []
  /// What the database is and holds.
  package var content: BackupContent
  /// The checks that were done, all of them and no other; empty in the first copy.
  package var checks: [Check] = []
  /// Whether nothing was found wrong with the database and every check passed.
  package var clean = false
  /// When all of the database was last read and checked with nothing taken over from an earlier
  /// backup; nil when that was for this one.
  package var examined: Date?
  /// How the database follows from the newest good backup before; nil when there was none.
  package var lineage: Lineage?

  /// The bytes that are stored.
  package struct Image: Codable, Hashable, Sendable {
    /// How many they are.
    package var byteCount: Int
    /// Their SHA-256; nil in the first copy, written before they were read.
    package var sha256: Digest?
  }

  /// A file that was stored beside the database.
  package struct Sidecar: Codable, Hashable, Sendable {
    /// What its name has after the database's: `-wal` or `-journal`.
    package var suffix: String
    /// Its bytes.
    package var image: Image
  }

  /// A check that was really done.
  package struct Check: Codable, Hashable, Sendable {
    /// What was checked, such as `read back` or `integrity_check`.
    package var name: String
    /// Whether all was as it should be.
    package var passed: Bool
    /// What was found; no row values.
    package var detail: String
    /// The earlier backup for which the check, or a part of it, was done.
    ///
    /// What it looked at there has not changed by a byte. Nil when all of it was done for this one.
    package var basis: BackupID?

    /// Makes a check.
    package init(_ name: String, passed: Bool, detail: String) {
      self.name = name
      self.passed = passed
      self.detail = detail
    }
  }

  /// Makes a manifest of what is known first.
  package init(
    database: String, created: Date, id: BackupID, tool: String, image: Image, raw: Bool,
    content: BackupContent
  ) {
    self.database = database
    self.created = created.wholeSeconds
    self.id = id
    self.tool = tool
    self.image = image
    self.raw = raw
    self.content = content
  }
}

/// What a database is and holds, as whoever made the backup found.
package struct BackupContent: Codable, Hashable, Sendable {
  /// The bytes of a page; 0 when unknown.
  package var pageSize: Int = 0
  /// The `user_version`.
  package var userVersion: Int32 = 0
  /// The `application_id`.
  package var applicationID: UInt32 = 0
  /// The journal mode of the database when it was backed up, such as `wal`.
  package var journalMode: String = ""
  /// The support code of the run.
  package var supportCode: String?
  /// The `CREATE` statements, in the order of the schema table.
  package var schemaSQL: [String] = []
  /// The tables.
  package var tables: [Table] = []
  /// What was found wrong, or worth knowing.
  package var findings: [FoundThing] = []
  /// The change counter of the file header, or a lower one that it had just before; nil when that
  /// is unknown.
  package var changeCounter: UInt32?
  /// A digest of where the database lies, which tells two databases of one name apart; nil when
  /// that is unknown.
  package var place: String?
  /// Whether it was put into another folder than the database's own; nil where it was not, or nobody
  /// knows.
  package var isElsewhere: Bool?
  /// The AUTOINCREMENT counters by table; nil when they are unknown.
  package var sequences: [Name: Int64]?

  /// A table of the database.
  package struct Table: Codable, Hashable, Sendable {
    /// Its name.
    package var name: Name
    /// How many rows it has.
    package var rows: Int
    /// A digest of its rows, made in whatever way the maker of the backup compares tables.
    package var contentHash: String?
    /// The leaf pages that hold its rows.
    package var leafPages: LeafPages?
    /// Whether it is the storage of a virtual table; nil when it is not.
    package var isShadow: Bool?
  }

  /// A finding, as it is written down.
  package struct FoundThing: Codable, Hashable, Sendable {
    /// The stable code, such as `DBR-F060`.
    package var code: String
    /// How much it weighs.
    package var severity: Finding.Severity
    /// What was found.
    package var message: String

    /// Writes down a finding.
    package init(_ finding: Finding) {
      code = finding.code.name
      severity = finding.severity
      message = finding.message
    }

    /// Whether it says that a module was not asked, and could have been: of that a manifest keeps
    /// the words alone.
    var isLeftToModules: Bool {
      code == FindingCode.notChecked.name && message.hasSuffix(Unchecked.notAsked)
    }
  }

  /// Whether nothing was found that weighs more than a notice.
  var isSound: Bool { findings.allSatisfy { $0.severity <= .notice } }
}

/// The leaf pages of a table with a checksum of each, packed: there can be a great many.
package struct LeafPages: Codable, Hashable, Sendable {
  /// A leaf page.
  package struct Leaf: Hashable, Sendable {
    /// Its number.
    package var page: PageNumber
    /// The CRC-32 of its bytes.
    package var checksum: UInt32

    /// Makes a leaf of its number and the bytes of the page.
    package init(_ page: PageNumber, bytes: Bytes) {
      self.init(page: page, checksum: CRC32.checksum(of: bytes))
    }

    init(page: PageNumber, checksum: UInt32) {
      self.page = page
      self.checksum = checksum
    }
  }

  /// Eight bytes a leaf, page and checksum, low byte first; base-64 in JSON.
  private var packed: Data

  /// Packs leaves, in the order of the table.
  package init(_ leaves: some Sequence<Leaf>) {
    var bytes = Bytes()
    for leaf in leaves {
      bytes.appendNumber(leaf.page.rawValue)
      bytes.appendNumber(leaf.checksum)
    }
    packed = Data(bytes)
  }

  /// The leaves, in the order of the table; what is not a leaf is left out.
  package var leaves: [Leaf] {
    let bytes = Bytes(packed)
    return stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).compactMap { start in
      guard let page = bytes.number(at: start, count: 4).flatMap({ PageNumber($0) }),
        let checksum = bytes.number(at: start + 4, count: 4)
      else { return nil }
      return Leaf(page: page, checksum: UInt32(checksum))
    }
  }

  /// Reads the packed leaves.
  ///
  /// - Throws: `DecodingError` when there is no base-64 text.
  package init(from decoder: any Decoder) throws {
    packed = try decoder.singleValueContainer().decode(Data.self)
  }

  /// Writes the packed leaves.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(packed)
  }
}

extension BackupManifest {
  /// The document as JSON, with sorted keys.
  ///
  /// - Throws: ``RescueError`` when a value cannot be written as JSON.
  func encoded() throws(RescueError) -> Bytes {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    do { return Bytes(try encoder.encode(self)) } catch {
      throw RescueError(.internal, "the manifest of the backup cannot be written as JSON")
    }
  }

  /// Reads the document; nil when it is not one, or of a version that we do not know.
  init?(_ document: Bytes) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let manifest = try? decoder.decode(Self.self, from: Data(document)),
      manifest.schema == Self.currentSchema
    else { return nil }
    self = manifest
  }

  /// The document without the page lists, for the copy that is written first.
  var abridged: BackupManifest {
    var manifest = self
    for index in manifest.content.tables.indices { manifest.content.tables[index].leafPages = nil }
    return manifest
  }
}

extension BackupManifest.Check {
  /// The name of the check that no migration is under way, or was cut off.
  static var migrationName: String { "migration" }
  /// The name of the check that the database is as a contract has it.
  static var contractName: String { "contract" }
}

extension BackupManifest {
  /// Whether it is of a database, not raw, in which nothing was found to be damaged, and that had not
  /// gone back in time; besides what a contract says of it, where asked.
  ///
  /// Foreign keys that point nowhere do not count against it, since many apps live with
  /// such rows; a failed integrity check does.
  func isGood(despiteDrift: Bool = false) -> Bool {
    !raw && content.isSound && lineage?.isDoubtful != true
      && checks.allSatisfy {
        $0.passed || $0.name == ImageChecks.foreignKeyCheck
          || despiteDrift && $0.name == BackupManifest.Check.contractName
      }
  }
}
