// SPDX-License-Identifier: Apache-2.0
// Differences in what frameworks write down of themselves: the heads of migrations, Room's identity.

package import SQLiteFormat

extension ContractDifference {
  /// Other heads of a framework's migrations than expected: nothing tells which are the newer ones.
  package static func heads(
    expected: [String], found: [String], in table: Name
  ) -> [ContractDifference] {
    guard Set(expected) != Set(found) else { return [] }
    func words(_ heads: [String]) -> String? {
      guard !heads.isEmpty else { return nil }
      let isPlain = heads.allSatisfy { $0.utf8.count <= 64 && $0.allSatisfy(\.isPartOfRevision) }
      return isPlain ? heads.sorted().joined(separator: ", ") : "something that is none"
    }
    return [
      ContractDifference(
        found.isEmpty ? .missing : expected.isEmpty ? .extra : .changed, .migrationHeads,
        table.text,
        expected: words(expected), found: words(found),
        mend: Mend(because: "the framework's own migrations lead from one to the other"))
    ]
  }

  /// The migrations that are expected and not noted, and those that are noted and not expected.
  package static func migrations(
    missing: [String], unknown: [String], of framework: Framework
  ) -> [ContractDifference] {
    let mend = Mend(because: "nothing leads back from a migration that the contract does not know")
    let expected = Set(missing)
    func difference(_ kind: Kind, _ name: String) -> ContractDifference {
      let isExpected = kind == .missing
      return ContractDifference(
        kind, .migration,
        framework.shownMigration(name, known: expected) ?? "with a name that is not shown",
        expected: isExpected ? framework.title : nil, found: isExpected ? nil : framework.title,
        mend: mend)
    }
    return missing.sorted().map { difference(.missing, $0) }
      + unknown.sorted().map { difference(.extra, $0) }
  }

  /// Another model of a store than expected: nothing tells which is the newer one.
  package static func model(
    expected: [String: String], found: [String: String], in table: Name
  ) -> [ContractDifference] {
    Set(expected.keys).union(found.keys).sorted().compactMap { name in
      let (then, now) = (expected[name], found[name])
      guard then != now else { return nil }
      return ContractDifference(
        now == nil ? .missing : then == nil ? .extra : .changed, .model, "\(table) \(name)",
        expected: then, found: now,
        mend: Mend(because: "the framework's own migration leads from one model to the other"))
    }
  }

  /// Another identity hash than Room expects, or none.
  package static func identity(expected: String, found: String?) -> [ContractDifference] {
    guard expected != found else { return [] }
    let table = "room_master_table"
    let steps = [
      "CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, identity_hash TEXT)",
      noting(identity: expected),
    ]
    return [
      ContractDifference(
        found == nil ? .missing : .changed, .identity, table, expected: expected,
        found: found.map { $0.isIdentityHash ? $0 : "something that is none" },
        mend: Mend(
          steps.map { Mend.Step(.marks, $0) },
          losses: ["Room looks at nothing more once it is right: mend all else first"]))
    ]
  }

  /// The statement by which Room takes a database for one with its schema.
  package static func noting(identity hash: String) -> String {
    "INSERT OR REPLACE INTO room_master_table (id, identity_hash) VALUES (42, \(hash.quotedString))"
  }
}

extension Character {
  /// Whether names of revisions have it.
  fileprivate var isPartOfRevision: Bool {
    isASCII && (isLetter || isNumber || "_-.".contains(self))
  }
}

extension String {
  /// Whether it can be an identity hash of Room.
  fileprivate var isIdentityHash: Bool {
    utf8.count == 32
      && utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
