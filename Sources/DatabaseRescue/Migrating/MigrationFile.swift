// SPDX-License-Identifier: Apache-2.0
// One numbered SQL file: its number is the version of the database after it.

import Diagnosis
import SQLiteFormat

/// One numbered SQL file, such as `0004_add_rpe.sql`.
public struct MigrationFile: Hashable, Sendable {
  /// The version of the database after it.
  public let version: Int
  /// Its name.
  public let name: FilePath
  /// Its length in bytes.
  let byteCount: Int
  /// The digest of its text; ends of lines count as one byte, however they are written.
  let digest: Digest
  /// Its statements.
  let script: SQLScript

  /// The longest file, in bytes.
  static let byteCountMax = 64 << 20
  /// The end of a name that is looked at.
  static let ending = ".sql"

  /// Reads a file's text; `problems` are told where it may not be carried out.
  ///
  /// Nothing of it has been given to SQLite: what it says of tables that are not there is found out
  /// when it runs.
  init?(_ bytes: Bytes, named name: FilePath, version: Int, problems: inout [String]) {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Bytes(bytes.dropFirst(3)) : bytes
    guard let text = String(validating: bytes, as: UTF8.self) else {
      problems.append("'\(name)' is not text in UTF-8")
      return nil
    }
    guard !bytes.contains(0) else {
      problems.append("'\(name)' contains a NUL, where SQLite would end to read")
      return nil
    }
    self.version = version
    self.name = name
    byteCount = bytes.count
    digest = Self.digest(of: bytes)
    script = SQLScript(text)
    problems += script.statements.compactMap { statement in
      statement.refusal.map { "\(name):\(statement.line): \($0)" }
    }
  }

  /// The number that a name begins with; nil where it begins with none.
  static func version(of name: FilePath) -> Int? {
    let digits = name.bytes.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    guard !digits.isEmpty, let number = Int(String(decoding: digits, as: UTF8.self)) else {
      return nil
    }
    return number
  }

  private static func digest(of bytes: Bytes) -> Digest {
    var hash = SHA256()
    // A checkout may write the ends of lines otherwise.
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\r")) {
      let isEndOfLine = end + 1 < rest.endIndex && rest[end + 1] == UInt8(ascii: "\n")
      hash.update(Bytes(rest[..<(isEndOfLine ? end : end + 1)]))
      rest = rest[(end + 1)...]
    }
    hash.update(Bytes(rest))
    return hash.digest()
  }
}

extension SQLScript.Statement {
  /// Why the statement has no place in a file of a migration; nil where it has.
  fileprivate var refusal: String? {
    guard let first = head.tokens.first else { return nil }
    if first == .symbol(".") { return "a line that begins with '.' is for the sqlite3 program" }
    guard case .word(let word) = first else { return nil }
    switch Name(word) {
    case "begin", "commit", "end", "rollback":
      return "\(word.uppercased()) has no place here: the runner has its own transaction"
    case "savepoint", "release":
      return "\(word.uppercased()) has no place here: a file is carried out whole or not at all"
    case "attach", "detach":
      return "\(word.uppercased()) has no place here: a migration changes one database"
    case "vacuum":
      return "VACUUM does nothing within a transaction: run it apart"
    case "pragma": return pragmaRefusal
    default: return nil
    }
  }

  /// Why a pragma has no place in a file of a migration; nil where it has.
  private var pragmaRefusal: String? {
    var names = head.tokens.dropFirst()
    if names.count > 2, names[names.startIndex + 1] == .symbol(".") { names = names.dropFirst(2) }
    guard case .word(let name)? = names.first else { return nil }
    switch Name(name) {
    case "user_version":
      return "PRAGMA user_version has no place here: the number of the file is the version"
    case "foreign_keys":
      return "PRAGMA foreign_keys has no place here: the runner turns them off before its "
        + "transaction, where alone that does anything, and checks them before it commits"
    case let pragma where StatementGuard.migrationPragmas.contains(pragma): return nil
    default:
      return "PRAGMA \(name) has no place here: it does nothing within a transaction, or is no "
        + "business of a migration"
    }
  }
}
