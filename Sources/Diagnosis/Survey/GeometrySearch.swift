// SPDX-License-Identifier: Apache-2.0
// Page size, reserved bytes and start of a database: from the header where it can be
// believed, else by a vote of the pages.

public import SQLiteFormat

/// How a database is cut into pages, and how that is known.
public struct GeometryDecision: Hashable, Sendable {
  /// How a geometry is known.
  public enum Basis: Hashable, Sendable {
    /// The header says so, and nothing contradicts it.
    case header
    /// The pages agree among themselves; the header says otherwise or nothing.
    case vote
    /// The write-ahead log says so; the database file has no pages yet.
    case log
  }

  /// The geometry.
  public let geometry: Geometry
  /// Where the database starts in the file, in bytes.
  public let start: Int
  /// How it is known.
  public let basis: Basis
}

/// The search for the geometry of a database.
struct GeometrySearch {
  /// How many pages of each size are looked at, at most.
  private static let sampleMax = 4096

  /// The geometry of a file set; nil when no page size dominates.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  static func decide(_ files: FileSet) throws(ReadFailure) -> GeometryDecision? {
    let source = files.main
    if source.byteCount == 0 {
      guard let wal = files.wal, let log = try? WriteAheadLog(wal),
        let geometry = Geometry(pageSize: log.pageSize)
      else { return nil }
      return GeometryDecision(geometry: geometry, start: 0, basis: .log)
    }
    let start = try startOfDatabase(source)
    let header = DatabaseHeader(try source.read(at: start, count: DatabaseHeader.byteCount))
    if let header, header.hasMagic, let geometry = header.geometry {
      let stated = try votes(source, start: start, geometry, enough: 1)
      // A small or WAL-only database may have few b-tree pages: its header stands.
      if stated > 0 || source.byteCount - start <= 4 * geometry.pageSize {
        return GeometryDecision(geometry: geometry, start: start, basis: .header)
      }
    }
    guard let winner = try vote(source, start: start, reserved: header?.reserved ?? 0) else {
      return header?.hasMagic == true
        ? header?.geometry.map { GeometryDecision(geometry: $0, start: start, basis: .header) }
        : nil
    }
    return GeometryDecision(geometry: winner, start: start, basis: .vote)
  }

  /// Where the magic string stands, near the start of the file; 0 when nowhere.
  private static func startOfDatabase(_ source: any PageSource) throws(ReadFailure) -> Int {
    let head = try source.read(at: 0, count: 1 << 20)
    if head.matches(DatabaseHeader.magic) { return 0 }
    let first = DatabaseHeader.magic.first
    for offset in head.indices where head[offset] == first {
      if head.matches(DatabaseHeader.magic, at: offset) { return offset }
    }
    return 0
  }

  /// The geometry that makes sense of the most bytes, when it does so clearly.
  private static func vote(
    _ source: any PageSource, start: Int, reserved: Int
  ) throws(ReadFailure) -> Geometry? {
    var results: [(geometry: Geometry, bytes: Int)] = []
    for pageSize in Geometry.pageSizes {
      for reserve in Set([0, reserved]).sorted() {
        guard let geometry = Geometry(pageSize: pageSize, reserved: reserve) else { continue }
        let pages = try votes(source, start: start, geometry)
        results.append((geometry, pages * pageSize))
      }
    }
    results.sort { $0.bytes > $1.bytes }
    guard let best = results.first, best.bytes > 0 else { return nil }
    if results.count > 1, results[1].bytes * 2 > best.bytes { return nil }
    return best.geometry
  }

  /// How many of the pages looked at are sound b-tree pages with cells, in this geometry;
  /// stops at `enough`.
  private static func votes(
    _ source: any PageSource, start: Int, _ geometry: Geometry, enough: Int = .max
  ) throws(ReadFailure) -> Int {
    let pageCount = (source.byteCount - start) / geometry.pageSize
    let stride = max(1, pageCount / sampleMax)
    var votes = 0
    for index in Swift.stride(from: 0, to: pageCount, by: stride) {
      let bytes = try source.read(
        at: start + index * geometry.pageSize, count: geometry.pageSize)
      guard let number = PageNumber(index + 1),
        let page = try? BTreePage(bytes, number: number, geometry: geometry),
        page.cellCount > 0, page.layoutFaults.isEmpty
      else { continue }
      votes += 1
      if votes >= enough { break }
    }
    return votes * stride
  }
}
