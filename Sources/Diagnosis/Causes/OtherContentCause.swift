// SPDX-License-Identifier: Apache-2.0
// A file that is something else than its name says.

import SQLiteFormat

enum OtherContentCause: Cause {
  static let kind = CauseKind.otherContent
  static let words = CauseWords(
    title: "this is not the database, but another file",
    now: "Ask for the database itself, with its -wal and -journal if they are there, sent as they "
      + "are or in a zip. If this lies where the app looks for its database, keep it and restore a "
      + "backup.",
    differently: "Check the size and the first bytes of a download before it takes the place of a "
      + "file: a database begins with 'SQLite format 3'.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    if let kind = traces.survey.standIn, kind != .empty, kind != .zeros, kind != .erased {
      return inPlaceOfDatabase(kind)
    }
    return switch traces.survey.kind {
    case .other(FileKind.logIndex): .silent
    case .other(let name):
      .fits(
        .certain, "the file is \(article(of: name))\(name)",
        ["its first bytes are those of \(article(of: name))\(name)"], now: advice(for: name))
    case .text:
      .fits(.certain, "the file is text", ["there is nothing but text in it"])
    case .database, .headlessDatabase:
      traces.diskImage.map { image(of: $0, traces.survey.image?.start) }
        ?? traces.examination.use.packing.flatMap(archive)
        ?? .ruledOut("there are pages of a database in it")
    default: .silent
    }
  }

  /// Another file that was put in the place of a database, beside which its log or journal still lies.
  private static func inPlaceOfDatabase(_ kind: FileKind) -> CauseJudgement {
    .fits(
      .certain, "the file is \(article(of: kind.name))\(kind.name)",
      ["pages of the database lie in the log or journal beside it alone"],
      now:
        "Copy the file and what lies beside it before anything opens them. Salvage reads what the "
        + "log or journal holds; look for a copy of the database as well.")
  }

  /// An archive with the name of a database, which is in it.
  private static func archive(_ packing: Packing) -> CauseJudgement? {
    guard packing.isInPlaceOfDatabase else { return nil }
    let name = "\(packing.kind.rawValue) archive"
    return .fits(
      .certain, "the file is a \(name), and has the name of a database",
      ["its first bytes are those of a \(name), and a database is in it"], now: advice(for: name))
  }

  /// The image of a disk or volume, with a database in it.
  private static func image(of system: String, _ start: Int?) -> CauseJudgement {
    .fits(
      .certain, "the file is the image of a disk or volume",
      [
        "it begins as one with \(system) does",
        start.flatMap { $0 > 0 ? "the first page of a database lies at byte \(grouped($0))" : nil },
      ],
      now:
        "Take the database out as its file system has it: mount the image for reading only (mount "
        + "-o ro,loop) or unpack it (7z x FILE). In the image itself its pages may lie in pieces, "
        + "among those of deleted files; where the file system is broken too, salvage reads what "
        + "there is.")
  }

  /// The article of a kind of file, and a space; empty where none is said.
  static func article(of name: String) -> String {
    if name.hasPrefix("HTML") || name.hasPrefix("JSON") { return "" }
    return name.first.map { "aeiou".contains($0.lowercased()) || name.hasPrefix("LTX") } == true
      || name.hasPrefix("xz") || name.hasPrefix("SQL") ? "an " : "a "
  }

  /// What takes a database out of what it was packed into or written as.
  static let commands = [
    "gzip archive": "gzip -dc FILE > NEW",
    "zip archive": "unzip FILE",
    "tar archive": "tar -xf FILE",
    "zstd archive": "zstd -dc FILE > NEW",
    "bzip2 archive": "bzip2 -dc FILE > NEW",
    "xz archive": "xz -dc FILE > NEW",
    "7z archive": "7z x FILE",
    "rar archive": "unrar x FILE",
    "lz4 archive": "lz4 -dc FILE > NEW",
    "database written as base64 text": "base64 -d FILE > NEW",
    "database written as UTF-16 text": "iconv -f UTF-16 -t ISO-8859-1 FILE > NEW",
    "database written as UTF-16BE text": "iconv -f UTF-16BE -t ISO-8859-1 FILE > NEW",
    "database written as hexadecimal text": "xxd -r -p FILE > NEW",
    "dump of a database by xxd": "xxd -r FILE > NEW",
    "dump of a database by hexdump": "cut -c 11-59 FILE | xxd -r -p > NEW",
  ]

  /// How the names of databases of other kinds begin.
  private static let otherDatabases = [
    "Realm", "BoltDB", "database of LMDB", "Berkeley DB", "DuckDB", "Microsoft Access", "ESE", "H2",
    "KeePass",
  ]

  /// What to do about some kinds of file, as people meet them.
  private static func advice(for name: String) -> String? {
    if let command = commands[name] {
      let isText = command.hasPrefix("iconv")
      return
        (isText ? "Turn it back" : "Unpack it")
        + ", and diagnose the database that comes out: it may be all right. The command "
        + "is \(command). Keep this file."
        + (isText
          ? " Where iconv stops, the program that wrote the text has lost bytes: ask for the file "
            + "itself." : "")
    }
    if name == FileKind.cloudPlaceholder {
      return
        "The file itself is in iCloud, and not on this device: open it in Files or Finder, or run "
        + "brctl download FILE, and send what comes. Nothing is lost by it."
    }
    if name.hasPrefix("Git LFS") {
      return "Fetch the file itself with git lfs pull: this names it, and does not hold it."
    }
    if name.hasPrefix("HTML") {
      return "Download the file again while signed in, or ask for it as an attachment: what was "
        + "saved is a web page, perhaps one that asks to sign in or tells of an error."
    }
    if name.hasPrefix("JSON") {
      return "Ask for the file again: this looks like the answer of a server, which may say why it "
        + "gave no file."
    }
    if otherDatabases.contains(where: name.hasPrefix) {
      return "Nothing says that it is damaged: it is a database of another kind, and has tools of "
        + "its own. Ask which file the app keeps in SQLite."
    }
    if name.hasPrefix("database w") {
      return
        "Ask for the file itself, sent as it is or in a zip: a program has handled it as text, as "
        + "an editor, the clipboard or PowerShell's > does, and what that changed is not put back."
    }
    if name.hasPrefix("SQLite 2") {
      return "Turn it into a database of today with both programs: sqlite FILE .dump | sqlite3 NEW."
    }
    if name.hasPrefix("SQL script") {
      return "Run it into a new database with SQLite's own program: the statements that make the "
        + "database are in it."
    }
    return nil
  }
}
