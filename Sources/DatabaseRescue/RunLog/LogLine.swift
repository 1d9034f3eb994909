// SPDX-License-Identifier: Apache-2.0
// A line of the run log as JSON: as it is written today, and as earlier versions wrote it.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a line of the log can be.
package protocol LogLine: Codable {
  /// What kind of line it is, as it says itself.
  static var type: String { get }
  /// The version of the JSON.
  var version: Int { get }
}

extension RunRecord: LogLine {
  package static var type: String { "run" }
}

extension RunBeginning: LogLine {
  package static var type: String { "beginning" }
}

extension RunCorrection: LogLine {
  package static var type: String { "correction" }
}

extension LogLine {
  /// The line as a document.
  ///
  /// - Throws: ``RescueError`` of the kind `internal`, which is a defect.
  package var document: JSON {
    get throws(RescueError) {
      let own = try JSON(encoding: self).members.mapValues(Optional.some)
      return .members(own.merging(PublishedFormat.log.head(Self.type)) { $1 })
    }
  }

  /// Reads a line, of an earlier version too; nil when it is none of this kind.
  init?(line: Bytes.SubSequence) {
    if let read = Self(Data(line)) {
      self = read
    } else {
      guard let old = JSON(reading: line)?.inTodaysWords, let read = Self(Data(old.compact.utf8))
      else { return nil }
      self = read
    }
  }

  private init?(_ data: Data) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard
      let read = try? decoder.decode(Self.self, from: data),
      read.version == PublishedFormat.log.version
    else { return nil }
    self = read
  }
}

extension JSON {
  /// A line of an earlier version, as it would be written today; nil for any other.
  ///
  /// What is different in version 2 the members themselves read.
  fileprivate var inTodaysWords: JSON? {
    var line = members
    line["version"] = .integer(PublishedFormat.log.version)
    if self["version"] == 2 { return .object(line) }
    guard self["schema"] == 1 else { return nil }
    line["exit"] = line["exitCode"]
    if let verdict = line["verdict"]?.text.flatMap(Verdict.init(rawValue:)) {
      line["verdict"] = .string(verdict.word)
      line["losesRows"] = .bool(verdict.losesRows)
    }
    if var flags = line["flags"]?.members, let state = flags["unsynced"] {
      flags["unsynced"] = .object(["state": state, "rows": flags["unsyncedRows"] ?? .null])
      line["flags"] = .object(flags)
    }
    line["tables"] = (line["tables"]?.elements).map { tables in
      .array(
        tables.map { table in
          .object(table.members.merging(["lost": table["lost"]?.text?.asLoss ?? .null]) { $1 })
        })
    }
    return .object(line)
  }
}

extension String {
  /// What earlier versions wrote of a loss, such as `exactly 3 rows`.
  fileprivate var asLoss: JSON {
    let rows = split(separator: " ").lazy.compactMap { Int($0) }.first
    let kind: RowLoss.Kind =
      switch (split(separator: " ").first, rows) {
      case ("no", _): .none
      case ("exactly", .some): .exactly
      case ("at", .some): .atLeast
      default: .unknown
      }
    return [
      "kind": .string(kind.rawValue),
      "rows": kind == .none ? 0 : kind == .unknown ? nil : rows.map { .integer($0) } ?? nil,
    ]
  }
}

extension Bytes.SubSequence {
  /// Whether this is the line of a run that was about to begin: told without parsing it.
  var isBeginning: Bool { Self.beginnings.contains { starts(with: $0) } }

  /// How such lines begin: since version 2, and in version 1, where the first of their members was
  /// the time.
  private static let beginnings =
    (2...PublishedFormat.log.version).map {
      Bytes(#"{"format":"dbrescue.log","version":\#($0),"type":"beginning","#.utf8)
    } + [Bytes(#"{"at":"#.utf8)]
}
