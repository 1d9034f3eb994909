// SPDX-License-Identifier: Apache-2.0
// The write-ahead log: is it there, is it this database's, and is it whole?

import SQLiteFormat

enum LogCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    guard let image = survey.image else { return [] }
    switch image.wal {
    case .absent:
      guard survey.header?.isWAL == true else { return [] }
      if let index = image.missingLog { return [missing(index)] }
      return [
        survey.isBareWAL
          ? Finding(
            .walMissing,
            "the database is in WAL mode, has no table yet, and there is no -wal file beside it, which "
              + "would have all that was written", severity: .warning)
          : Finding(.walMissing, "the database is in WAL mode and there is no -wal file beside it")
      ]
    case .empty: return []
    case .applied(let log):
      let doubt = survey.isLogBehind ? [behind] : survey.isLogInDoubt ? [inDoubt] : []
      return applied(log, in: image) + doubt
    case .foreign(let log):
      return [
        Finding(
          .walForeign,
          log.pageSize == image.geometry.pageSize
            ? "the -wal was not written for this database, which is read without it"
            : "the -wal has pages of \(log.pageSize) bytes, the database of "
              + "\(image.geometry.pageSize)")
      ]
    case .outdated:
      return [
        Finding(
          .walForeign,
          "the -wal ends before a state that the database is already in, and is left out")
      ]
    case .contradictory:
      return [
        Finding(
          .walForeign,
          "the database is sound without the -wal and contradicts itself with it: it is left out")
      ]
    case .unusable(let error):
      return [Finding(.walDamaged, "the header of the -wal does not hold: \(error.problem)")]
    }
  }

  private static func missing(_ index: LogIndex) -> Finding {
    let salts = index.salts.map { String($0, radix: 16) }.joined(separator: " ")
    return Finding(
      .walMissing,
      "the -wal is missing, and the -shm beside the file counts \(counted(index.frameCount, "frame")) "
        + "in it, \(grouped(index.lackingCount)) of which are not in the file (salts \(salts))",
      severity: .loss)
  }

  private static let inDoubt = Finding(
    .walInDoubt,
    "the -wal may not go on from this file, which is sound without it too; the two are read "
      + "together, and what the file holds besides is set aside")

  private static let behind = Finding(
    .walInDoubt,
    "the -wal ends before a state of which the file has a part, and which is not whole without it: the "
      + "older state counts, and what the file holds besides is set aside", severity: .loss)

  private static func applied(_ log: WriteAheadLog, in image: Image) -> [Finding] {
    var findings: [Finding] = []
    let commits = log.committed.count { $0.commitPageCount != nil }
    if commits > 0 {
      findings.append(
        Finding(
          .walCommitted,
          "\(counted(commits, "transaction")) in \(counted(log.committed.count, "frame")) of "
            + "the -wal are part of the database"))
    }
    let lost = log.commitsAfterBreak
    if !log.continued.isEmpty { findings.append(continued(log, in: image)) }
    if log.missesFrames {
      findings.append(
        Finding(
          .walDamaged,
          "frames of the -wal are missing, and nothing tells which pages they held: rows may be older "
            + "than they were",
          at: .init(offset: breakOffset(log)), severity: .loss))
    }
    switch log.ending {
    case .complete, .olderGeneration: break
    case .checksumBroken(let offset), .cutOff(let offset), .saltsChanged(let offset):
      // After a crash the last transaction is often half written: SQLite skips it too. Whole
      // transactions of the same generation behind the break were committed once.
      guard lost > 0 || log.continued.isEmpty else { break }
      findings.append(
        Finding(
          .walDamaged,
          lost > 0
            ? "the chain of frames in the -wal breaks, and \(counted(lost, "transaction")) behind the "
              + "break cannot be trusted"
            : lastTransaction(log.ending),
          at: lost > 0 ? place(of: log, at: offset, in: image) : .init(offset: offset),
          severity: lost > 0 ? .loss : .notice))
    }
    return findings
  }

  /// What is said of a transaction that the log begins and does not end.
  private static func lastTransaction(_ ending: WriteAheadLog.Ending) -> String {
    if case .cutOff = ending {
      return
        "the -wal ends inside a frame: what was committed from there on, if anything, is missing"
    }
    return "the last transaction of the -wal is not complete and does not count"
  }

  /// What SQLite would not read of a log that was damaged.
  private static func continued(_ log: WriteAheadLog, in image: Image) -> Finding {
    let commits = log.continued.count { $0.commitPageCount != nil }
    let damaged =
      log.damaged.isEmpty ? "" : ", \(counted(log.damaged.count, "frame")) of it damaged"
    return Finding(
      .walDamaged,
      "the chain of frames in the -wal is broken\(damaged): \(counted(commits, "transaction")) behind "
        + "the break were committed, as their checksums prove, and SQLite would not read them",
      at: place(of: log, at: breakOffset(log), in: image), severity: .loss)
  }

  /// Where the frame begins that SQLite does not read on from; nil where it reads all.
  private static func breakOffset(_ log: WriteAheadLog) -> Int? {
    switch log.ending {
    case .complete, .olderGeneration: nil
    case .checksumBroken(let offset), .cutOff(let offset), .saltsChanged(let offset): offset
    }
  }

  /// The page whose frame is broken; where its number cannot be believed, the place in the log.
  private static func place(
    of log: WriteAheadLog, at offset: Int?, in image: Image
  ) -> Finding.Place {
    // A frame with other salts is of another generation, and the page in it none the worse.
    if case .saltsChanged = log.ending { return .init(offset: offset) }
    let frames = log.continued + log.uncommitted + log.unverified
    let broken = frames.first { $0.offset - WriteAheadLog.frameHeaderSize == offset }
    guard let page = (broken ?? log.damaged.first)?.page, page.number <= image.pageCount else {
      return .init(offset: offset)
    }
    return .init(page: page)
  }
}
