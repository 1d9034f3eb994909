// SPDX-License-Identifier: Apache-2.0
// What every report that is written is: one value, rendered as text, as JSON and as one HTML file.

import Diagnosis
import SQLiteFormat

/// The forms that a report can be written in.
package enum ReportFormat: String, Hashable, Sendable, CaseIterable {
  /// Text, as the terminal shows it.
  case text = "txt"
  /// One JSON document.
  case json
  /// One HTML file that needs no other.
  case html

  /// The form that a file's name asks for; nil when it ends in none of them.
  package init?(_ path: FilePath) {
    let name = path.name.description.lowercased()
    guard let format = Self.allCases.first(where: { name.hasSuffix("." + $0.rawValue) }) else {
      return nil
    }
    self = format
  }
}

/// A report for people and programs: names, counts and sizes, never a value of a row.
///
/// It holds no folders either. Names from the file are in it as they are, and are made harmless by
/// each rendering in its own way; messages are harmless and of bounded length before they get in,
/// and every list is bounded.
package protocol WrittenReport: Encodable, Sendable {
  /// What the report is, such as `diagnosis`.
  var type: String { get }

  /// The status in which the command ends that made it.
  var exitStatus: Int32 { get }

  /// The text for a terminal.
  ///
  /// `file` is the file as a command to paste names it, already fit for a shell; the plain name
  /// unless given.
  func lines(naming file: String?) -> [StyledText]

  /// The report as one HTML file without scripts, which needs nothing else.
  var html: String { get }
}

extension WrittenReport {
  /// The text for a terminal, without styles.
  package var text: String {
    lines(naming: nil).map { $0.plain.harmless(limit: String.lineLimit) + "\n" }.joined()
  }

  /// The report as a JSON document.
  ///
  /// - Throws: ``RescueError`` of the kind `.internal`; nothing in a report should cause it.
  package func json() throws(RescueError) -> String {
    try document.indented + "\n"
  }

  /// The report as a JSON value.
  ///
  /// - Throws: ``RescueError`` as ``json()``.
  package var document: JSON {
    get throws(RescueError) { try .document(type, exit: exitStatus, of: self) }
  }

  /// The report in the form that was asked for.
  ///
  /// - Throws: ``RescueError`` as ``json()``.
  package func rendered(as format: ReportFormat) throws(RescueError) -> String {
    switch format {
    case .text: text
    case .json: try json()
    case .html: html
    }
  }
}

/// A file that a report is about.
package struct ReportedFile: Hashable, Sendable, Encodable {
  /// Its name, without a folder.
  package let name: String
  /// Its SHA-256 in hexadecimal; nil when it was not taken of the whole file.
  package let sha256: String?
  /// The digest of what could be read of it outside its holes; nil when it was read as a whole.
  package let partialDigest: String?
  /// Whether it is still the same after the run; nil when that was not looked at.
  package let isUnchanged: Bool?

  /// Makes the entry of a file from its digests before and after the run.
  package init(_ input: RunRecord.InputDigest) {
    name = input.name.description.shownFile
    sha256 = input.sha256?.description
    partialDigest = input.partialDigest?.description
    isUnchanged = input.isUnchanged
  }

  private enum CodingKeys: String, CodingKey {
    case name
    case sha256
    case partialDigest
    case isUnchanged = "unchanged"
  }
}

/// A command that a report tells its reader to run.
struct ReportedCommand: Hashable, Sendable, Encodable {
  /// What stands before the file, such as `dbrescue recover`.
  let verb: String
  /// The file, as a shell wants it.
  let file: String
  /// What was given beside the file and is needed again, such as ` --vault backups`.
  let given: String
  /// What follows.
  let options: String
  /// What is added to the name of the file for the one that moves, and for its new name.
  private var suffixes: [String] = []

  init(_ verb: String, _ file: String, given: [String] = [], options: [String] = []) {
    func words(_ options: [String]) -> String {
      options.map { " " + ShellWord.quoted($0) }.joined()
    }
    self.verb = "dbrescue " + verb
    self.file = ShellWord.quoted(file.hasPrefix("-") ? "./" + file : file)
    (self.given, self.options) = (words(given), words(options))
  }

  /// The command that gets the rows of a database out of an archive.
  static func salvagingArchive(_ file: String) -> ReportedCommand {
    ReportedCommand("salvage", file, options: ["--output", "NEW.db"])
  }

  /// The command that gives the log or journal of a database another name, under which SQLite does
  /// not see it.
  init(_ move: SidecarMove, of file: String) {
    self.init("", file)
    suffixes = [move.suffix, move.newSuffix]
  }

  /// Whether it makes a backup.
  var isBackup: Bool { verb == "dbrescue backup" }

  /// The command that takes this one back; nil where it moves nothing.
  var undone: ReportedCommand? {
    guard !suffixes.isEmpty else { return nil }
    var command = self
    command.suffixes.reverse()
    return command
  }

  /// The command; `name` stands for the file, and for what was given beside it, where there is one.
  func text(naming name: String? = nil) -> String {
    let name = name ?? file + given
    return suffixes.isEmpty
      ? "\(verb) \(name)\(options)" : "mv" + suffixes.map { " \(name)\($0)" }.joined()
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text())
  }
}
