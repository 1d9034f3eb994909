// SPDX-License-Identifier: Apache-2.0
// What disks, cards and memory do: sectors that are gone, bits that have turned.

import SQLiteFormat

enum BadMediumCause: Cause {
  static let kind = CauseKind.badMedium
  static let words = CauseWords(
    title: "its disk or memory has lost bytes",
    now: "Copy everything that matters off that disk now, and work on the copy. Then salvage.",
    differently: "Check the disk or card (its SMART values, dmesg) and replace it; if it is sound, "
      + "test the memory.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    let unread = traces.findings(.unreadableBytes) + traces.findings(.bytesNotRead)
    if let first = unread.first {
      return .fits(.certain, "the disk did not hand out some bytes of it", [first.message])
    }
    guard traces.isDamaged, let image = traces.survey.image else { return .silent }
    guard traces.missing == nil else {
      return turnedPageCount(traces, image) ?? inLog(traces) ?? .silent
    }
    return foreignBlocks(traces) ?? turnedBit(traces, image) ?? scarred(traces, image)
      ?? random(traces, image) ?? blankHead(traces, image) ?? inTexts(traces, image)
      ?? inLog(traces) ?? .silent
  }

  /// Whole blocks of another file.
  private static func foreignBlocks(_ traces: Traces) -> CauseJudgement? {
    let pages = traces.blocksOfOtherFiles
    guard !pages.isEmpty else { return nil }
    return .fits(
      .likely, "\(pageList(pages, "holds", "hold")) a piece of another file",
      [
        "text fills the whole page, and its last line goes on elsewhere: who writes lines ends "
          + "them, and file systems and disks mistake whole blocks"
      ])
  }

  /// Sectors and pages that hold one byte, or a mark, again and again.
  private static func scarred(_ traces: Traces, _ image: Image) -> CauseJudgement? {
    var marked: [PageNumber] = []
    var parts: [PageNumber] = []
    var filled: [PageNumber] = []
    var zeros: [PageNumber] = []
    for scar in traces.scars {
      switch scar.look {
      case .marked: marked.append(scar.page)
      case .blank(_, _, false): parts.append(scar.page)
      case .blank: filled.append(scar.page)
      case .zeros where scar.isOwned: zeros.append(scar.page)
      default: break
      }
    }
    if !marked.isEmpty {
      return .fits(
        .likely, "whole sectors of \(pageList(marked)) hold a mark and not what was there",
        [
          "a few bytes fill them again and again: programs that copy failing disks, as ddrescue, "
            + "mark so what could not be read"
        ])
    }
    if !parts.isEmpty { return blankSectors(of: parts, image) }
    if !filled.isEmpty {
      return .fits(
        .likely, "\(pageList(filled, "holds", "hold")) nothing but 255",
        ["flash memory that was erased reads like this, and SQLite never writes it"])
    }
    if !zeros.isEmpty {
      return .fits(
        .possible, "\(pageList(zeros, "holds", "hold")) nothing but zeros",
        ["a disk that lost them, or a copy that left out what could not be read, gives zeros"],
        against: ["pages that were never written because power failed look the same"])
    }
    return nil
  }

  /// Sectors that hold nothing, in pages that hold something else besides.
  private static func blankSectors(of pages: [PageNumber], _ image: Image) -> CauseJudgement {
    // A page that was new when power failed can be written in part.
    let isAtEnd = pages.allSatisfy { $0.number > image.pageCount - max(8, image.pageCount / 10) }
    let isAskew = pages.allSatisfy { beginsAskew($0, image) }
    return .fits(
      isAtEnd || isAskew ? .possible : .likely,
      "whole sectors of \(pageList(pages)) are blank",
      [
        "512 bytes at a time hold nothing but 0 or 255 in pages that else hold rows: SQLite writes "
          + "whole pages, and disks lose sectors"
      ],
      against: (isAtEnd ? ["pages that were new when power failed look the same"] : [])
        + (isAskew
          ? [
            "the zeros begin before them, at no sector: a piece of a download or copy that never came "
              + "leaves them"
          ] : []))
  }

  /// Whether the zeros at the beginning of a page began before it, and where no sector does.
  ///
  /// A few zeros more may be what was there.
  private static func beginsAskew(_ page: PageNumber, _ image: Image) -> Bool {
    let end = image.offset(of: page)
    var start = end
    while start > 0 {
      let piece = max(0, start - (1 << 16))
      guard let bytes = try? image.files.main.read(at: piece, count: start - piece),
        bytes.count == start - piece
      else { return false }
      let zeros = bytes.reversed().prefix { $0 == 0 }.count
      start -= zeros
      if zeros < bytes.count { break }
    }
    let rest = (Scar.sector - start % Scar.sector) % Scar.sector
    return end - start > Scar.sector && rest > 16
  }

  /// Sectors in the midst of texts that hold something else.
  private static func inTexts(_ traces: Traces, _ image: Image) -> CauseJudgement? {
    let pages = traces.overwrittenTexts
    guard !pages.isEmpty else { return nil }
    let isErased = pages.allSatisfy { hasSector(of: 0xFF, on: $0, image) }
    return .fits(
      isErased ? .likely : .possible,
      "a sector in the midst of a text on \(pageList(pages)) "
        + (isErased ? "holds nothing but 255" : "was lost"),
      [
        "512 bytes of it are blank or no text, and what stands before and behind them is text: SQLite "
          + "writes whole pages, and disks lose sectors"
      ],
      against: isErased ? [] : ["a sector that was not written when power failed looks the same"])
  }

  /// Blanks in the log, among frames whose checksums prove them.
  private static func inLog(_ traces: Traces) -> CauseJudgement? {
    guard case .blank(let isHeader) = traces.logWound else { return nil }
    return .fits(
      .possible,
      isHeader ? "the header of its -wal is blank" : "bytes of its -wal are blank",
      [
        "there is nothing but 0 or 255 before frames whose checksums prove them: SQLite writes a log "
          + "from its beginning on, and disks lose sectors"
      ], against: ["power that fails before the disk has all of a log leaves the same"])
  }

  /// Whether a sector of a page holds one byte only, and that one.
  private static func hasSector(of byte: UInt8, on page: PageNumber, _ image: Image) -> Bool {
    guard let bytes = try? image.bytes(of: page) else { return false }
    return stride(from: 0, to: bytes.count, by: Scar.sector).contains { start in
      bytes[start..<min(start + Scar.sector, bytes.count)].allSatisfy { $0 == byte }
    }
  }

  /// The bytes that file systems and disks keep together: most have blocks of so many.
  private static let block = 4096

  /// Pages of bytes without a pattern.
  private static func random(_ traces: Traces, _ image: Image) -> CauseJudgement? {
    let pages = traces.scars.filter { $0.look == .random }.map(\.page)
    guard !pages.isEmpty else { return nil }
    let happened = "\(pageList(pages, "holds", "hold")) other data without a pattern"
    let size = image.geometry.pageSize
    let perBlock = block / size
    let blocks = Dictionary(grouping: pages) { ($0.number - 1) * size / block }
    guard perBlock > 1, image.start == 0, blocks.values.allSatisfy({ $0.count == perBlock }) else {
      return .fits(
        .possible, happened, [], against: ["another program that writes to the disk gives the same"]
      )
    }
    return .fits(
      .likely, happened,
      [
        "whole blocks of \(grouped(block)) bytes hold it, as disks and file systems keep them: SQLite "
          + "writes pages of \(grouped(size))"
      ])
  }

  /// A beginning of nothing but zeros, or of 255.
  private static func blankHead(_ traces: Traces, _ image: Image) -> CauseJudgement? {
    guard image.start == 0, traces.header?.hasMagic != true,
      let bytes = try? image.files.main.read(at: 0, count: DatabaseHeader.byteCount),
      let first = bytes.first, first == 0 || first == 0xFF
    else { return nil }
    let count = bytes.prefix { $0 == first }.count
    guard count >= DatabaseHeader.magic.count else { return nil }
    return .fits(
      .possible, "the first \(count) bytes of it hold nothing but \(first)", [],
      against: ["a program that writes over the beginning of a file gives the same"])
  }

  /// One bit of the number of pages that has turned.
  ///
  /// Something that is there leads to each page of a database: where nothing leads to pages behind
  /// the end, none were there. A first page that is newer than the others counts a few more.
  private static func turnedPageCount(_ traces: Traces, _ image: Image) -> CauseJudgement? {
    let stated = traces.header?.pageCount ?? 0
    guard !traces.leadsBeyondEnd, (stated ^ image.pageCount).nonzeroBitCount == 1 else {
      return nil
    }
    let isFar = stated - image.pageCount >= max(64, image.pageCount / 2)
    return .fits(
      isFar && traces.isOnlyEndMissing ? .likely : .possible,
      "a bit of the number of pages has turned",
      ["\(stated) and \(image.pageCount) differ in one bit, and nothing leads to further pages"])
  }

  /// One bit that has turned, where the rest proves it.
  private static func turnedBit(_ traces: Traces, _ image: Image) -> CauseJudgement? {
    if case .applied(let log) = image.wal {
      let masks = log.applied.compactMap(\.flip?.mask)
      if masks.contains(where: { $0.nonzeroBitCount == 1 }) {
        return .fits(
          .likely, "a bit of its log has turned", ["with that bit turned back, its checksum holds"])
      }
      if !masks.isEmpty {
        return .fits(
          .possible, "a byte of its log is another one",
          ["with one byte put right, the checksum of its frame holds"])
      }
    }
    if let pages = TurnedBits.pages(among: traces.wounds, image) {
      return .fits(
        .likely, "a bit of \(pageList(pages)) has turned",
        ["with one bit turned back, and no other, the page is sound"])
    }
    guard traces.header?.hasMagic != true,
      let bytes = try? image.files.main.read(at: 0, count: DatabaseHeader.byteCount)
    else { return nil }
    let magic = DatabaseHeader.magic
    let bits = zip(bytes, magic).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
    guard bits == 1 else { return nil }
    return .fits(
      .likely, "a bit of the file header has turned",
      ["one bit of its first 16 bytes is another one, and the rest is right"])
  }
}
