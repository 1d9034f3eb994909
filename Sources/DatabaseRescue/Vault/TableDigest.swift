// SPDX-License-Identifier: Apache-2.0
// The digest of all rows of a table, and the pages on which they lie.

import Diagnosis
import SQLiteFormat

extension BackupContent.Table {
  /// Describes one table of a survey.
  ///
  /// The content hash is nil where rows are damaged: nothing is equal to that.
  ///
  /// - Throws: ``RescueError`` when rows that the survey has read cannot be read again.
  init(_ tree: TreeSurvey, in survey: Survey) throws(RescueError) {
    self.init(name: tree.entry.name, rows: tree.records)
    guard let image = survey.image, let root = tree.root else { return }
    var digest = TableDigest(image)
    digest.add(TreeWalk(image, root: root, isTable: tree.isRowIDTable, owner: .tree(0)))
    let leaves = digest.leaves
    if tree.isReadable {
      guard digest.isWhole else {
        throw RescueError(
          .inputOutput, "the rows of '\(tree.entry.name)' cannot be read a second time",
          meaning: "the disk or file system does not hand out some bytes; nothing was changed",
          advice: "try again, and copy the file to another disk if it happens again")
      }
      contentHash = digest.finished().description
    }
    leafPages = LeafPages(leaves)
  }
}

/// The SHA-256 over all rows of a table in the order of their keys, wherever they lie: of each row,
/// the rowid or 0, the length of its record, both as eight bytes with the low one first, and the
/// record as SQLite stores it.
private struct TableDigest {
  /// The leaf pages that were read, in the order of their keys.
  private(set) var leaves: [LeafPages.Leaf] = []
  /// Whether everything could be read so far.
  private(set) var isWhole = true

  private let image: Image
  private var hash = SHA256()
  private var pending = Bytes()

  /// How much is gathered before it is hashed.
  private static let pendingMax = 1 << 16

  init(_ image: Image) {
    self.image = image
    pending.reserveCapacity(Self.pendingMax * 2)
  }

  /// The digest of all rows that were added.
  consuming func finished() -> Digest {
    hash.update(pending)
    return hash.digest()
  }

  /// Adds the rows of a tree.
  ///
  /// Those on the interior pages of a table WITHOUT ROWID stand between two leaves each.
  mutating func add(_ walk: TreeWalk) {
    var walk = walk
    var claims = PageClaims(pageCount: image.pageCount)
    while let step = walk.next(&claims) {
      guard case .page(let visit) = step else {
        isWhole = false
        continue
      }
      guard visit.page.kind.isLeaf else { continue }
      leaves.append(LeafPages.Leaf(visit.page.number, bytes: visit.page.bytes))
      if let before = visit.before { addRow(before.cell, before.page, &claims) }
      for cell in visit.content.cells { addRow(cell, visit.page, &claims) }
    }
  }

  private mutating func addRow(_ cell: Cell, _ page: BTreePage, _ claims: inout PageClaims) {
    pending.appendNumber(UInt64(bitPattern: cell.rowID ?? 0))
    pending.appendNumber(UInt64(cell.payloadSize))
    pending.append(contentsOf: page.bytes[cell.local])
    if let overflow = cell.overflow {
      addChain(overflow, byteCount: cell.payloadSize - cell.local.count, &claims)
    }
    flush()
  }

  /// Adds what of a record did not fit in its page; no page has parts of two records.
  private mutating func addChain(_ first: UInt32, byteCount: Int, _ claims: inout PageClaims) {
    var (next, rest) = (first, byteCount)
    while rest > 0 {
      guard let number = PageNumber(next), claims.claim(number, for: .tree(0)),
        let bytes = try? image.bytes(of: number), let following = bytes.big32(at: 0)
      else {
        isWhole = false
        return
      }
      let held = min(rest, image.geometry.overflowCapacity, bytes.count - 4)
      pending.append(contentsOf: bytes[4..<(4 + held)])
      flush()
      (next, rest) = (following, rest - held)
    }
  }

  private mutating func flush() {
    guard pending.count >= Self.pendingMax else { return }
    hash.update(pending)
    pending.removeAll(keepingCapacity: true)
  }
}
