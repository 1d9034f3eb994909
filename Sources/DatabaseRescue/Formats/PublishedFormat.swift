// SPDX-License-Identifier: Apache-2.0
// The kinds of JSON that programs and people may rely on, each with its name and its version.

/// A kind of JSON that others may rely on.
package enum PublishedFormat: String, Hashable, Sendable, CaseIterable {
  /// What a command answers with `--json`, and what `--report OUT.json` writes.
  case report
  /// What an app expects of its database.
  case contract
  /// A line of the run log.
  case log
  /// A runbook; people write it, and so it names no format.
  case playbook

  /// The name, as documents give it.
  package var name: String { "dbrescue.\(rawValue)" }

  /// The version that is written.
  ///
  /// Members may be added under the same version; it rises when one changes its meaning or goes.
  package var version: Int {
    switch self {
    case .log: 3
    case .report: 3
    case .contract, .playbook: 1
    }
  }

  /// The keys that say what a document is.
  static let headKeys = ["format", "version", "type"]

  /// The members that every document begins with.
  func head(_ type: String) -> [String: JSON?] {
    ["format": .string(name), "version": .integer(version), "type": .string(type)]
  }
}
