// SPDX-License-Identifier: Apache-2.0
// A database file with its hot journal played back, as SQLite would leave it, and nothing written.

/// A database file with its hot journal played back, byte for byte as SQLite would leave it.
///
/// File format, section 3: the file gets the length that it had before the transaction, and each
/// page of the journal its old content; of two records for one page, the later one counts.
package struct RolledBackFile: PageSource {
  private let main: any PageSource
  private let journal: any PageSource
  private let pageSize: Int
  /// Where in the journal the pages lie that come from there, by their index in the file.
  private let places: [Int: Int]
  /// The length of the file afterwards.
  package let byteCount: Int

  /// Plays a journal back over the file that it belongs to.
  package init(_ main: any PageSource, by hot: RollbackJournal, in journal: any PageSource) {
    self.main = main
    self.journal = journal
    pageSize = hot.pageSize
    var places: [Int: Int] = [:]
    for record in hot.records where record.page.number <= hot.pageCount {
      places[record.page.number - 1] = record.offset
    }
    self.places = places
    // A file that ends inside its last page is not made longer.
    let stated = hot.pageCount * hot.pageSize
    let isKept = main.byteCount <= stated && main.byteCount + hot.pageSize > stated
    byteCount = max(isKept ? main.byteCount : stated, ((places.keys.max() ?? -1) + 1) * pageSize)
  }

  /// Reads up to `count` bytes from `offset`; zeros where the file is made longer.
  ///
  /// - Throws: ``ReadFailure`` when the file or the journal cannot be read.
  package func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard offset >= 0, offset < byteCount, count > 0 else { return [] }
    let end = offset + min(count, byteCount - offset)
    var bytes = Bytes()
    var place = offset
    while place < end {
      let index = place / pageSize
      var next = min(end, (index + 1) * pageSize)
      if let record = places[index] {
        let inPage = place - index * pageSize
        bytes += try Self.whole(journal, at: record + inPage, count: next - place)
      } else {
        while next < end, places[next / pageSize] == nil { next = min(end, next + pageSize) }
        bytes += try Self.whole(main, at: place, count: next - place)
      }
      place = next
    }
    return bytes
  }

  private static func whole(
    _ source: any PageSource, at offset: Int, count: Int
  ) throws(ReadFailure) -> Bytes {
    let bytes = try source.read(at: offset, count: count)
    return bytes + repeatElement(0, count: count - bytes.count)
  }
}

extension FileSet {
  /// The database file as SQLite would leave it before it looks at the log: with the journal
  /// played back where that is hot; else as it is.
  ///
  /// - Throws: ``ReadFailure`` when the journal cannot be read.
  package func rolledBackMain() throws(ReadFailure) -> any PageSource {
    guard let journal, main.byteCount > 0 else { return main }
    let header = DatabaseHeader(try main.read(at: 0, count: DatabaseHeader.byteCount))
    do throws(FormatError) {
      let hot = try RollbackJournal(journal, databasePageSize: header?.pageSize)
      guard hot.superJournal.map(superJournalExists) ?? true else { return main }
      return RolledBackFile(main, by: hot, in: journal)
    } catch {
      if case .unreadable(let reason) = error.problem {
        throw ReadFailure(offset: error.offset ?? 0, reason: reason)
      }
      return main
    }
  }
}
