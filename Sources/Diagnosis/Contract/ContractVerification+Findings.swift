// SPDX-License-Identifier: Apache-2.0
// How a database stands to its contract, as findings.

import SQLiteFormat

extension ContractVerification {
  /// How many differences have a finding of their own.
  private static let differencesMax = 50
  /// How long a detail of a difference may be in a message.
  private static let detailMax = 120

  /// What a verification found, the heaviest of each kind first.
  ///
  /// Under another version other tables are to be expected: then the differences are
  /// notices, and invariants say nothing.
  package static func findings(of verification: ContractVerification) -> [Finding] {
    verification.application + verification.version + verification.drift
      + (verification.relation == .equal ? verification.invariants : [])
      + verification.foreignKeys + (verification.hasAskedRows ? verification.waiting : [])
  }

  /// An id of another application counts under every version; one that was never set may come with
  /// the migration.
  private var application: [Finding] {
    guard !isExpectedApplication, let expectedApplicationID else { return [] }
    return [
      Finding(
        .applicationMismatch,
        "the application id is \(foundApplicationID), and \(expectedApplicationID) is expected",
        severity: !relation.isOrdered || foundApplicationID != 0 ? nil : .notice)
    ]
  }

  private var version: [Finding] {
    let count = drifts.count
    let differences =
      count == 0
      ? "; the schema is the expected one"
      : count == 1 ? "; 1 difference in the schema" : "; \(count) differences in the schema"
    let number =
      foundVersion == expectedVersion
      ? []
      : [
        Finding(
          foundVersion < expectedVersion ? .versionOlder : .versionNewer,
          "the version is \(foundVersion), and \(expectedVersion) is expected\(differences)")
      ]
    // Each migration is a difference then.
    guard relation != .diverged else { return number }
    return number
      + books.map { book in
        let name = book.framework.title
        if let numbers = book.numbers {
          return Finding(
            book.unknown > 0 ? .versionNewer : .versionOlder,
            "the version that \(name) notes is \(numbers.found), and \(numbers.expected) is expected"
          )
        }
        return book.unknown > 0
          ? Finding(
            .versionNewer,
            "\(counted(book.unknown, "migration")) of \(name) \(book.unknown == 1 ? "is" : "are") "
              + "noted that the contract does not know")
          : Finding(
            .versionOlder,
            "\(counted(book.missing, "migration")) of \(name) that the contract knows "
              + "\(book.missing == 1 ? "is" : "are") not noted")
      }
  }

  private var drift: [Finding] {
    let listed = differences.filter { $0.subject != .applicationID && $0.kind != .broken }
    let broken = differences.filter { $0.kind == .broken && $0.subject == .fullText }
    let ordered =
      listed.filter { $0.weight == .drift } + broken + listed.filter { $0.weight == .notice }
    let isExpected = !relation.isOrdered
    let shown = ordered.prefix(Self.differencesMax).map { difference in
      let details = [difference.expected, difference.found].compactMap(\.self)
      let isShort = details.allSatisfy { $0.utf8.count <= Self.detailMax }
      return Finding(
        .schemaDrift, isShort ? difference.summary : difference.headline,
        at: .init(object: difference.object),
        severity: difference.weight == .notice || !isExpected ? .notice : nil)
    }
    let rest = ordered.dropFirst(Self.differencesMax)
    guard !rest.isEmpty else { return shown }
    return shown + [
      Finding(
        .schemaDrift, "\(rest.count) more differences",
        severity: isExpected && rest.contains { $0.weight == .drift } ? nil : .notice)
    ]
  }

  private var invariants: [Finding] {
    brokenInvariants.map { broken in
      let rows = broken.rows == 1 ? "1 row" : "\(broken.rows) rows"
      return Finding(
        .invariantBroken,
        "the invariant '\(broken.name)' is broken by \(broken.isExact ? "" : "at least ")\(rows)",
        at: .init(object: broken.name))
    }
      + uncheckedInvariants.map { unchecked in
        Finding(
          .invariantBroken,
          "the invariant '\(unchecked.name)' could not be checked: \(unchecked.reason)",
          at: .init(object: unchecked.name))
      }
  }

  private var foreignKeys: [Finding] {
    danglingReferences.map { dangling in
      let count = dangling.count
      return Finding(
        .foreignKeyBroken,
        count == 1
          ? "1 reference of table '\(dangling.table)' points to no row"
          : "\(count) references of table '\(dangling.table)' point to no row",
        at: .init(object: dangling.table.text))
    }
      + uncheckedForeignKeys.map { unchecked in
        Finding(
          .foreignKeyBroken,
          "the foreign keys of table '\(unchecked.name)' could not be checked: \(unchecked.reason)",
          at: .init(object: unchecked.name))
      }
  }

  private var waiting: [Finding] {
    if unsynced.isEmpty {
      return [Finding(.unsyncedUnknown, "nothing says where rows that wait to be sent would be")]
    }
    return unsynced.compactMap(\.finding)
  }
}

extension ContractVerification.Unsynced {
  /// What is to be said of the place; nil where no row waits.
  var finding: Finding? {
    switch rows {
    case .none: nil
    case .some(let count):
      Finding(
        .unsyncedRows,
        count == 1
          ? "1 row of table '\(table)' waits to be sent (\(name))"
          : "\(count) rows of table '\(table)' wait to be sent (\(name))",
        at: .init(object: table.text))
    case .cannotTell:
      Finding(
        .unsyncedUnknown,
        "cannot tell how many rows of table '\(table)' wait to be sent (\(name))",
        at: .init(object: table.text))
    }
  }
}
