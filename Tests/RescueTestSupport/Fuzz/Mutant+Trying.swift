// SPDX-License-Identifier: Apache-2.0
// Damaged databases given to the program, and what SQLite says of the same bytes.

package import DatabaseRescue
import SQLiteFormat

extension Mutant {
  /// The command lines that every damaged database is given to, in its folder.
  package static let commands = [
    ["check", "in/app.db"], ["diagnose", "in/app.db"],
    ["salvage", "in/app.db", "--output", "out/s.db"],
    ["backup", "in/app.db", "--vault", "vault"],
  ]

  /// What the program does wrong with each of some databases, which are tried in one go.
  package static func violations(of mutants: [Mutant]) throws -> [[Violation]] {
    try ScratchFolder.with { scratch in
      var trials: [Trial] = []
      for (index, mutant) in mutants.enumerated() {
        let folder = scratch[FilePath("\(index)")]
        for name in ["in", "out", "vault", "judged"] as [FilePath] {
          try SystemStorage().createFolder(folder.appending(name))
        }
        try mutant.files.write(to: folder.appending("in/app.db"))
        try mutant.files.write(to: folder.appending("judged/app.db"))
        for command in commands {
          trials.append(try Trial(command, seconds: 5 * TestedProgram.patience, in: folder))
        }
        let judged = ["judged/app.db", "out/s.db", "out/s.db.quarantine.db"]
        trials.append(try Trial(judging: judged, in: folder))
      }
      let own = scratch["own"]
      try SystemStorage().createFolder(own)
      let endings = try Trial.run(
        trials, in: scratch.path,
        environment: [
          "TMPDIR": own.description, "DBRESCUE_LOG": own.appending("runs.jsonl").description,
          "SWIFT_BACKTRACE": "enable=no",
        ])
      return try mutants.indices.map { index in
        let count = commands.count + 1
        return try mutants[index].violations(
          Array(endings[(index * count)..<((index + 1) * count)]), in: scratch[FilePath("\(index)")]
        )
      }
    }
  }

  private func violations(_ endings: [Trial.Ending], in folder: FilePath) throws -> [Violation] {
    var violations: [Violation] = []
    for (command, ending) in zip(Self.commands, endings) {
      violations += ending.failures(of: command[0]) + ending.excesses(of: command[0])
    }
    // SQLite itself may crash or hang on a hostile file: then it has no word to be held against.
    let words = endings[Self.commands.count].text.split(separator: "\n").map(String.init)
    func word(_ path: String) -> String? {
      words.first { $0.hasPrefix("\(path)\t") }.map { String($0.dropFirst(path.utf8.count + 1)) }
    }
    if let verdict = word("judged/app.db"), Self.isDamage(verdict) {
      // A salvage is done when it has every row, whatever else is damaged.
      for (command, ending) in zip(Self.commands, endings)
      where ending.status == 0 && command[0] != "salvage" {
        violations.append(
          Violation("\(command[0]): exit 0, SQLite: \(Self.kind(of: verdict))", verdict))
      }
    }
    for path in ["out/s.db", "out/s.db.quarantine.db"] {
      guard let verdict = word(path), Self.isDamage(verdict), !verdict.hasPrefix("error 14:") else {
        continue
      }
      violations.append(Violation("unsound \(path): \(Self.kind(of: verdict))", verdict))
    }
    for suffix in [""] + FilePath.journalSuffixes {
      let path = folder.appending("in/app.db").adding(suffix: suffix)
      let now = try path.exists ? try path.contents() : nil
      if now != files[suffix] { violations.append(Violation("input changed", "app.db\(suffix)")) }
    }
    return violations
  }

  /// Whether SQLite found damage, rather than nothing, or what only the app has.
  private static func isDamage(_ verdict: String) -> Bool {
    let missing = [
      "no such function", "unknown function", "no such collation", "no such module",
      "unknown tokenizer",
    ]
    return verdict != "ok" && !missing.contains { verdict.contains($0) }
  }

  /// The words of a complaint without its numbers and names.
  private static func kind(of verdict: String) -> String {
    let text = verdict.prefix { $0 != "(" }.split { !$0.isLetter || !$0.isASCII }
    return text.filter { $0 != "error" }.drop { ["in", "database", "main"].contains($0) }.prefix(4)
      .joined(separator: " ")
  }

  /// Keeps the files and what is wrong with them for whoever looks into it.
  package func save(_ violation: Violation, in folder: FilePath) throws {
    let kind = String(violation.kind.map { $0.isLetter || $0.isNumber ? $0 : "-" }.prefix(60))
    let place = folder.appending(FilePath("\(seed)-\(kind)"))
    try SystemStorage().createFolder(place)
    try files.write(to: place.appending("app.db"))
    let text =
      "\(self)\n\(violation.kind): \(violation.detail)\n"
      + Self.commands.map { "dbrescue " + $0.joined(separator: " ") + "\n" }.joined()
    try place.appending("story.txt").replaceContents(with: Bytes(text.utf8))
  }
}
