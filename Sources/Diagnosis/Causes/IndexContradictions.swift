// SPDX-License-Identifier: Apache-2.0
// How sure it is that indexes are wrong and not their tables, from how each of them differs.

import SQLiteFormat

/// What the indexes of a database say otherwise than its tables, where nothing else is wrong.
struct IndexContradictions {
  /// How sure it is that the indexes are wrong, and not their tables.
  let doubt: Confidence
  /// Whether it is a table that may be older.
  let isTableOlder: Bool

  /// What pages of several moments leave besides: a part of them is no fault for itself.
  private static let mixtures: Set<FindingCode> = [
    .pageCountMismatch, .freelistDamaged, .pointerMapMismatch, .pageUnclaimed, .orphanRows,
    .pageClaimedTwice,
  ]
  /// From how many rows on two indexes that differ from their table in the same ones do so for one
  /// reason.
  private static let rowsMin = 3

  /// Judges the indexes that findings name.
  init(_ findings: [Finding], _ survey: Survey) {
    func trees(_ code: FindingCode) -> [TreeSurvey] {
      findings.filter { $0.code == code }.compactMap(\.place.object).compactMap {
        survey.tree(named: Name($0))
      }
    }
    let (damaged, mismatched) = (trees(.indexDamaged), trees(.indexMismatch))
    let wrong = Set((damaged + mismatched).map(\.entry.name))
    // The order of a damaged index, or its pages, may be all that is wrong with it.
    let ofDamaged = damaged.compactMap { IndexDisagreement(of: $0, in: survey) }
    var open = ofDamaged.filter { $0.entryCount >= Self.rowsMin }
    let areLocal = open.allSatisfy(\.isLocal)
    var isUncomputable = false
    for index in mismatched {
      let sound = Self.sound(beside: index, besides: wrong, survey)
      guard let disagreement = IndexDisagreement(of: index, in: survey) else {
        isUncomputable = isUncomputable || sound.isEmpty
        continue
      }
      let isRefuted = sound.contains {
        IndexAndTable($0, in: survey).map { disagreement.isRefuted(by: $0.shape) } ?? false
      }
      if !isRefuted { open.append(disagreement) }
    }
    isTableOlder = open.contains(where: \.isOfTable)
    if open.isEmpty, !isUncomputable {
      doubt = .certain
      return
    }
    let isMixed =
      findings.contains { Self.mixtures.contains($0.code) }
      || Self.haveRowsInCommon(open, with: ofDamaged)
    doubt =
      !isUncomputable && !isMixed && areLocal && open.allSatisfy(\.isOfIndex) ? .likely : .possible
  }

  /// Whether two indexes differ from their table in the same rows.
  private static func haveRowsInCommon(
    _ open: [IndexDisagreement], with others: [IndexDisagreement]
  ) -> Bool {
    open.contains { one in
      (open + others).contains { other in
        let common = one.rowIDs.intersection(other.rowIDs).count
        return one.index != other.index && one.table == other.table && common >= rowsMin
          && common * 10 >= min(one.rowIDs.count, other.rowIDs.count)
      }
    }
  }

  /// The other indexes over the same table that are sound and agree with it.
  private static func sound(
    beside index: TreeSurvey, besides wrong: Set<Name>, _ survey: Survey
  ) -> [TreeSurvey] {
    guard let expected = survey.tree(named: index.entry.table)?.expectedKeys else { return [] }
    return survey.trees.filter { other in
      other.entry.kind == .index && other.entry.table == index.entry.table && other.isSound
        && !wrong.contains(other.entry.name) && expected[other.entry.name] == other.keys
    }
  }
}
