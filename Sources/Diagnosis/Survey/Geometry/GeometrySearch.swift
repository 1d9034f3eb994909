// SPDX-License-Identifier: Apache-2.0
// Page size, reserved bytes, start and page numbers of a database: from the header where it
// agrees with the pages, else by a vote of the pages.

package import SQLiteFormat

/// How a database is cut into pages, and how that is known.
package struct GeometryDecision: Hashable, Sendable {
  /// How a geometry is known.
  package enum Basis: Hashable, Sendable {
    /// The header says so, and nothing contradicts it.
    case header
    /// The pages agree among themselves; the header says otherwise or nothing.
    case vote
    /// The write-ahead log says so, or the journal; the database file has no pages.
    case log
  }

  /// The geometry.
  package let geometry: Geometry
  /// Where the database starts in the file, in bytes.
  ///
  /// Negative where the beginning of the database is missing: page n lies (n − 1) pages after.
  package let start: Int
  /// How it is known.
  package let basis: Basis
  /// Whether pages are known by the numbers by which others refer to them.
  ///
  /// Where they are not, the first page that is there counts as number 2, and no reference
  /// from one page to another can be followed.
  package let hasPageNumbers: Bool
  /// Whether the file begins with the first page of another database, whose pages are of another size.
  var hasHeadOfOtherSize = false
}

/// The search for the geometry of a database.
struct GeometrySearch {
  /// What a search found.
  struct Outcome {
    /// The geometry; nil when no page size dominates.
    let decision: GeometryDecision?
    /// The geometries that some of the pages have, best first; empty when nothing looks like a page.
    let candidates: [Geometry]
  }

  /// How much of the beginning of a file is searched for the magic string.
  private static let headMax = 1 << 20
  /// Where the pieces of a file can begin.
  private static let sector = 512

  /// The geometry of a file set, whose magic string stands at `magic`; nil for nowhere.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  static func decide(_ files: FileSet, magic: Int?) throws(ReadFailure) -> Outcome {
    let source = files.main
    if source.byteCount == 0 {
      let log = files.wal.flatMap { try? WriteAheadLog($0) }
      let journal = files.journal.flatMap { try? RollbackJournal($0, databasePageSize: nil) }
      let beheaded = log == nil ? files.wal.flatMap { BeheadedLog($0) } : nil
      guard let pageSize = log?.pageSize ?? beheaded?.pageSize ?? journal?.pageSize,
        let geometry = Geometry(pageSize: pageSize)
      else { return Outcome(decision: nil, candidates: []) }
      return Outcome(geometry, start: 0, .log)
    }
    let header = DatabaseHeader(
      try source.read(at: magic ?? 0, count: DatabaseHeader.byteCount))
    let stated = magic == nil ? nil : header?.geometry
    if let magic, let header, let stated, try isPage(source, 0, from: magic, stated),
      try !isInValue(source, at: magic, stated)
    {
      guard let others = try geometryOfOthers(source, from: magic, header, stated) else {
        return Outcome(stated, start: magic, .header)
      }
      return Outcome(
        others, start: magic, .vote, hasHeadOfOtherSize: others.pageSize != stated.pageSize)
    }
    let vote = try PageVote(source, reserved: header?.reserved ?? 0)
    guard let winner = vote.winner else {
      // A small or WAL-only database may have no page that could vote, and a few may speak for
      // anything: its header stands, unless all speak against it.
      if let magic, let stated, vote.candidates.isEmpty || vote.candidates.contains(stated) {
        return Outcome(stated, start: magic, .header)
      }
      return Outcome(decision: nil, candidates: vote.candidates)
    }
    let geometry = winner.geometry
    if let magic, magic % geometry.pageSize == winner.phase {
      return Outcome(geometry, start: magic, geometry == stated ? .header : .vote)
    }
    let numbering = try PageNumbering(PageRoll(source, geometry, phase: winner.phase)) {
      () throws(ReadFailure) in
      try NumberedCopies(files, geometry).firstNumber(in: source, phase: winner.phase)
    }
    let first = numbering.firstNumber ?? 2
    return Outcome(
      decision: GeometryDecision(
        geometry: geometry, start: winner.phase - (first - 1) * geometry.pageSize, basis: .vote,
        hasPageNumbers: numbering.firstNumber != nil), candidates: [geometry])
  }

  /// Where the magic string stands: at the start of the file, also where some of it is destroyed; near
  /// the start; or, at the start of a sector behind that, before a header that tells of as many bytes
  /// as the whole file has, whose pieces may have been joined in another order.
  static func placeOfMagic(_ source: any PageSource) throws(ReadFailure) -> Int? {
    if try DatabaseHeader.beginsAsMagic(source.read(at: 0, count: DatabaseHeader.magic.count)) {
      return 0
    }
    let head = try source.read(at: 0, count: headMax)
    let first = DatabaseHeader.magic.first
    if let place = head.indices.first(where: {
      head[$0] == first && head.matches(DatabaseHeader.magic, at: $0)
    }) {
      return place
    }
    var offset = headMax
    while let data = source.dataRange(from: offset) {
      let piece = data.lowerBound / sector * sector
      let bytes = try source.read(at: piece, count: headMax)
      guard !bytes.isEmpty else { break }
      for place in stride(from: 0, to: bytes.count, by: sector)
      where bytes[place] == first && bytes.matches(DatabaseHeader.magic, at: place) {
        let header = DatabaseHeader(
          try source.read(at: piece + place, count: DatabaseHeader.byteCount))
        if let header, header.isPageCountValid,
          header.pageCount * header.pageSize == source.byteCount
        {
          return piece + place
        }
      }
      offset = piece + headMax
    }
    return nil
  }

  /// Whether the pages of a database lie in a file as if page 1 was at its beginning, where other bytes
  /// are.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  static func findsPagesInPlace(_ source: any PageSource) throws(ReadFailure) -> Bool {
    guard let winner = try PageVote(source, reserved: 0).winner, winner.phase == 0 else {
      return false
    }
    if let magic = try placeOfMagic(source) {
      let header = DatabaseHeader(try source.read(at: magic, count: DatabaseHeader.byteCount))
      guard let stated = header?.geometry, try isInValue(source, at: magic, stated) else {
        return false
      }
    }
    return try PageNumbering(PageRoll(source, winner.geometry, phase: 0)).firstNumber == 1
  }

  /// Whether the first page at an offset is that of a database which another one has in a value: most
  /// pages of the file are larger.
  ///
  /// A page goes into a part of a larger one only, as the pages of an overflow chain begin with a
  /// number (file format, section 1.6).
  private static func isInValue(
    _ source: any PageSource, at offset: Int, _ stated: Geometry
  ) throws(ReadFailure) -> Bool {
    guard offset > 0, let winner = try PageVote(source, reserved: 0).winner else { return false }
    return winner.geometry.pageSize > stated.pageSize
  }
}

extension GeometrySearch {
  /// How many pages are looked at for one that is as the first page says.
  private static let othersMax = 64

  /// The geometry in which the pages behind the first one are pages, where none is in that one's: the
  /// beginning of the file came from another database.
  ///
  /// Every page of a database is as large as the others and has as many reserved bytes (file format,
  /// sections 1.3.2 and 1.3.4). Where others have more reserved bytes than the first one, its own cells
  /// lie in them: its geometry shows all. A header that knows how long the file is belongs to it.
  private static func geometryOfOthers(
    _ source: any PageSource, from start: Int, _ header: DatabaseHeader, _ stated: Geometry
  ) throws(ReadFailure) -> Geometry? {
    let count = (source.byteCount - start) / stated.pageSize
    guard count > 1, !header.isPageCountValid || header.pageCount != count else { return nil }
    let last = (count + 1) / 2..<count
    let step = max(1, last.count / othersMax)
    for page in stride(from: last.lowerBound, to: last.upperBound, by: step)
    where try isPage(source, page, from: start, stated) { return nil }
    guard let winner = try PageVote(source, reserved: stated.reserved).winner,
      winner.phase == start % winner.geometry.pageSize
    else { return nil }
    let isOfSize = winner.geometry.pageSize == stated.pageSize
    return isOfSize && winner.geometry.reserved >= stated.reserved ? nil : winner.geometry
  }

  /// Whether the page behind so many others uses each of its bytes once, as a page of a tree.
  private static func isPage(
    _ source: any PageSource, _ index: Int, from start: Int, _ geometry: Geometry
  ) throws(ReadFailure) -> Bool {
    guard let number = PageNumber(index + 1) else { return false }
    let bytes = try source.read(at: start + index * geometry.pageSize, count: geometry.pageSize)
    let page = try? BTreePage(bytes, number: number, geometry: geometry)
    return page?.layoutFaults.isEmpty ?? false
  }
}

extension GeometrySearch.Outcome {
  fileprivate init(
    _ geometry: Geometry, start: Int, _ basis: GeometryDecision.Basis,
    hasHeadOfOtherSize: Bool = false
  ) {
    decision = GeometryDecision(
      geometry: geometry, start: start, basis: basis, hasPageNumbers: true,
      hasHeadOfOtherSize: hasHeadOfOtherSize)
    candidates = [geometry]
  }
}
