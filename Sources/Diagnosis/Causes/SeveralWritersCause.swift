// SPDX-License-Identifier: Apache-2.0
// Several programs or machines that write to one file and do not see each other.

enum SeveralWritersCause: Cause {
  static let kind = CauseKind.severalWriters
  static let words = CauseWords(
    title: "several programs or machines write to it",
    now: "Find out what else has the file: a synchronised folder, a network share, a second "
      + "container, a second app. Stop that first, and then repair.",
    differently: "Keep the live database on a local disk and out of synchronised folders, and give "
      + "other machines backups of it.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard traces.looksMixed else { return .silent }
    if let mark = traces.around.syncMarks.first {
      return .fits(
        .possible, "a program that synchronises folders put pages of another device into it",
        ["'\(mark)' lies beside it", "every page is whole, and they are of different writers"])
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
}
