// SPDX-License-Identifier: Apache-2.0
// The random numbers in journals made fixed, so that fixtures have the same bytes on every run.

package import DatabaseRescue
package import SQLiteFormat

/// Journals rewritten so that they stay valid.
package enum JournalBytes {
  /// A write-ahead log with other salts.
  ///
  /// Every frame of its newest generation keeps its page and gets a fresh checksum. Older
  /// frames that follow are dropped.
  ///
  ///     offset  header (32 bytes)              frame (24 bytes and a page)
  ///     0       magic; its last bit: big-endian sums   page number
  ///     4       format                         size of the database after a commit, or 0
  ///     8       page size                      salt 1
  ///     12      checkpoint number              salt 2
  ///     16, 20  salts 1 and 2                  checksum of all so far
  ///     24, 28  checksum of bytes 0..<24       —
  package static func withSalts(_ salts: (UInt32, UInt32), wal: Bytes) -> Bytes {
    guard wal.count >= 32 else { return wal }
    let pageSize = Int(wal.bigEndian(at: 8))
    let bigEndian = wal.bigEndian(at: 0) & 1 == 1
    let oldSalts = wal[16..<24]
    var result = wal
    result.setBigEndian(salts.0, at: 16)
    result.setBigEndian(salts.1, at: 20)
    var sum = WALChecksum(bigEndian: bigEndian)
    sum.add(result[0..<24])
    result.setBigEndian(sum.first, at: 24)
    result.setBigEndian(sum.second, at: 28)
    var start = 32
    while start + 24 <= wal.count, wal[(start + 8)..<(start + 16)].elementsEqual(oldSalts) {
      result.setBigEndian(salts.0, at: start + 8)
      result.setBigEndian(salts.1, at: start + 12)
      // A torn last frame: its sum covered bytes that are gone, and no sum of the rest may fit.
      let end = start + 24 + pageSize
      sum.add(result[start..<(start + 8)])
      sum.add(result[(start + 24)..<min(end, wal.count)])
      if end > wal.count { sum.second = ~sum.second }
      result.setBigEndian(sum.first, at: start + 16)
      result.setBigEndian(sum.second, at: start + 20)
      start = end
    }
    return Bytes(result.prefix(start))
  }

  /// A rollback journal with another nonce in its headers, and checksums to fit.
  ///
  ///     offset  header (padded to a sector)    record
  ///     0       magic, 8 bytes                 page number
  ///     8       number of records              the page
  ///     12      nonce                          checksum: nonce + every 200th byte
  ///     16      size of the database
  ///     20      sector size
  ///     24      page size
  package static func withNonce(_ nonce: UInt32, journal: Bytes) -> Bytes {
    guard journal.count >= 28 else { return journal }
    let sector = Int(journal.bigEndian(at: 20))
    let pageSize = Int(journal.bigEndian(at: 24))
    guard sector >= 28, pageSize >= 512 else { return journal }
    var result = journal
    var header = 0
    while header + sector <= journal.count, isHeader(journal, at: header) {
      let change = nonce &- journal.bigEndian(at: header + 12)
      result.setBigEndian(nonce, at: header + 12)
      var start = header + sector
      // A count of 0 is written before the records are synchronized: they run to the end.
      let count = journal.bigEndian(at: header + 8)
      for _ in 0..<(count == 0 ? UInt32.max : count) {
        let end = start + 8 + pageSize
        guard end <= journal.count else { return result }
        result.setBigEndian(journal.bigEndian(at: end - 4) &+ change, at: end - 4)
        start = end
      }
      header = (start + sector - 1) / sector * sector
    }
    return result
  }

  /// A rollback journal of a transaction over several databases: with the name of a super-journal
  /// at its end.
  package static func naming(_ superJournal: FilePath, journal: Bytes, pageSize: Int) -> Bytes {
    var page = Bytes(repeating: 0, count: 4)
    page.setBigEndian(UInt32((1 << 30) / pageSize + 1), at: 0)
    let sum = superJournal.bytes.reduce(UInt32(0)) {
      $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1)))
    }
    var end = Bytes(repeating: 0, count: 8)
    end.setBigEndian(UInt32(superJournal.bytes.count), at: 0)
    end.setBigEndian(sum, at: 4)
    return journal + page + Bytes(superJournal.bytes) + end + Bytes(RollbackJournal.magic)
  }

  /// Whether a header lies here: the magic, or zeros in its place while it is not synchronized.
  private static func isHeader(_ journal: Bytes, at offset: Int) -> Bool {
    let magic = journal[offset..<(offset + 8)]
    return (magic.elementsEqual(journal[0..<8]) || magic.allSatisfy { $0 == 0 })
      && journal[(offset + 20)..<(offset + 28)].elementsEqual(journal[20..<28])
  }
}

/// The cumulative checksum of a write-ahead log: two sums over pairs of 32-bit words.
private struct WALChecksum {
  let bigEndian: Bool
  var first: UInt32 = 0
  var second: UInt32 = 0

  init(bigEndian: Bool) {
    self.bigEndian = bigEndian
  }

  mutating func add(_ bytes: Bytes.SubSequence) {
    var index = bytes.startIndex
    while index + 8 <= bytes.endIndex {
      first &+= word(bytes, index) &+ second
      second &+= word(bytes, index + 4) &+ first
      index += 8
    }
  }

  private func word(_ bytes: Bytes.SubSequence, _ index: Int) -> UInt32 {
    let word = bytes[index..<(index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return bigEndian ? word : word.byteSwapped
  }
}

extension Bytes {
  /// The 16 bits at an offset, as SQLite stores them.
  package func bigEndian16(at offset: Int) -> Int {
    Int(self[offset]) << 8 | Int(self[offset + 1])
  }

  /// The 32 bits at an offset, as SQLite stores them.
  package func bigEndian(at offset: Int) -> UInt32 {
    self[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
  }

  /// Stores 32 bits at an offset, as SQLite does.
  package mutating func setBigEndian(_ value: UInt32, at offset: Int) {
    for index in 0..<4 {
      self[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index))
    }
  }
}
