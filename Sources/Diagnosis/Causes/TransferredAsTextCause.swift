// SPDX-License-Identifier: Apache-2.0
// Files that were sent or stored as if they were text.

import SQLiteFormat

enum TransferredAsTextCause: Cause {
  static let kind = CauseKind.transferredAsText
  static let words = CauseWords(
    title: "it was transferred as text",
    now: "Ask for the file again, as a binary file or in a zip: the original is most likely sound.",
    differently:
      "Transfer databases in binary mode: FTP 'binary', 'binary' in .gitattributes, bytes "
      + "and not text in programs.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    if let transfer = traces.survey.transfer { return judgement(of: transfer, in: traces) }
    guard traces.survey.image != nil else { return .silent }
    if traces.survey.firstMovedPage != nil {
      return bytesDropped(from: traces).map(shrunken) ?? .silent
    }
    if traces.missing != nil, !traces.isOnlyEndMissing, lacksReturns(traces) {
      return bytesDropped(from: traces).map(shrunken)
        ?? .fits(
          .possible, "carriage returns before line feeds may have been dropped from it",
          ["it is too short, and no line feed in it follows a carriage return"],
          against: ["most databases have no such pair of bytes"])
    }
    return (traces.isDamaged ? replacement(in: traces) : nil)
      ?? .ruledOut("its line ends and its bytes are as in a binary file")
  }

  /// What is said of a transfer that the survey has found.
  private static func judgement(
    of transfer: TextTransfer, in traces: Traces
  ) -> CauseJudgement {
    switch transfer {
    case .lineFeedsExpanded(let count):
      .fits(
        .certain, "every line feed in it became carriage return and line feed",
        ["\(counted(count, "carriage return")) too many, and none of the line feeds without one"],
        now: "Every such change can be taken back, and salvage does it. Better still, ask for the "
          + "file again, as a binary file or in a zip.")
    case .logLineFeedsExpanded(let count):
      .fits(
        .certain, "every line feed in its -wal became carriage return and line feed",
        [
          "\(counted(count, "carriage return")) too many, and none of the line feeds without one: its "
            + "checksums hold without them"
        ],
        now:
          "Keep the -wal as it is, and let no program open the two: SQLite takes it for damaged, and "
          + "goes on without it. Salvage reads it; better still, ask for it again, in a zip.")
    case .bytesWidened(let count):
      .fits(
        .certain, "every byte above 127 in it became the two bytes of a character",
        ["\(counted(count, "byte")) more than there were, and no such byte stands alone"],
        now: "Every such change can be taken back, and salvage does it. Better still, ask for the "
          + "file again, as a binary file or in a zip.")
    case .blocksParted(let block, _) where transfer.isText:
      .fits(
        .certain, "the end of a line was put into it after each \(block) bytes",
        ["it is longer than its pages by just that"],
        now: "Every such change can be taken back, and salvage does it. Better still, ask for the "
          + "file again, as a binary file or in a zip.")
    case .blocksParted, .chunked: .ruledOut("what was put into it are no ends of lines")
    case .carriageReturnsDropped where traces.isOnlyEndMissing:
      .ruledOut("its pages lie in their places")
    case .carriageReturnsDropped:
      .fits(
        .likely, "carriage returns before line feeds were dropped from it",
        [
          "it is too short, and of many carriage returns and line feeds none stand side by side"
        ])
    case .carriageReturnsRemoved:
      .fits(
        .certain, "every carriage return was taken out of it",
        ["it is too short, and no byte of it is 13, with which the leaves of tables begin"],
        now: "Ask for the file again, as a binary file or in a zip: what was taken out is not put "
          + "back.")
    case .carriageReturnsReplaced:
      .fits(
        .certain, "every carriage return in it became a line feed",
        [
          "it is too short, no byte of it is 13, and its first page begins with 10 where a schema "
            + "begins with 13"
        ],
        now: "Ask for the file again, as a binary file or in a zip: which line feeds were carriage "
          + "returns, nothing tells.")
    case .reencoded:
      .fits(
        .certain, "every byte of it that was not UTF-8 was replaced",
        [
          "it is valid UTF-8, which no database is, with many of the character that stands for what "
            + "is not"
        ])
    case .charactersWidened:
      .fits(
        .certain, "every byte above 127 in it became a character of text",
        ["it is valid UTF-8, which no database is, with many characters that are not ASCII"])
    case .questionMarks:
      .fits(
        .certain, "every byte above 127 in it became a question mark",
        ["no such byte is left, which every database has, and question marks stand all over it"])
    case .sevenBits:
      .fits(
        .certain, "it was transferred in 7 bits, which left no byte above 127",
        ["every database has such bytes: the places of its first rows"])
    }
  }

  /// How many bytes were dropped from it as carriage returns before line feeds, where its pages tell;
  /// nil where they do not.
  static func bytesDropped(from traces: Traces) -> Int? {
    guard let image = traces.survey.image, image.start == 0, let main = traces.bytesAsTheyLie,
      let header = traces.header, header.isPageCountValid, lacksReturns(traces)
    else { return nil }
    let missing = header.pageCount * header.pageSize - main.byteCount
    guard missing > 0 else { return nil }
    return ShrunkenPages(main, pageSize: image.geometry.pageSize, missing: missing)?.shift
  }

  /// That bytes were left out all over it.
  private static func shrunken(by shift: Int) -> CauseJudgement {
    .fits(
      .likely, "carriage returns before line feeds were dropped from it",
      [
        "its pages lie before their places, the last by \(counted(shift, "byte")), and more so "
          + "from page to page",
        "no line feed in it follows a carriage return",
      ])
  }

  /// What was replaced in it byte by byte, as bytes tell that every database has and it has not.
  private static func replacement(in traces: Traces) -> CauseJudgement? {
    traces.survey.replacedByte.map { replaced in
      .fits(
        .likely, "\(replaced.name)s in it were replaced",
        ["no byte of it is \(replaced.gone), with which the leaves of \(replaced.leaves) begin"],
        now: "Ask for the file again, as a binary file or in a zip: which bytes "
          + "\(replaced.standIn) were \(replaced.name)s, nothing tells. Salvage sets rows aside that "
          + "hold one.")
    }
  }

  /// Whether there are line feeds at the beginning, and none of them follows a carriage return.
  private static func lacksReturns(_ traces: Traces) -> Bool {
    guard let bytes = try? traces.bytesAsTheyLie?.read(at: 0, count: 1 << 18) else {
      return false
    }
    var (feeds, previous) = (0, UInt8(0))
    for byte in bytes {
      if byte == 0x0A {
        guard previous != 0x0D else { return false }
        feeds += 1
      }
      previous = byte
    }
    return feeds >= 64
  }
}
