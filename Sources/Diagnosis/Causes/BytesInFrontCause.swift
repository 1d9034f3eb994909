// SPDX-License-Identifier: Apache-2.0
// Bytes that were put in front of a database, into it or behind it, or that were left out of it.

import SQLiteFormat

enum BytesInFrontCause: Cause {
  static let kind = CauseKind.bytesInFront
  static let words = CauseWords(
    title: "bytes were put into it or left out of it",
    now:
      "Salvage reads the file past them. Better still, ask for the file as it lies on the device: "
      + "the original may be sound.",
    differently: "Let nothing write to a database but SQLite, and compare sizes or digests after a "
      + "transfer.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard let image = traces.survey.image, traces.diskImage == nil,
      traces.survey.transfer != .carriageReturnsRemoved,
      traces.survey.transfer != .carriageReturnsReplaced
    else { return .silent }
    return joined(traces) ?? askew(image) ?? insideOrBehind(traces, image)
      ?? .ruledOut("it begins where a database begins, and its pages lie in their places")
  }

  /// What was joined with it: another database, what a disk keeps beside its blocks, or its log.
  private static func joined(_ traces: Traces) -> CauseJudgement? {
    if let other = traces.survey.neighbours.first {
      return .fits(
        .certain, "two databases were written into one file",
        [
          "at byte \(grouped(other.range.lowerBound)) begins what has a length of its own, up to the "
            + "end of the file or of the next one"
        ],
        now: "Read each of them by itself: the findings name the places of the others.")
    }
    if let transfer = traces.survey.transfer, case .blocksParted(let block, let added) = transfer {
      return transfer.isText
        ? .silent
        : .fits(
          .certain, "\(added) bytes were put into it after each \(block)",
          [
            "it is longer than its pages by just that, as what is read from a disk with sectors of "
              + "\(block + added) bytes"
          ])
    }
    if case .chunked(let count)? = traces.survey.transfer {
      return .fits(
        .certain, "it was saved as HTTP sends it, in chunks",
        ["before each of \(counted(count, "chunk")) stands how long it is"],
        now: "Salvage reads the file without the lengths. Better still, download it again with a "
          + "program that takes them out.")
    }
    if let start = traces.survey.startOfAttachedLog {
      return .fits(
        .certain, "its log was attached to its end", ["a log begins at byte \(grouped(start))"],
        now: "Take the two apart, and open them together: head -c \(start) FILE > NEW; "
          + "tail -c +\(start + 1) FILE > NEW-wal")
    }
    return nil
  }

  /// Bytes before its beginning, or a beginning that is missing.
  private static func askew(_ image: Image) -> CauseJudgement? {
    if image.start > 0 {
      let front = (try? image.files.main.read(at: 0, count: min(image.start, 4096))) ?? []
      return .fits(
        .certain,
        "\(counted(image.start, "byte stands", "bytes stand")) before the beginning of the database",
        [content(of: front)])
    }
    if image.start < 0 || !image.hasPageNumbers {
      return .fits(
        image.hasPageNumbers || beginsInside(image) ? .certain : .possible,
        image.hasPageNumbers
          ? "the first \(grouped(-image.start)) bytes of the database are missing"
          : "the beginning of the database is missing",
        ["a download that was resumed, or a file that was cut in pieces, looks like this"],
        now: "Ask for the file again: what is missing stands in no other place.")
    }
    return nil
  }

  /// Bytes inside it or behind it.
  private static func insideOrBehind(_ traces: Traces, _ image: Image) -> CauseJudgement? {
    if let first = traces.survey.firstMovedPage, !traces.isConverted,
      TransferredAsTextCause.bytesDropped(from: traces) == nil
    {
      // Pages of several moments lie elsewhere, too, and do not fit together for that.
      let isInOrder = !traces.survey.leadsAstray
      return .fits(
        isInOrder ? .likely : .possible,
        "bytes were put into the file or left out of it, or its pieces joined in another order",
        [
          "from page \(first) on, the pages do not lie where their numbers say",
          isInOrder ? "put back, each lies where it is led to" : nil,
        ], against: isInOrder ? [] : ["put back, they do not fit together either"])
    }
    if let rest = rest(of: traces, image) {
      return .fits(
        .certain, "\(counted(rest, "byte stands", "bytes stand")) behind the last page", [],
        now:
          "Nothing that belongs to the database is missing because of them: salvage, or a backup "
          + "and its restore, leaves them out.")
    }
    return nil
  }

  /// Whether the file begins with the end of a page, or with a page that is not the first one.
  private static func beginsInside(_ image: Image) -> Bool {
    let pageSize = image.geometry.pageSize
    guard image.start % pageSize == 0 else { return true }
    guard let number = PageNumber(2),
      let bytes = try? image.files.main.read(at: 0, count: pageSize),
      let page = try? BTreePage(bytes, number: number, geometry: image.geometry)
    else { return false }
    return page.layoutFaults.isEmpty
  }

  /// How many bytes stand behind the last page, where the header tells it and they are no page; nil
  /// for none, and for text, which says more.
  private static func rest(of traces: Traces, _ image: Image) -> Int? {
    guard traces.isDamaged, traces.survey.transfer == nil, let header = traces.header,
      header.hasMagic, header.isPageCountValid, traces.survey.schema?.tree.isSound == true,
      TextWrittenCause.tail(of: traces, image) == nil, !traces.usesPages(behind: header.pageCount)
    else { return nil }
    let rest = image.files.main.byteCount - header.pageCount * header.pageSize
    return rest > 0 && rest % header.pageSize != 0 ? rest : nil
  }

  /// What was put in front, as far as that has a name.
  private static func content(of bytes: Bytes) -> String? {
    if bytes.elementsEqual([0xEF, 0xBB, 0xBF]) { return "they are the mark of a UTF-8 text" }
    let text = TextRun.length(of: bytes)
    guard text == bytes.count, text > 0 else { return nil }
    return bytes.matches("--".utf8)
      ? "they are the head of an upload by a web form" : "they are text"
  }
}
