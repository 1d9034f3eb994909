// SPDX-License-Identifier: Apache-2.0
// The pages of an image that lie in no hole of its file.

extension Image {
  /// The pages that may hold something else than zeros, in order: all but those that lie wholly in
  /// holes of the database file.
  package var dataPages: DataPages { DataPages(self) }

  /// The bytes of those pages.
  package var dataByteCount: Int {
    dataPages.reduce(0) { count, _ in count + 1 } * geometry.pageSize
  }

  /// The pages that may hold something else than zeros.
  package struct DataPages: Sequence, IteratorProtocol {
    private let image: Image
    /// The pages that come from a journal or log, and are still to come.
    private var covered: ArraySlice<Int>
    /// The pages of a stretch of the file that are still to come, by index.
    private var stretch: Range<Int>
    private var isOver = false

    fileprivate init(_ image: Image) {
      self.image = image
      covered = image.overlay.keys.map(\.number).sorted()[...]
      let first = Swift.max(0, -image.start) / image.geometry.pageSize
      stretch = first..<first
    }

    /// The next page; nil after the last.
    package mutating func next() -> PageNumber? {
      if stretch.isEmpty, !isOver { advance() }
      while true {
        let inFile = stretch.first.map { $0 + 1 }
        let inJournal = covered.first
        guard let number = [inFile, inJournal].compactMap(\.self).min(),
          number <= image.pageCount
        else { return nil }
        if number == inJournal { covered.removeFirst() }
        if number == inFile {
          stretch.removeFirst()
          if stretch.isEmpty, !isOver { advance() }
        }
        if let page = PageNumber(number) { return page }
      }
    }

    /// Goes on to the next stretch of the file that is no hole.
    private mutating func advance() {
      let (start, pageSize) = (image.start, image.geometry.pageSize)
      let from = Swift.max(0, start + stretch.upperBound * pageSize)
      guard let range = image.files.main.dataRange(from: from) else {
        isOver = true
        return
      }
      let first = Swift.max(stretch.upperBound, (range.lowerBound - start) / pageSize)
      stretch = first..<Swift.max(first + 1, (range.upperBound - start + pageSize - 1) / pageSize)
    }
  }
}
