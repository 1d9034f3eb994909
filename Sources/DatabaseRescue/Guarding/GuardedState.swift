// SPDX-License-Identifier: Apache-2.0
// A database as it was examined before or after a migration, with all that is compared.

import Diagnosis
import SQLiteFormat

/// A database as it was examined before or after a migration.
struct GuardedState {
  let examination: Examination
  /// What is compared of it.
  private(set) var state: MigrationState
  /// The digest of its pages; nil where they cannot all be read.
  let digest: Digest?

  /// Takes all figures now: the file may be another one later.
  init(_ examination: Examination) {
    self.examination = examination
    let survey = examination.survey
    let tables = survey.userTables.sorted { $0.key < $1.key }
    let figures = Parallel.map(tables.count) {
      TableFigures(of: tables[$0].key, tables[$0].value, in: survey)
    }
    state = MigrationState(
      survey,
      figures: Dictionary(
        zip(tables.map(\.key), figures), uniquingKeysWith: { first, _ in first }))
    state.unusable = UnusableObjects.find(in: survey.schema?.entries ?? [])
    digest = survey.image?.pageDigest
  }

  /// The same, with the rows that refer to rows that are not there, by table; nil where that was not
  /// asked.
  func with(danglingRows: [Name: Int]?) -> GuardedState {
    var copy = self
    copy.state.danglingRows = danglingRows
    return copy
  }

  /// Whether the database holds what another state does, page for page.
  func isAlike(_ other: GuardedState) -> Bool {
    digest != nil && digest == other.digest
  }
}

extension Image {
  /// The digest of all pages, but for what counts changes and names the writer; nil where they
  /// cannot all be read.
  var pageDigest: Digest? {
    var hash = SHA256()
    for number in pages where number != geometry.lockBytePage {
      guard var page = try? bytes(of: number) else { return nil }
      if number == .first, page.count >= DatabaseHeader.byteCount {
        for range in DatabaseHeader.counters {
          page.replaceSubrange(range, with: repeatElement(0, count: range.count))
        }
      }
      hash.update(page)
    }
    return files.failures.count == 0 ? hash.digest() : nil
  }
}
