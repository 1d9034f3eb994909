// SPDX-License-Identifier: Apache-2.0
// The rows of one table, as a diagnosis found them.

import Diagnosis
import SQLiteFormat

extension DiagnosisReport {
  /// The rows of one table.
  package struct TableRows: Hashable, Sendable, Encodable {
    /// The name of the table.
    package let table: String
    /// Rows that can be read and are in their place.
    package let readable: Int
    /// Rows that can be read, and that something speaks against.
    package let doubtful: Int
    /// Rows that cannot be read.
    package let lost: RowLoss
    /// The most rows that can be lost, where that is known.
    package let lostAtMost: Int?
    /// The pages that belong to the table, those of long values included.
    package let pages: Int
    /// What a sum of losses is made of.
    let loss: Loss

    /// Whether not every row is there and sure.
    var isHurt: Bool { lost.isLoss || doubtful > 0 }

    /// The loss in words, with the most that it can be.
    var lossWords: String {
      guard let lostAtMost, lost.isLoss, lost.rows != lostAtMost else { return lost.words }
      return lost.kind == .unknown
        ? "at most \(lostAtMost.of("row"))" : "\(lost.words), at most \(lostAtMost.grouped)"
    }

    private enum CodingKeys: String, CodingKey {
      case table, readable, doubtful, lost, lostAtMost, pages
    }

    /// The tables of a survey, in the order of the file: as a salvage found them where one was
    /// tried, else as the survey did.
    ///
    /// A virtual table stands for the part with its rows. What else SQLite and modules keep for
    /// themselves is listed only where something is wrong with it.
    static func all(
      of reconstruction: Reconstruction, _ trial: SalvageTrial?
    ) -> [TableRows] {
      let survey = reconstruction.survey
      let (shadows, virtual) = (survey.shadowTables, survey.virtualNames)
      let balances = Dictionary(
        trial?.balances.compactMap { balance in balance.table.map { ($0, balance) } } ?? [],
        uniquingKeysWith: { first, _ in first })
      let pages = pageCounts(of: survey)
      return survey.trees.enumerated().compactMap { index, tree in
        guard tree.entry.kind == .table else { return nil }
        let name = tree.entry.name
        let isInternal = name.isReserved || virtual[name] == nil && shadows.contains(name)
        if isInternal, tree.isReadable { return nil }
        let balance = balances[name]
        let loss = balance?.lost ?? reconstruction.loss(of: tree)
        return TableRows(
          table: (virtual[name] ?? name).text,
          readable: balance.map { $0.written + $0.duplicates + $0.refused } ?? tree.records
            + reconstruction.recordsRegained(by: tree),
          doubtful: balance.map { $0.quarantined - $0.refused } ?? tree.misplaced.count,
          lost: RowLoss(loss), lostAtMost: balance?.lostAtMost, pages: pages[index, default: 0],
          loss: loss)
      }
    }

    /// How many pages each tree owns, by its position in the survey.
    private static func pageCounts(of survey: Survey) -> [Int: Int] {
      var counts: [Int: Int] = [:]
      survey.claims.forEach { _, owner in
        if let tree = owner.tree { counts[tree, default: 0] += 1 }
      }
      return counts
    }
  }
}
