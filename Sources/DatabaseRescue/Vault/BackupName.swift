// SPDX-License-Identifier: Apache-2.0
// The name of a backup file, which alone tells what is in it, from when, and of which version.

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The name of a backup file: `<name>.<UTC yyyymmddThhmmssZ>.v<user_version>.<id>.db.gz`.
public struct BackupName: Hashable, Sendable {
  /// Which file of the database it holds.
  package enum Part: String, Hashable, Sendable, CaseIterable {
    /// The database itself.
    case main = ""
    /// Its write-ahead log, stored raw.
    case wal = "-wal"
    /// Its rollback journal, stored raw.
    case journal = "-journal"
  }

  /// The most bytes of the database's name that are used: a file name has 255 in all.
  static let databaseByteCountMax = 200

  /// The name of the database: any bytes, cut off when it is very long.
  package let database: FilePath
  /// When the backup was made, to the second.
  public let created: Date
  /// The database's `user_version`.
  public let userVersion: Int32
  /// The name of the run.
  package let id: BackupID
  /// Which file of the database it holds.
  package let part: Part

  /// Makes a name; the time is cut to whole seconds.
  package init(
    database: FilePath, created: Date, userVersion: Int32, id: BackupID, part: Part = .main
  ) {
    self.database = FilePath(bytes: database.bytes.prefix(Self.databaseByteCountMax))
    self.created = created.wholeSeconds
    self.userVersion = userVersion
    self.id = id
    self.part = part
  }

  /// Reads the name of a file; nil when it is not one of a backup.
  package init?(_ file: FilePath) {
    let parts = Part.allCases.filter { file.hasSuffix(".db\($0.rawValue).gz") }
    guard let part = parts.first else { return nil }
    let stem = file.bytes.dropLast(".db\(part.rawValue).gz".utf8.count)
    // The last three fields have no dots; all that stands before them is the name.
    let fields = stem.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard fields.count >= 4, let id = BackupID(symbols: fields[fields.count - 1]),
      let version = Self.version(fields[fields.count - 2]),
      let created = Date(stamp: String(decoding: fields[fields.count - 3], as: UTF8.self))
    else { return nil }
    let database = FilePath(bytes: stem[..<(fields[fields.count - 3].startIndex - 1)])
    self.init(database: database, created: created, userVersion: version, id: id, part: part)
    guard !database.bytes.isEmpty, path == file else { return nil }
  }

  /// The name as a file has it.
  package var path: FilePath {
    database.adding(suffix: ".\(created.stamp).v\(userVersion).\(id).db\(part.rawValue).gz")
  }

  /// The command that puts the backup in the place of its database.
  func restoreCommand(for database: FilePath, in vault: FilePath?) -> String {
    "dbrescue restore \(database.shellQuoted) --from \(id) --yes"
      + (vault.map { " --vault \($0.shellQuoted)" } ?? "")
  }

  /// The same name for another file of the same run.
  func with(_ part: Part) -> BackupName {
    BackupName(
      database: database, created: created, userVersion: userVersion, id: id, part: part)
  }

  private static func version(_ field: ArraySlice<UInt8>) -> Int32? {
    guard field.first == UInt8(ascii: "v") else { return nil }
    return Int32(String(decoding: field.dropFirst(), as: UTF8.self))
  }
}

extension Date {
  private static let stampStyle = ISO8601FormatStyle(
    dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt)

  /// The time as file names have it: `20260701T120000Z`.
  var stamp: String { formatted(Self.stampStyle) }

  /// Reads a time as file names have it.
  init?(stamp: String) {
    guard stamp.utf8.count == 16, let date = try? Self.stampStyle.parse(stamp) else { return nil }
    self = date
  }

  /// The time without fractions of a second.
  var wholeSeconds: Date {
    Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down))
  }
}
