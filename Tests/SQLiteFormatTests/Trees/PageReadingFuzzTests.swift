// SPDX-License-Identifier: Apache-2.0
// Random damage to pages that SQLite made: reading never traps, and what it calls certain is a row
// of the undamaged page.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PageReadingFuzzTests {
  /// The pages of a database with rows deleted, changed and added in no order.
  private static func image(_ seed: UInt64, pageSize: Int) throws -> Image {
    try ScratchFolder.with { scratch in
      let path = scratch["pages.db"]
      var random = SeededRandom(seed: seed)
      var steps: [DatabaseBuilder.Step] = [
        "CREATE TABLE t(a TEXT, b INTEGER, c BLOB, d REAL)",
        "CREATE TABLE k(a TEXT, b INTEGER, PRIMARY KEY(a, b)) WITHOUT ROWID",
        "CREATE INDEX i ON t(b, a)",
      ]
      for _ in 0..<400 {
        let row = Int64(random.below(300))
        let text = Value.text(
          Bytes((0..<random.below(40)).map { _ in UInt8(97 + random.below(26)) }))
        let blob = Value.blob(random.bytes(random.below(pageSize / 4)))
        switch random.below(4) {
        case 0:
          steps.append(.init("DELETE FROM t WHERE rowid BETWEEN ?1 AND ?1 + 2", [.integer(row)]))
        case 1: steps.append(.init("UPDATE t SET c = ?2 WHERE rowid = ?1", [.integer(row), blob]))
        default:
          steps.append(
            .init(
              "INSERT OR REPLACE INTO t(rowid, a, b, c, d) VALUES(?1, ?2, ?1 * 7, ?3, 0.5)",
              [.integer(row), text, blob]))
          steps.append(.init("INSERT OR REPLACE INTO k VALUES(?2, ?1)", [.integer(row), text]))
        }
      }
      try DatabaseBuilder(pageSize: pageSize, steps).build(at: path)
      let bytes = try path.contents()
      return Image(FileSet(main: MemorySource(bytes)), geometry: try .of(pageSize))
    }
  }

  /// A few places are damaged, but only one number of the header: of two that are wrong together,
  /// each can bear the other out.
  private static func damage(_ bytes: inout Bytes, _ random: inout SeededRandom) -> [String] {
    let count = min(bytes.bigEndian16(at: 3), bytes.count / 2 - 5)
    var done: [String] = []
    switch random.below(6) {
    case 0:
      bytes.setBig16(random.below(3) == 0 ? random.below(65536) : count + random.below(9), at: 3)
      done.append("count")
    case 1:
      bytes.setBig16(random.below(bytes.count), at: 5)
      done.append("start")
    case 2:
      bytes.setBig16(random.below(bytes.count), at: 1)
      done.append("freeblock")
    case 3:
      bytes[7] = UInt8(random.below(80))
      done.append("fragments")
    case 4:
      bytes.set(random.bytes(8), at: 0)
      done.append("header")
    default: break
    }
    for _ in 0..<(done.isEmpty ? 2 : random.below(2)) {
      done.append(damageElsewhere(&bytes, count: count, &random))
    }
    return done
  }

  private static func damageElsewhere(
    _ bytes: inout Bytes, count: Int, _ random: inout SeededRandom
  ) -> String {
    switch random.below(4) {
    case 0:
      bytes[0] = UInt8(random.below(256))
      return "type"
    case 1:
      let start = 8 + 2 * random.below(max(1, count))
      bytes.set(random.bytes(min(2 * random.below(count + 1), bytes.count - start)), at: start)
      return "pointers"
    case 2:
      let start = random.below(bytes.count / 512) * 512
      let sector = random.below(2) == 0 ? Bytes.page(0) : random.bytes(512)
      bytes.set(sector, at: start)
      return "sector \(start)"
    default:
      let place = 8 + random.below(max(1, 2 * count))
      bytes[place] ^= 1 << UInt8(random.below(8))
      return "bit of pointer byte \(place)"
    }
  }

  @Test(arguments: [512, 1024, 4096], [1, 2] as [UInt64])
  func `what a damaged page calls certain is a row of the page`(
    _ pageSize: Int, _ seed: UInt64
  ) throws {
    let image = try Self.image(seed, pageSize: pageSize)
    let sound = image.pages.dropFirst().compactMap { number -> PageReading? in
      let reading = try? image.reading(of: number, expecting: nil)
      return reading?.content.layoutFault == nil ? reading : nil
    }
    #expect(sound.count > 10)
    var (kept, lost) = (0, 0)
    for round in 0..<150 {
      var random = SeededRandom(seed: seed &* 1_000_003 &+ UInt64(round))
      let original = random.pick(sound)
      var bytes = original.page.bytes
      let damage = Self.damage(&bytes, &random)
      var file = try image.files.main.read(at: 0, count: image.files.main.byteCount)
      file.set(bytes, at: (original.page.number.number - 1) * pageSize)
      let damaged = Image(FileSet(main: MemorySource(file)), geometry: image.geometry)
      let kind = random.below(3) == 0 ? nil : original.page.kind
      guard let reading = try? damaged.reading(of: original.page.number, expecting: kind) else {
        continue
      }
      let label = "seed \(seed), round \(round), page \(original.page.number): \(damage)"
      func isIntact(_ cell: Cell) -> Bool {
        bytes[cell.offset..<cell.end] == original.page.bytes[cell.offset..<cell.end]
      }
      let live = Set(original.content.cells)
      let certain = reading.content.cells.filter(isIntact)
      let wrong = certain.filter { !live.contains($0) && reading.page.isRecord($0) }
      #expect(wrong.isEmpty, "\(label)")
      kept += Set(certain).intersection(live).count
      lost += live.filter(isIntact).count - Set(certain).intersection(live).count
    }
    #expect(kept > 2 * lost, "\(kept) of \(kept + lost) rows")
  }
}

extension BTreePage {
  /// Whether a cell can be read as far as its page tells.
  fileprivate func isRecord(_ cell: Cell) -> Bool {
    kind == .tableInterior || cell.overflow != nil || (try? Record(bytes, in: cell.local)) != nil
  }
}
