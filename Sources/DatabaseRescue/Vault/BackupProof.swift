// SPDX-License-Identifier: Apache-2.0
// When each backup was last read in full, and whether it held: one line of JSON each.

internal import SQLiteFormat

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The last time that a backup was read in full.
package struct BackupProof: Codable, Hashable, Sendable {
  /// Which backup it was.
  package let id: BackupID
  /// When.
  package let date: Date
  /// Whether it gave back exactly what was stored.
  package let passed: Bool

  /// Makes a proof.
  package init(_ id: BackupID, at date: Date, passed: Bool) {
    self.id = id
    self.date = date
    self.passed = passed
  }
}

/// The proofs of a vault, in a file beside the backups.
///
/// A line is only ever added. Nothing depends on the file: without it, a backup is as good as it was
/// when it was made, and a line that is torn hides no other.
struct ProofLog {
  private let path: FilePath
  private let storage: any Storage

  /// The log of a vault's folder.
  init(in folder: FilePath, _ storage: any Storage) {
    path = folder.appending(".proofs.jsonl")
    self.storage = storage
  }

  /// The last proof of each backup; none where they cannot be read.
  var proofs: [BackupID: BackupProof] {
    guard let file = try? storage.open(path, .read),
      let bytes = try? file.read(at: 0, count: file.byteCount)
    else { return [:] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    return lines.compactMap { try? decoder.decode(BackupProof.self, from: Data($0)) }
      .reduce(into: [:]) { $0[$1.id] = $1 }
  }

  /// Adds proofs, and makes them durable.
  ///
  /// - Throws: ``RescueError`` when the file cannot be written.
  func add(_ proofs: [BackupProof]) throws(RescueError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    encoder.dateEncodingStrategy = .iso8601
    do {
      var lines = Bytes()
      for proof in proofs { lines += Bytes(try encoder.encode(proof)) + [UInt8(ascii: "\n")] }
      try storage.append(lines: lines, to: path)
    } catch let error as StorageError {
      throw RescueError(error, meaning: "it is not noted when the backups were proven")
    } catch {
      throw RescueError(.inputOutput, "cannot note in '\(path)' when the backups were proven")
    }
  }
}
