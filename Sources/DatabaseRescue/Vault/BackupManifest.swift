// SPDX-License-Identifier: Apache-2.0
// What a backup says about itself: the JSON document that it carries.

public import Diagnosis
public import SQLiteFormat

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a backup says about itself.
///
/// Counts, names and digests; no row values.
public struct BackupManifest: Codable, Hashable, Sendable {
  /// The version of this document that is written and read.
  public static let currentSchema = 1

  /// The version of this document.
  public var schema = Self.currentSchema
  /// The file name of the database; what is not valid UTF-8 is U+FFFD.
  public var database: String
  /// When the backup was made, in UTC.
  public var created: Date
  /// The name of the run.
  public var id: BackupID
  /// The version of the program that made it.
  public var tool: String
  /// The bytes that are stored.
  public var image: Image
  /// Whether the files were stored as they are, because SQLite could not read them.
  public var raw: Bool
  /// The other files of the database that were stored beside this one; only with `raw`.
  public var sidecars: [Sidecar] = []
  /// What the database is and holds.
  public var content: BackupContent
  /// The checks that were done, all of them and no other; empty in the first copy.
  public var checks: [Check] = []
  /// Whether nothing was found wrong with the database and every check passed.
  public var clean = false
  /// When all of the database was last read and checked with nothing taken over from an earlier
  /// backup; nil when that was for this one.
  public var examined: Date?
  /// How the database follows from the newest good backup before; nil when there was none.
  public var lineage: Lineage?

  /// The bytes that are stored.
  public struct Image: Codable, Hashable, Sendable {
    /// How many they are.
    public var byteCount: Int
    /// Their SHA-256; nil in the first copy, written before they were read.
    public var sha256: Digest?

    /// Makes an image.
    public init(byteCount: Int, sha256: Digest? = nil) {
      self.byteCount = byteCount
      self.sha256 = sha256
    }
  }

  /// A file that was stored beside the database.
  public struct Sidecar: Codable, Hashable, Sendable {
    /// What its name has after the database's: `-wal` or `-journal`.
    public var suffix: String
    /// Its bytes.
    public var image: Image

    /// Makes a sidecar.
    public init(suffix: String, image: Image) {
      self.suffix = suffix
      self.image = image
    }
  }

  /// A check that was really done.
  public struct Check: Codable, Hashable, Sendable {
    /// What was checked, such as `read back` or `integrity_check`.
    public var name: String
    /// Whether all was as it should be.
    public var passed: Bool
    /// What was found; no row values.
    public var detail: String
    /// The earlier backup for which the check, or a part of it, was done.
    ///
    /// What it looked at there has not changed by a byte. Nil when all of it was done for this one.
    public var basis: BackupID?

    /// Makes a check.
    public init(_ name: String, passed: Bool, detail: String) {
      self.name = name
      self.passed = passed
      self.detail = detail
    }
  }

  /// Makes a manifest of what is known first.
  public init(
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
public struct BackupContent: Codable, Hashable, Sendable {
  /// The bytes of a page; 0 when unknown.
  public var pageSize: Int
  /// The `user_version`.
  public var userVersion: Int32
  /// The `application_id`.
  public var applicationID: UInt32
  /// The journal mode of the database when it was backed up, such as `wal`.
  public var journalMode: String
  /// The support code of the run.
  public var supportCode: String?
  /// The `CREATE` statements, in the order of the schema table.
  public var schemaSQL: [String]
  /// The tables.
  public var tables: [Table]
  /// What was found wrong, or worth knowing.
  public var findings: [FoundThing]
  /// The change counter of the file header, or a lower one that it had just before; nil when that
  /// is unknown.
  public var changeCounter: UInt32?
  /// A digest of where the database lies, which tells two databases of one name apart; nil when
  /// that is unknown.
  public var place: String?
  /// The AUTOINCREMENT counters by table; nil when they are unknown.
  public var sequences: [Name: Int64]?

  /// Makes a description of a database; what is left out is unknown.
  public init(
    pageSize: Int = 0, userVersion: Int32 = 0, applicationID: UInt32 = 0,
    journalMode: String = "", supportCode: String? = nil, schemaSQL: [String] = [],
    tables: [Table] = [], findings: [FoundThing] = []
  ) {
    self.pageSize = pageSize
    self.userVersion = userVersion
    self.applicationID = applicationID
    self.journalMode = journalMode
    self.supportCode = supportCode
    self.schemaSQL = schemaSQL
    self.tables = tables
    self.findings = findings
  }

  /// A table of the database.
  public struct Table: Codable, Hashable, Sendable {
    /// Its name.
    public var name: Name
    /// How many rows it has.
    public var rows: Int
    /// A digest of its rows, made in whatever way the maker of the backup compares tables.
    public var contentHash: String?
    /// The leaf pages that hold its rows.
    public var leafPages: LeafPages?
    /// Whether it is the storage of a virtual table; nil when it is not.
    public var isShadow: Bool?

    /// Makes a table.
    public init(
      name: Name, rows: Int, contentHash: String? = nil, leafPages: LeafPages? = nil
    ) {
      self.name = name
      self.rows = rows
      self.contentHash = contentHash
      self.leafPages = leafPages
    }
  }

  /// A finding, as it is written down.
  public struct FoundThing: Codable, Hashable, Sendable {
    /// The stable code, such as `DBR-F060`.
    public var code: String
    /// How much it weighs.
    public var severity: Finding.Severity
    /// What was found.
    public var message: String

    /// Writes down a finding.
    public init(_ finding: Finding) {
      code = finding.code.name
      severity = finding.severity
      message = finding.message
    }
  }

  /// Whether nothing was found that weighs more than a notice.
  var isSound: Bool { findings.allSatisfy { $0.severity <= .notice } }
}

/// The leaf pages of a table with a checksum of each, packed: there can be a great many.
public struct LeafPages: Codable, Hashable, Sendable {
  /// A leaf page.
  public struct Leaf: Hashable, Sendable {
    /// Its number.
    public var page: PageNumber
    /// The CRC-32 of its bytes.
    public var checksum: UInt32

    /// Makes a leaf of its number and the bytes of the page.
    public init(_ page: PageNumber, bytes: Bytes) {
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
  public init(_ leaves: some Sequence<Leaf>) {
    var bytes = Bytes()
    for leaf in leaves {
      bytes.appendNumber(leaf.page.rawValue)
      bytes.appendNumber(leaf.checksum)
    }
    packed = Data(bytes)
  }

  /// The leaves, in the order of the table; what is not a leaf is left out.
  public var leaves: [Leaf] {
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
  public init(from decoder: any Decoder) throws {
    packed = try decoder.singleValueContainer().decode(Data.self)
  }

  /// Writes the packed leaves.
  public func encode(to encoder: any Encoder) throws {
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
