// SPDX-License-Identifier: Apache-2.0
// Write-ahead logs and rollback journals made byte by byte, from the file-format document alone.

import RescueTestSupport
import SQLiteFormat

/// A write-ahead log.
struct WALMaker {
  var bytes: Bytes
  private let bigEndian: Bool
  private var salts: Bytes
  private var sums: (UInt32, UInt32)

  init(pageSize: Int = 512, bigEndian: Bool = false, salts: (UInt32, UInt32) = (1, 2)) {
    self.bigEndian = bigEndian
    self.salts = Bytes.big32(salts.0) + Bytes.big32(salts.1)
    sums = (0, 0)
    bytes = Bytes.big32(bigEndian ? 0x377F_0683 : 0x377F_0682) + Bytes.big32(3_007_000)
    bytes += Bytes.big32(UInt32(pageSize)) + Bytes.big32(0) + self.salts
    sums = sum(bytes, (0, 0))
    bytes += Bytes.big32(sums.0) + Bytes.big32(sums.1)
  }

  /// Adds a frame; `commit` is the size of the database in pages when it ends a transaction.
  mutating func add(_ page: UInt32, _ content: Bytes, commit: UInt32 = 0) {
    let start = Bytes.big32(page) + Bytes.big32(commit)
    sums = sum(content, sum(start, sums))
    bytes += start + salts + Bytes.big32(sums.0) + Bytes.big32(sums.1) + content
  }

  private func sum(_ bytes: Bytes, _ start: (UInt32, UInt32)) -> (UInt32, UInt32) {
    stride(from: 0, to: bytes.count, by: 8).reduce(start) { sums, index in
      let words = [index, index + 4].map {
        bigEndian ? bytes.bigEndian(at: $0) : bytes.bigEndian(at: $0).byteSwapped
      }
      let first = sums.0 &+ words[0] &+ sums.1
      return (first, sums.1 &+ words[1] &+ first)
    }
  }
}

/// A rollback journal.
struct JournalMaker {
  var bytes = Bytes()
  let pageSize: Int
  let sector: Int
  let nonce: UInt32

  init(pageSize: Int = 512, sector: Int = 512, nonce: UInt32 = 0x1234_5678) {
    self.pageSize = pageSize
    self.sector = sector
    self.nonce = nonce
  }

  /// Adds a header at the next sector; a count of nil is −1, to the end of the file.
  mutating func addHeader(count: UInt32?, pageCount: UInt32, statedPageSize: UInt32? = nil) {
    bytes += Bytes(repeating: 0, count: (sector - bytes.count % sector) % sector)
    let header =
      Bytes(RollbackJournal.magic) + Bytes.big32(count ?? .max) + Bytes.big32(nonce)
      + Bytes.big32(pageCount) + Bytes.big32(UInt32(sector))
      + Bytes.big32(statedPageSize ?? UInt32(pageSize))
    bytes += header + Bytes(repeating: 0, count: sector - header.count)
  }

  /// Adds a page as it was before.
  mutating func add(_ page: UInt32, _ content: Bytes) {
    // Every 200th byte from the end counts, but not the first byte.
    var sum = nonce
    var index = pageSize - 200
    while index > 0 {
      sum &+= UInt32(content[index])
      index -= 200
    }
    bytes += Bytes.big32(page) + content + Bytes.big32(sum)
  }

  /// Adds the name of a super-journal.
  mutating func addSuperJournal(_ name: String) {
    let sum = name.utf8.reduce(UInt32(0)) { $0 &+ UInt32($1) }
    bytes += Bytes.big32(2_097_153) + Bytes(name.utf8) + Bytes.big32(UInt32(name.utf8.count))
    bytes += Bytes.big32(sum) + Bytes(RollbackJournal.magic)
  }
}

extension Bytes {
  /// A page full of one byte.
  static func page(_ byte: UInt8, _ count: Int = 512) -> Bytes {
    Bytes(repeating: byte, count: count)
  }
}
