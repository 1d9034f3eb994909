// SPDX-License-Identifier: Apache-2.0
// Databases that lie one behind the other in one file: which of them is meant, and where the others
// are.

package import SQLiteFormat

/// A database that lies in a file beside the one that is read.
package struct Neighbour: Hashable, Sendable {
  /// Where it is in the file, in bytes.
  package let range: Range<Int>
  /// The number of its pages.
  package let pageCount: Int
  /// Whether it has its first page.
  package let hasHead: Bool

  /// What it is, and how it is read.
  package var message: String {
    "another database" + (hasHead ? "" : ", without its head,")
      + " lies in the file at byte \(range.lowerBound), with "
      + counted(pageCount, "page", "pages")
      + ": read it with --offset \(range.lowerBound) --length \(range.count)"
  }
}

extension FileSet {
  /// The databases behind the one that the main file begins with; SQLite leaves them out, as the
  /// header says where that ends.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  package func neighboursBehind(_ header: DatabaseHeader) throws(ReadFailure) -> [Neighbour] {
    guard header.hasMagic, header.isPageCountValid,
      main.byteCount > header.pageCount * header.pageSize
    else { return [] }
    return try Neighbours(main, magic: 0)?.others ?? []
  }
}

/// The databases that a file holds, where it is more than one.
///
/// A database's header says how long it is, and a file ends where its database does. Where a file
/// goes on, or its header is gone, a second first page tells: one that uses each of its bytes, and
/// whose database begins where the one before it ends, or fills the file up to its end. One that
/// does neither is a page that moved.
struct Neighbours {
  /// Where the database that is read lies.
  let range: Range<Int>
  /// Where its first page is, if it has one.
  let head: Int?
  /// The others.
  let others: [Neighbour]

  /// A first page, and what its header says.
  private struct Head {
    let start: Int
    let geometry: Geometry
    /// The bytes of its database; nil where its header does not tell.
    let byteCount: Int?

    var end: Int? { byteCount.map { start + $0 } }
  }

  /// Where a database can begin, counted from another: files are written in sectors.
  private static let sector = 512
  private static let pieceByteCount = 1 << 18

  /// The databases of a file; nil where it is only one.
  ///
  /// `magic` is where the first magic string near the start of the file stands; nil for nowhere.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  init?(_ source: any PageSource, magic: Int?) throws(ReadFailure) {
    let first = try magic.map { place throws(ReadFailure) in try Self.head(in: source, at: place) }
    if let end = (first ?? nil)?.end, end == source.byteCount, magic == 0 { return nil }
    let heads = try Self.heads(in: source, from: magic ?? 0)
    guard let front = heads.first else { return nil }
    var ends = heads.dropFirst().map(\.start) + [source.byteCount]
    let front0 = 0..<front.start
    if front.start > 0, front.end == ends[0], try Self.isDatabase(source, front0) {
      // The database at the start of the file has lost its head; the one behind it is whole.
      let headless = Neighbour(
        range: front0, pageCount: front0.count / front.geometry.pageSize, hasHead: false)
      let isMeant = front0.count > ends[0] - front.start
      let whole = zip(heads, ends).map { Self.neighbour($0, endingAt: $1) }
      range = isMeant ? front0 : 0..<ends[0]
      head = isMeant ? nil : front.start
      others = isMeant ? whole : [headless] + whole.dropFirst()
      return
    }
    guard heads.count > 1 else { return nil }
    range = 0..<ends.removeFirst()
    head = front.start
    others = zip(heads.dropFirst(), ends).map { Self.neighbour($0, endingAt: $1) }
  }

  private static func neighbour(_ head: Head, endingAt end: Int) -> Neighbour {
    Neighbour(
      range: head.start..<end,
      pageCount: (end - head.start + head.geometry.pageSize - 1) / head.geometry.pageSize,
      hasHead: true)
  }

  /// The first pages of databases, from a place on; what stands there counts in any case.
  private static func heads(
    in source: any PageSource, from start: Int
  ) throws(ReadFailure) -> [Head] {
    var found: [Head] = []
    var offset = start
    let first = DatabaseHeader.magic.first
    while let data = source.dataRange(from: offset) {
      let piece = start + max(0, data.lowerBound - start) / sector * sector
      let bytes = try source.read(at: piece, count: pieceByteCount)
      guard !bytes.isEmpty else { break }
      for place in stride(from: 0, to: bytes.count, by: sector)
      where bytes[place] == first && bytes.matches(DatabaseHeader.magic, at: place) {
        if let head = try head(in: source, at: piece + place) { found.append(head) }
      }
      offset = piece + pieceByteCount
    }
    return try accepted(found, in: source)
  }

  /// Those that begin a database of their own, in their order.
  private static func accepted(
    _ heads: [Head], in source: any PageSource
  ) throws(ReadFailure) -> [Head] {
    var accepted: [Head] = []
    let starts = Set(heads.map(\.start)).union([source.byteCount])
    for head in heads {
      guard let before = accepted.last, before.end != head.start else {
        accepted.append(head)
        continue
      }
      guard let end = head.end, end > head.start, starts.contains(end) else { continue }
      let page = try source.read(at: head.start, count: head.geometry.pageSize)
      if try page != source.read(at: before.start, count: before.geometry.pageSize) {
        accepted.append(head)
      }
    }
    return accepted
  }

  /// The first page at a place; nil where it is none.
  private static func head(
    in source: any PageSource, at start: Int
  ) throws(ReadFailure) -> Head? {
    let bytes = try source.read(at: start, count: DatabaseHeader.byteCount)
    guard let header = DatabaseHeader(bytes), header.hasMagic, let geometry = header.geometry
    else { return nil }
    let page = try source.read(at: start, count: geometry.pageSize)
    guard let tree = try? BTreePage(page, number: .first, geometry: geometry),
      tree.layoutFaults.isEmpty
    else { return nil }
    let byteCount = header.countedPages.map { $0 * header.pageSize }
    return Head(start: start, geometry: geometry, byteCount: byteCount)
  }

  /// Whether pages of a database lie in a part of the file.
  private static func isDatabase(
    _ source: any PageSource, _ range: Range<Int>
  ) throws(ReadFailure) -> Bool {
    try PageVote(SliceOfSource(source, range), reserved: 0).winner != nil
  }
}
