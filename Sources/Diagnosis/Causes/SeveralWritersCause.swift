// SPDX-License-Identifier: Apache-2.0
// Several programs or machines that write to one file and do not see each other.

import SQLiteFormat

enum SeveralWritersCause: Cause {
  static let kind = CauseKind.severalWriters
  static let words = CauseWords(
    title: "several programs or machines write to it",
    now: "Find out what else has the file: a synchronised folder, a network share, a second "
      + "container, a second app. Stop that first, and then repair.",
    differently: "Keep the live database on a local disk and out of synchronised folders, and give "
      + "other machines backups of it.")

  /// How many seconds lie at most between a conflict and what it left in the file: three days.
  private static let conflictAgeMax = 259_200.0

  static func judgement(of traces: Traces) -> CauseJudgement {
    if case .applied(let log) = traces.survey.image?.wal, log.commitsAfterBreak > 0,
      traces.logWound == nil
    {
      return .fits(
        .possible, "two programs wrote to its log without seeing each other",
        ["the -wal has commits that do not go on from those before them"],
        against: ["a page of the log of which bytes were changed breaks it like this too"])
    }
    if let fit = parted(traces) { return fit }
    guard traces.looksMixed else { return besideBlanks(traces) }
    if let mark = traces.around.syncMarks.first {
      // Such a copy is made where two devices have changed the file at the same time.
      let isFresh = (traces.around.conflictAge ?? .infinity) <= conflictAgeMax
      return .fits(
        isFresh && traces.isMixture ? .likely : .possible,
        "a program that synchronises folders put pages of another device into it",
        [
          "'\(mark)' lies beside it"
            + (isFresh ? ", and is of the days in which the file was last written" : ""),
          "every page is whole, and they are of different writers",
        ])
    }
    if case .shared(let name) = traces.around.fileSystem {
      return .fits(
        .possible, "programs on several machines write to it without seeing each other",
        [
          "it lies on \(name), where locks may not work",
          "every page is whole, and they are of different moments or writers",
        ])
    }
    return .fits(
      .possible, "two programs wrote to it without seeing each other",
      ["every page is whole, and they are of different moments or writers"],
      against: traces.around.fileSystem == .local ? ["it lies on a disk of this machine"] : [])
  }

  /// A sound database beside the copy of another device that has rows of its own, as it has itself: a
  /// program that synchronises folders keeps both, and the app sees one of them.
  private static func parted(_ traces: Traces) -> CauseJudgement? {
    guard traces.examination.verdict.isStructureSound, let copy = traces.around.copy,
      copy.isOfConflict, copy.overlap.mostSame >= 8,
      copy.overlap.changed > 0 || copy.overlap.hasOwn && copy.overlap.onlyBackup > 0
    else { return nil }
    let differing = copy.overlap.changed + copy.overlap.onlyBackup
    return .fits(
      .likely, "two devices wrote to it, and each has rows that the other has not",
      [
        "'\(copy.name)' beside it has \(counted(differing, "row")) that are other ones here or "
          + "missing, and \(grouped(copy.overlap.common - copy.overlap.changed)) the same"
      ],
      now: "Nothing is damaged, and each of the two files lacks what the other has: bring them "
        + "together with dbrescue merge FILE COPY --output NEW, and keep both until then.")
  }

  /// A mixture in which a page of one device that was never written stands where one of the other is
  /// in use, beside a fresh copy that tells of two devices.
  private static func besideBlanks(_ traces: Traces) -> CauseJudgement {
    guard let mark = traces.around.syncMarks.first,
      (traces.around.conflictAge ?? .infinity) <= conflictAgeMax, traces.isDamaged,
      traces.missing == nil, traces.wounds.allSatisfy({ $0.look == .zeros }),
      let pairs = PagePairs(in: traces.survey), pairs.count >= pairsMin, pairs.seam == nil
    else { return .silent }
    return .fits(
      .likely, "a program that synchronises folders put pages of another device into it",
      [
        "'\(mark)' lies beside it, and is of the days in which the file was last written",
        "\(grouped(pairs.count)) pairs of pages contradict each other, all over the file",
      ])
  }

  /// How many pairs of pages show that a file is a mixture.
  private static let pairsMin = 5
}
