// SPDX-License-Identifier: Apache-2.0
// Tricks in the journals beside a database.

import DatabaseRescue
import SQLiteFormat

extension Trick {
  private static let magic: Bytes = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  private static func words(_ numbers: [UInt32]) -> Bytes {
    var bytes = Bytes(repeating: 0, count: numbers.count * 4)
    for (index, number) in numbers.enumerated() { bytes.setBigEndian(number, at: index * 4) }
    return bytes
  }

  /// The header of a rollback journal, padded to its sector.
  private static func header(
    records: UInt32, nonce: UInt32, pages: UInt32, sector: UInt32 = 512, pageSize: UInt32 = 1024
  ) -> Bytes {
    let header = magic + words([records, nonce, pages, sector, pageSize])
    return header + Bytes(repeating: 0, count: max(0, 512 - header.count))
  }

  /// A page as a rollback journal records it.
  private static func record(_ number: UInt32, _ page: Bytes, nonce: UInt32) -> Bytes {
    var sum = nonce
    var index = page.count - 200
    while index > 0 {
      sum &+= UInt32(page[index])
      index -= 200
    }
    return words([number]) + page + words([sum])
  }

  /// The record that names a super-journal, as SQLite writes it at the end of a journal.
  private static func superRecord(_ name: Bytes) -> Bytes {
    let sum = name.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
    return words([0x4000_0000 / 1024 + 1]) + name + words([UInt32(name.count), sum]) + magic
  }

  /// A hot journal whose super-journal is somebody else's file.
  static func superJournal(_ random: inout SeededRandom) -> Trick {
    let target = random.pick([
      "{file}", "{victim}", "{folder}", "../canary/thesis.txt", "canary/thesis.txt",
      "../in/other.db",
      "{folder}/deep.txt", "{file}\0{victim}", "{new}", "app.db", "../tmp/mine.txt",
    ])
    let changes = random.below(2) == 0
    var trick = Trick("a hot journal of the super-journal \(target)")
    trick.place = { ground in
      let bytes = try ground.database.contents()
      guard bytes.count >= 2048 else { return }
      let name = Bytes(ground.resolve(target).utf8)
      let page = Bytes(bytes[1024..<2048])
      var journal = header(records: 1, nonce: 7, pages: UInt32(bytes.count / 1024))
      journal += record(2, page, nonce: 7) + superRecord(name)
      try ground.write(journal, to: "in/app.db-journal")
      // A super-journal that names this journal as its child, where SQLite would look for one.
      if changes {
        try ground.write(Bytes((ground.database.description + "-journal\0").utf8), to: "in/super")
      }
    }
    return trick
  }

  /// A journal whose numbers lie.
  static func oddJournal(_ random: inout SeededRandom) -> Trick {
    let hostile: [UInt32] = [0, 1, 2, 3, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1_048_577]
    let (records, pages) = (random.pick(hostile), random.pick(hostile))
    let (sector, size) = (
      random.pick([512, 32, 0, 65536, 0x8000_0000, 513] as [UInt32]),
      random.pick([1024, 512, 65536, 1, 0, 0x8000_0000] as [UInt32])
    )
    let number = random.pick(hostile)
    let page = random.below(2) == 0 ? Bytes(repeating: 0, count: 1024) : random.bytes(1024)
    let tail = random.bytes(random.below(3000))
    var trick = Trick(
      "a journal of \(records) records, \(pages) pages, sector \(sector), page size \(size), page \(number)"
    )
    trick.sparesSound = false
    trick.place = { ground in
      let journal = header(records: records, nonce: 9, pages: pages, sector: sector, pageSize: size)
      try ground.write(journal + record(number, page, nonce: 9) + tail, to: "in/app.db-journal")
    }
    return trick
  }

  /// A write-ahead log that belongs to another database, or to none.
  static func foreignLog(_ random: inout SeededRandom) -> Trick {
    let kind = random.below(4)
    let junk = random.bytes(random.below(6000))
    let hostile: [UInt32] = [0, 1, 3, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF]
    let (page, size) = (random.pick(hostile), random.pick(hostile))
    let texts = [
      "of another database", "of junk", "of page \(page) and size \(size)", "with a hostile header",
    ]
    var trick = Trick("a log \(texts[kind])")
    trick.sparesSound = kind == 1
    trick.place = { ground in
      var log = HostileBase.foreignLog
      switch kind {
      case 0: break
      case 1: log = junk
      case 2:
        log.setBigEndian(page, at: 32)
        log.setBigEndian(size, at: 36)
        log = JournalBytes.withSalts((1, 2), wal: log)
      default:
        log.setBigEndian(page, at: 8)
        log.setBigEndian(size, at: 4)
      }
      try ground.write(log, to: "in/app.db-wal")
    }
    return trick
  }
}
