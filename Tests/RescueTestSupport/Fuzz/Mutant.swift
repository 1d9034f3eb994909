// SPDX-License-Identifier: Apache-2.0
// A database that was damaged with knowledge of its format: the same for the same seed.

import DatabaseRescue
import SQLiteFormat

/// A database with random damage.
package struct Mutant: Sendable, CustomStringConvertible {
  /// Databases to be damaged.
  package struct Stock: Sendable {
    let members: [(name: String, files: DatabaseFiles)]

    /// How many there are.
    package var count: Int { members.count }

    /// Collects the samples and the specimens that are small enough.
    package init(byteCountMax: Int = 160_000) throws {
      members = try ScratchFolder.with { scratch in
        var members: [(String, DatabaseFiles)] = []
        func add(_ name: String, _ path: FilePath) throws {
          let main = try path.contents()
          guard !main.isEmpty, main.count <= byteCountMax else { return }
          let stored = main.count > 18 ? main.bigEndian16(at: 16) : 0
          let isSize = stored >= 512 && stored.nonzeroBitCount == 1
          let pageSize = stored == 1 ? 65536 : isSize ? stored : 4096
          members.append((name, try DatabaseFiles(path, pageSize: pageSize)))
        }
        let storage = SystemStorage()
        for name in try storage.names(in: Checkout.samples) {
          let path = Checkout.samples.appending(name)
          if name.hasSuffix(".db") { try add(name.description, path) }
          let inner = path.appending("fitness.db")
          if try inner.exists { try add(name.description, inner) }
        }
        for specimen in Specimen.all where !specimen.isLarge {
          let path = scratch[FilePath(specimen.description + ".db")]
          try specimen.build(at: path)
          try add(specimen.description, path)
        }
        return members
      }
    }
  }

  /// What was drawn.
  package let seed: UInt64
  /// The files.
  package private(set) var files: DatabaseFiles
  /// The database it was made of, and what was done to it.
  package private(set) var description: String

  /// Damages a database of the stock.
  package init(seed: UInt64, of stock: Stock) {
    var random = SeededRandom(seed: seed &* 0xD134_2543 &+ 5)
    self.seed = seed
    let (name, files) = random.pick(stock.members)
    let other = random.pick(stock.members).files
    self.files = files
    description = ""
    var damage: [String] = []
    for _ in 0..<(1 + random.below(3) * random.below(2)) {
      damage.append(
        random.below(3) == 0
          ? self.files.damage(using: &random)
          : random.below(12) == 0
            ? self.files.splice(other, using: &random)
            : self.files.damageStructure(using: &random))
    }
    description = "seed \(seed), \(name): \(damage.joined(separator: "; "))"
  }
}
