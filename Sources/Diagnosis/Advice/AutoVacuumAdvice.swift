// SPDX-License-Identifier: Apache-2.0
// Databases that keep themselves short at the price of order, or could and do not.

import SQLiteFormat

enum AutoVacuumAdvice: Adviser {
  static let kind = AdviceKind.autoVacuum
  static let words = AdviceWords(
    title: "auto_vacuum is on",
    costs: "One page in some hundreds says where the others belong, and has to be kept up. In mode "
      + "FULL each commit that frees pages moves others, which scatters tables and writes more.",
    action:
      "In mode INCREMENTAL, give the free pages back now and then, when the app is idle. Mode "
      + "FULL is best left, with a VACUUM of its own when it is worth it.",
    unless:
      "Keep it on devices where space has to be given back at once, and nobody can run VACUUM.")

  private static let leastPages = 256
  private static let leastFreePercent = 10

  static func trait(of basis: AdviceBasis) -> AdviceTrait? {
    guard let header = basis.survey.header, header.isAutoVacuum, basis.pageCount >= leastPages
    else { return nil }
    let figures = ["pages": basis.pageCount, "freePages": basis.freePages]
    guard header.incrementalVacuum else {
      return AdviceTrait(
        found: "the mode is FULL: pages are moved at each commit that frees some",
        figures: figures, sql: ["PRAGMA auto_vacuum = NONE;", "VACUUM;"])
    }
    guard basis.freePages.percent(of: basis.pageCount) >= leastFreePercent else { return nil }
    return AdviceTrait(
      found: "the mode is INCREMENTAL, and nobody gives the free pages back: "
        + "\(grouped(basis.freePages)) of \(grouped(basis.pageCount))",
      figures: figures, sql: ["PRAGMA incremental_vacuum;"])
  }
}
