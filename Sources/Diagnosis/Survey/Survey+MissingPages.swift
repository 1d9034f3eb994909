// SPDX-License-Identifier: Apache-2.0
// Whether pages are missing of which nothing tells what was on them.

import SQLiteFormat

extension Survey {
  /// Whether it is in WAL mode with one page, no table and no log: the first tables of a database are in
  /// its log until a checkpoint.
  var isBareWAL: Bool {
    guard let image, case .absent = image.wal, image.pageCount == 1, let tree = schema?.tree else {
      return false
    }
    return header?.isWAL == true && tree.isSound && tree.records == 0
  }

  /// Whether something that is there leads to pages beyond the end.
  var leadsBeyondEnd: Bool { hasTreeBeyondEnd || freelist?.faults.isEmpty == false }

  /// Whether a tree that is there leads to pages beyond the end.
  private var hasTreeBeyondEnd: Bool {
    guard let image else { return false }
    let all = trees + (schema.map { [$0.tree] } ?? [])
    return all.contains { tree in
      (tree.pageFaults.first + tree.cellFaults.first).contains {
        $0.problem == .pageMissing || ($0.page?.number ?? 0) > image.pageCount
      }
    }
  }

  /// How many pages the header counts, where that is valid.
  var statedCount: Int? { header?.countedPages }

  /// How many pages the database has, as its header or its journals say: the larger number.
  var mostPagesStated: Int { max(statedCount ?? 0, image?.statedPageCount ?? 0) }

  /// Whether the schema and every tree can be read.
  var areTreesReadable: Bool {
    schema?.tree.isReadable == true && trees.allSatisfy(\.isReadable)
  }

  /// Whether pages are lost of which nothing tells what was on them: rows may be missing, or older than
  /// they were, that nobody counts.
  package var missesUnknownPages: Bool {
    missesUsedPages || isLogBehind || lacksOwnJournal || image?.missesFrames == true
      || image?.missesJournalRecords == true
  }

  /// The trees with pages of a free list of which nothing is wrong, and whose rows no index knows, as
  /// positions among all.
  ///
  /// Either they were deleted, and what led to the pages is of before, or the list names pages in use.
  var treesWithFreePages: Set<Int> {
    guard isFreelistWhole, let freelist else { return [] }
    let owners = [freelist.trunks, freelist.leaves].joined().compactMap { page in
      claims.owner(of: page)?.tree.flatMap { isInUseByPointerMap(page) ? nil : $0 }
    }
    return Set(owners).filter { position in
      trees.indices.contains(position)
        && soundIndexes(over: trees[position]).allSatisfy {
          $0.keys != trees[position].expectedKeys[$0.entry.name]
        }
    }
  }

  private func isInUseByPointerMap(_ page: PageNumber) -> Bool {
    guard hasPointerMaps, let image,
      let map = image.geometry.pointerMapPage(for: page).flatMap({ try? image.bytes(of: $0) }),
      let entry = image.pointerMapEntry(of: page, in: map)
    else { return false }
    return entry.kind != .free
  }

  /// Whether the header counts more pages than there are, and more than can have been free, and no
  /// tree that is there leads to them.
  ///
  /// Every page is one of a tree, of the free list, whose length the header has, or a pointer map. Where
  /// the free list can be followed, it is the number of pages that is wrong. File format, section 1.2.
  private var missesUsedPages: Bool {
    guard let image, let header, header.isPageCountValid, let freelist, !freelist.faults.isEmpty,
      header.pageCount != image.statedPageCount
    else { return false }
    let missing = header.pageCount - image.pageCount
    let maps = hasPointerMaps ? missing / (image.geometry.usable / 5) + 1 : 0
    return missing > max(0, header.freelistCount - freelist.count) + maps && !hasTreeBeyondEnd
  }
}
