// SPDX-License-Identifier: Apache-2.0
// A hostile input given to the program, and whether it got more than it may.

import DatabaseRescue
import SQLiteFormat

extension HostileCase {
  /// The command lines that are tried, in the folder of the case.
  package var commands: [[String]] {
    var commands = [
      ["check", "in/app.db"], ["diagnose", "in/app.db", "--report", "out/report.html"],
      ["salvage", "in/app.db", "--output", "out/salvaged.db"],
      ["contract", "capture", "in/app.db", "--output", "out/captured.json"],
      seed % 2 == 0
        ? ["backup", "in/app.db", "--vault", "vault"] : ["backup", "in/app.db"],
      ["recover", "in/app.db"],
    ]
    for (document, name) in [(script, "hostile.sql"), (contract, "hostile.json")]
    where document != nil {
      commands += [
        ["check", "in/app.db", "--contract", "in/\(name)"],
        ["salvage", "in/app.db", "--schema", "in/\(name)", "--output", "out/by-\(name).db"],
        ["recover", "in/app.db", "--contract", "in/\(name)"],
      ]
    }
    return commands
  }

  /// Command lines that may change the database, as nobody else may.
  private var changingCommands: [[String]] {
    guard seed % 3 == 0 else { return [] }
    return [
      ["guard", "in/app.db", "--", "/bin/true"],
      ["recover", "in/app.db", "--choose", "salvage", "--yes"],
    ]
  }

  /// What the program does wrong with this case.
  package func violations() throws -> [Violation] {
    let looking = try violations(commands, changes: false)
    return looking
      + (changingCommands.isEmpty ? [] : try violations(changingCommands, changes: true))
  }

  /// What these command lines do wrong.
  private func violations(_ commands: [[String]], changes: Bool) throws -> [Violation] {
    try ScratchFolder.with { scratch in
      let ground = HostileGround(root: scratch.path)
      // Two tricks may want one name, each in its own way: that is no case.
      do { try build(on: ground) } catch is StorageError { return [] }
      let before = try FolderContents(of: ground.root)
      let inputByteCount = try ground.database.contents().count
      let endings = try Trial.run(
        commands.map { try Trial($0, seconds: 5 * TestedProgram.patience) }, in: ground.root,
        environment: [
          "TMPDIR": ground.root.appending("tmp").description, "SWIFT_BACKTRACE": "enable=no",
          "DBRESCUE_LOG": ground.root.appending("log/runs.jsonl").description,
        ])
      var violations: [Violation] = []
      for (command, ending) in zip(commands, endings) {
        let name = command.prefix { !$0.hasPrefix("in/") }.joined(separator: " ")
        violations += ending.failures(of: name) + ending.excesses(of: name)
        if name == "salvage" {
          violations += try outputFaults(
            ending, ground, FilePath(command[command.count - 1]),
            name: command.count > 4 ? "salvage --schema" : name,
            inputByteCount)
        }
      }
      let after = try FolderContents(of: ground.root)
      let found = before.changes(until: after) + before.folderChanges(until: after)
      violations += found.filter { !Self.mayHappen($0, changes: changes) }.map {
        Violation(Self.kind(of: $0), $0)
      }
      return violations
    }
  }

  // MARK: Files

  /// Whether a change of the folders is what the commands were asked for.
  private static func mayHappen(_ change: String, changes: Bool) -> Bool {
    let places = [
      "out/salvaged.db", "out/salvaged.db.quarantine.db", "out/report.html", "out/captured.json",
      "log/runs.jsonl",
      "out/by-hostile.sql.db", "out/by-hostile.json.db", "out/by-hostile.sql.db.quarantine.db",
      "out/by-hostile.json.db.quarantine.db", "in/app.db-shm",
    ]
    if places.contains(where: { change == "added \($0)" || change == "changed log/runs.jsonl" }) {
      return true
    }
    if change.hasPrefix("added in/app.db.rescue/") || change.hasPrefix("added vault/") {
      return true
    }
    let own = ["changed in/app.db", "removed in/app.db-wal", "removed in/app.db-journal"]
    return changes && (own.contains(change) || change.hasPrefix("added in/app.db-"))
  }

  private static func kind(of change: String) -> String {
    let words = change.split(separator: " ", maxSplits: 1)
    let place = words[1].split(separator: "/").first ?? ""
    return "\(words[0]) in \(place)/"
  }

  // MARK: Output

  private func outputFaults(
    _ ending: Trial.Ending, _ ground: HostileGround, _ name: FilePath, name command: String,
    _ inputByteCount: Int
  ) throws -> [Violation] {
    let output = ground.root.appending(name)
    let isRefused = [64, 65, 73].contains(ending.status ?? -1)
    guard (try? output.exists) == true else {
      // A document may be refused for what it says; a file never.
      let mayRefuse = command != "salvage" || tricks.contains { $0.description.hasPrefix("out/") }
      guard sparesSound, !(isRefused && mayRefuse) else { return [] }
      return [Violation("\(command): sound rows lost, \(ending.end.shown)", ending.text)]
    }
    var violations: [Violation] = []
    let quarantine = output.adding(suffix: ".quarantine.db")
    let byteCount = try output.contents().count + ((try? quarantine.contents().count) ?? 0)
    if byteCount > 2 * inputByteCount + 1 << 20 {
      violations.append(
        Violation("\(command): output too large", "\(byteCount) bytes of \(inputByteCount)"))
    }
    do {
      let document = command == "salvage" ? nil : name.hasSuffix(".json.db") ? contract : script
      violations += try contentFaults(of: output, command, by: document ?? "")
    } catch { violations.append(Violation("\(command): output unreadable", "\(error)")) }
    return violations
  }

  /// `document` is the script or contract that somebody has given: what it does to its own schema, it
  /// may do.
  private func contentFaults(
    of output: FilePath, _ command: String, by document: String
  ) throws -> [Violation] {
    let connection = try Connection(output, mode: .readOnly, schemaBy: .us)
    var violations: [Violation] = []
    let planted = try connection.rows(
      "SELECT name FROM sqlite_schema WHERE name IN ('stolen', 'planted', 'sound2') AND type = 'table'"
    )
    if let name = planted.first?.first?.utf8String, !document.contains("CREATE TABLE \(name)") {
      violations.append(Violation("\(command): statement executed", name))
    }
    let version = try connection.value("SELECT user_version FROM pragma_user_version")
    if version == .integer(4242), !document.contains("user_version = 4242") {
      violations.append(Violation("\(command): statement executed", "user_version"))
    }
    let isOtherwise = ["DROP TABLE sound", "UNIQUE INDEX"].contains { document.contains($0) }
    guard sparesSound, !isOtherwise else { return violations }
    let rows = try connection.rows("SELECT id, typeof(v), v, r, b FROM sound NOT INDEXED").map {
      row in
      ExactRow(rowID: row[0].integerValue, [row[0], row[2], row[3], row[4]])
    }
    if let difference = firstDifference(expected: HostileBase.soundRows, actual: rows) {
      violations.append(Violation("\(command): sound rows lost or changed", difference))
    }
    return violations
  }

  // MARK: Shrinking

  /// The case without what an effect of this kind does not need, and the command that has it.
  package func shrunken(keeping kind: String) -> (HostileCase, command: String) {
    func has(_ candidate: HostileCase, _ commands: [[String]]?) -> Bool {
      let found =
        if let commands { try? candidate.violations(commands, changes: true) } else {
          try? candidate.violations()
        }
      return found?.contains { $0.kind == kind } == true
    }
    var smallest = self
    for trick in tricks.indices.reversed() where smallest.tricks.count > 1 {
      var candidate = smallest
      candidate.tricks.remove(at: min(trick, candidate.tricks.count - 1))
      if has(candidate, nil) { smallest = candidate }
    }
    let command = (commands + changingCommands).first { has(smallest, [$0]) }
    return (smallest, command?.joined(separator: " ") ?? "several commands")
  }
}
