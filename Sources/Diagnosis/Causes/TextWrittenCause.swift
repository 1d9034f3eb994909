// SPDX-License-Identifier: Apache-2.0
// What another part of a program wrote into the file, as it does to a file that has the number of one
// that was closed: text over its beginning, over a page or behind its end, or a record of TLS.

import SQLiteFormat

enum TextWrittenCause: Cause {
  static let kind = CauseKind.textWritten
  static let words = CauseWords(
    title: "text or other data was written into it",
    now:
      "Salvage it: what was written over is gone, and nothing else. Ask which program writes such "
      + "lines.",
    differently:
      "Look for code that closes a file or a connection twice, or writes to it after closing "
      + "it: SQLite's file can get that number. No other program may have the file open for writing."
  )

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard traces.isDamaged, let image = traces.survey.image, image.start == 0,
      traces.survey.transfer == nil
    else { return .silent }
    if let tail = tail(of: traces, image) { return tail }
    guard !traces.scars.contains(where: { $0.look == .marked }) else {
      return .ruledOut("what fills whole sectors is a mark, as copies of failing disks have it")
    }
    guard traces.blocksOfOtherFiles.isEmpty else {
      return .ruledOut("the text in it fills whole pages, as a piece of another file does")
    }
    let texts = traces.texts
    // In a file that has shifted, pages begin anywhere.
    let hasGrown =
      traces.header.map { $0.isPageCountValid && $0.pageCount < image.pageCount } ?? false
    let isInPlace =
      traces.missing == nil && traces.survey.firstMovedPage == nil && !hasGrown
      && texts.count * 4 <= max(8, image.pageCount)
    if let first = texts.first, isInPlace || first.page == .first {
      let isHead = first.page == .first
      let span = TextSpan.all(texts, in: image).first { $0.pages.contains(first.page) }
      let lines = span?.lineByteCount
      let count = lines ?? span?.byteCount ?? first.count
      return .fits(
        confidence(of: count, isHead: isHead, isBeforeValue: lines != nil),
        isHead
          ? "text lies over the beginning of the file"
          : "text lies over the beginning of \(pageList(texts.map(\.page)))",
        [
          "\(counted(count, "byte")) of text stand where "
            + (isHead ? "the file header should be" : "a page should begin")
        ],
        now: traces.indexDoubt == nil
          ? nil
          : "No row is lost: only indexes were written over, and they can be built anew. Ask which "
            + "program writes such lines.")
    }
    if let fit = head(of: traces, image) ?? inside(traces, image) ?? inLog(traces) { return fit }
    // Lines in the midst of damage may be those of a row, or not.
    let mayHoldLines = traces.wounds.contains { scar in
      (try? image.bytes(of: scar.page)).map(LinesOverRows.areThere) ?? false
    }
    return mayHoldLines ? .silent : .ruledOut("no text stands where a page begins")
  }

  /// How sure it is that a program wrote so many bytes of text where a page begins.
  ///
  /// A program ends its lines anywhere; what ends with a sector may be a block of another file, and so
  /// may be text that fills whole pages.
  private static func confidence(
    of count: Int, isHead: Bool, isBeforeValue: Bool
  ) -> Confidence {
    if count % Scar.sector == 0 { return .possible }
    return !isBeforeValue && (count >= 64 || isHead) ? .certain : .likely
  }

  /// Lines inside a page, over the beginnings of its rows.
  private static func inside(_ traces: Traces, _ image: Image) -> CauseJudgement? {
    let lines = traces.wounds.compactMap { scar -> (page: PageNumber, lines: LinesOverRows)? in
      guard scar.look == .other, let bytes = try? image.bytes(of: scar.page),
        let page = try? BTreePage(bytes, number: scar.page, geometry: image.geometry),
        let lines = LinesOverRows(page)
      else { return nil }
      return (scar.page, lines)
    }
    guard let first = lines.first else { return nil }
    return .fits(
      .likely, "lines of text lie over rows of \(pageList(lines.map(\.page)))",
      [
        "\(counted(first.lines.range.count, "byte")) of them stand on page \(first.page), and "
          + "\(counted(first.lines.rowCount, "row")) should begin there"
      ])
  }

  /// Text in the log, over frames.
  private static func inLog(_ traces: Traces) -> CauseJudgement? {
    guard case .text(let count) = traces.logWound else { return nil }
    return .fits(
      .likely, "text lies over frames of its log",
      ["\(counted(count, "byte")) of text stand in the -wal where a frame should begin"])
  }

  /// A few words over the magic of the file, or a record of TLS, whose header tells its length
  /// (RFC 8446, section 5.1).
  private static func head(of traces: Traces, _ image: Image) -> CauseJudgement? {
    guard traces.header?.hasMagic != true,
      let bytes = try? image.files.main.read(at: 0, count: DatabaseHeader.byteCount),
      bytes.count == DatabaseHeader.byteCount
    else { return nil }
    if (0x14...0x17).contains(bytes[0]), bytes[1] == 3, bytes[2] <= 4,
      let length = bytes.big16(at: 3), (1...(1 << 14 + 256)).contains(length)
    {
      return .fits(
        .likely, "data of a network connection lies over the beginning of the file",
        ["it begins with the header of a TLS record of \(counted(length, "byte"))"])
    }
    if let kind = try? FileKind.named(image.files.main), kind.canLieOverHead {
      let name = OtherContentCause.article(of: kind.name) + kind.name
      return .fits(
        .likely, "the beginning of \(name) lies over the beginning of the file",
        ["its first bytes are those of \(name), and the pages of the database lie behind them"])
    }
    let length = TextRun.length(of: bytes)
    let count = length >= DatabaseHeader.magic.count ? length : shortText(over: bytes)
    guard count > 0, !bytes.prefix(10).elementsEqual(DatabaseHeader.magic.prefix(10)) else {
      return nil
    }
    return .fits(
      .likely, "text lies over the beginning of the file",
      ["\(counted(count, "byte")) of text stand where the file header should be"])
  }

  /// The fewest bytes of a short text, and of those that are not the magic's.
  private static let shortMin = 5

  /// How long a text is that ends inside the magic, of which the rest is there; none where it is too
  /// short to tell.
  private static func shortText(over bytes: Bytes) -> Int {
    let places = zip(bytes, DatabaseHeader.magic).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
    guard places.count >= shortMin, let last = places.last,
      bytes[...last].allSatisfy({ (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) })
    else { return 0 }
    return last + 1
  }

  /// Text behind the last page.
  static func tail(of traces: Traces, _ image: Image) -> CauseJudgement? {
    guard let header = traces.header, header.isPageCountValid, header.hasMagic else { return nil }
    let end = header.pageCount * image.geometry.pageSize
    guard end < image.files.main.byteCount, end > 0,
      let bytes = try? image.files.main.read(at: end, count: 4096), bytes.count >= 16,
      TextRun.length(of: bytes) == bytes.count
    else { return nil }
    return .fits(
      .certain, "text stands behind the end of the database",
      [
        "\(counted(image.files.main.byteCount - end, "byte")) follow its last page, and they are text"
      ])
  }
}
