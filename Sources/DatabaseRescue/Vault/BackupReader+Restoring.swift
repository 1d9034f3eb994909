// SPDX-License-Identifier: Apache-2.0
// Getting the database out of a backup, whole or as much as there is.

package import SQLiteFormat

/// What extracting from a damaged backup gave.
package struct BackupExtraction: Sendable {
  /// The length of the new file.
  package let byteCount: Int
  /// The size of a page; nil when nobody knows.
  package let pageSize: Int?
  /// The parts that are lost: the new file holds zeros there.
  package let lost: [BackupDamage]
  /// Why more is missing: the new file ends before the database does, or a file that was stored
  /// beside a raw one does not hold.
  package internal(set) var endedBy: RescueError?
  /// The files beside the database that were extracted too.
  package internal(set) var sidecars: [FilePath] = []

  /// Whether the new file is the whole database.
  package var isWhole: Bool { lost.isEmpty && endedBy == nil }

  /// The bytes that are missing, neighbours together.
  package var missing: [Range<Int>] {
    lost.reduce(into: []) { ranges, loss in
      if let last = ranges.last, last.upperBound == loss.bytes.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound..<loss.bytes.upperBound
      } else {
        ranges.append(loss.bytes)
      }
    }
  }

  /// The pages that some bytes lie on; nil when the page size is unknown.
  package func pages(of bytes: Range<Int>) -> ClosedRange<PageNumber>? {
    BackupReader.pages(bytes, of: pageSize)
  }
}

extension BackupReader {
  /// Hands the database over in order, span by span, each proven by its digest first.
  ///
  /// - Throws: ``RescueError`` of the kind `.invalidInput` when the backup is incomplete
  ///   or a member is lost, and whatever `body` throws.
  package func forEachSpan(
    _ body: (Bytes) throws(RescueError) -> Void
  ) throws(RescueError) {
    guard let archive else { return try gunzip(body) }
    guard archive.end != nil else { throw notWhole("is incomplete: the end mark is missing") }
    guard archive.gaps.isEmpty else { throw notWhole("lacks members") }
    var hash = SHA256()
    try archive.forEachMember { (member, reading) throws(RescueError) in
      guard let bytes = reading.bytes else {
        let flaw = "member \(member.number) \(reading.flaw ?? "")"
        throw reading.isUnread ? unread(flaw) : notWhole("is damaged: \(flaw)")
      }
      hash.update(bytes)
      try body(bytes)
    }
    if let expected = manifest?.image.sha256, hash.digest() != expected {
      throw notWhole("does not hold the database that its manifest describes")
    }
  }

  /// Writes the whole database to a new file, and makes it durable.
  ///
  /// - Parameters:
  ///   - path: The new file; it must not exist, and is removed on failure.
  ///   - limit: How large it may become.
  /// - Throws: ``RescueError`` when the backup is not whole, when there is no room, and
  ///   when the file cannot be written.
  package func restore(to path: FilePath, byteCountMax limit: Int = .max) throws(RescueError) {
    try write(to: path, limit) { (output) throws(RescueError) in
      try forEachSpan { (bytes) throws(RescueError) in try output.append(bytes) }
    }
  }

  /// Writes as much of the database as can be had to a new file, with zeros for the rest.
  ///
  /// - Parameters:
  ///   - path: The new file; it must not exist, and is removed on failure.
  ///   - limit: How large it may become.
  /// - Returns: What is missing from the new file.
  /// - Throws: ``RescueError`` when there is no room, or the file cannot be written.
  package func extract(
    to path: FilePath, byteCountMax limit: Int = .max
  ) throws(RescueError) -> BackupExtraction {
    var result: BackupExtraction?
    try write(to: path, limit) { (output) throws(RescueError) in
      result =
        if let archive { try self.extract(archive, to: output) } else {
          try self.extractForeign(to: output)
        }
    }
    guard let result else { throw RescueError(.internal, "nothing was extracted") }
    return result
  }

  private func extract(
    _ archive: Archive, to output: BackupOutput
  ) throws(RescueError) -> BackupExtraction {
    let total = archive.imageByteCount ?? archive.members.last?.span.upperBound ?? 0
    try output.resize(to: total)
    let pageSize = self.pageSize
    func loss(_ bytes: Range<Int>, _ member: Int?, _ reason: String) -> BackupDamage {
      BackupDamage(
        member: member, bytes: bytes, pages: Self.pages(bytes, of: pageSize), reason: reason,
        isLost: true)
    }
    var lost = archive.gaps.map { loss($0, nil, "is missing") }
    try archive.forEachMember { (member, reading) throws(RescueError) in
      guard let bytes = reading.bytes else {
        return lost.append(loss(member.span, member.number, reading.flaw ?? "is damaged"))
      }
      try output.write(bytes, at: member.span.lowerBound)
    }
    lost.sort { $0.bytes.lowerBound < $1.bytes.lowerBound }
    // Whether all is there that was stored, only the end could say.
    return BackupExtraction(
      byteCount: total, pageSize: pageSize, lost: lost,
      endedBy: archive.end == nil ? notWhole("is cut off: its end mark is missing") : nil)
  }

  private func extractForeign(to output: BackupOutput) throws(RescueError) -> BackupExtraction {
    let stream = GunzipStream(file)
    while true {
      let bytes: Bytes?
      do { bytes = try stream.next() } catch {
        return BackupExtraction(
          byteCount: output.byteCount, pageSize: nil, lost: [],
          endedBy: RescueError(error, in: path))
      }
      guard let bytes else {
        return BackupExtraction(
          byteCount: output.byteCount, pageSize: nil, lost: [], endedBy: nil)
      }
      try output.append(bytes)
    }
  }

  /// Makes a new file, has `body` fill it, and makes it durable; removes it on failure.
  private func write(
    to path: FilePath, _ limit: Int, _ body: (BackupOutput) throws(RescueError) -> Void
  ) throws(RescueError) {
    let output = try BackupOutput(path, in: storage, limit: limit)
    do throws(RescueError) {
      try output.reserve(imageByteCount ?? 0)
      try body(output)
      try output.finish()
    } catch {
      output.discard()
      throw error
    }
  }

  private func unread(_ reason: String) -> RescueError {
    RescueError(
      .inputOutput, "cannot read the backup '\(path)': \(reason)",
      meaning: "the disk does not hand out some bytes; nothing was changed",
      advice: "try again, and copy the backup to another disk if it happens again")
  }

  private func notWhole(_ reason: String) -> RescueError {
    RescueError(
      .invalidInput, "the backup '\(path)' \(reason)",
      meaning: "the database cannot be restored from it in full; nothing was changed",
      advice: "use another backup, or extract what can be read:"
        + " dbrescue vault extract BACKUP --output NEW --best-effort")
  }
}

/// A new file that is filled from a backup.
final class BackupOutput {
  private let path: FilePath
  private let storage: any Storage
  private let file: any StoredFile
  /// The most bytes that may be written: what was free when the file was made.
  private let byteCountMax: Int
  /// The most bytes that were asked for.
  private let limit: Int
  /// How many bytes were appended, or the size that was set.
  private(set) var byteCount = 0

  init(_ path: FilePath, in storage: any Storage, limit: Int = .max) throws(RescueError) {
    self.path = path
    self.storage = storage
    self.limit = limit
    do {
      byteCountMax = try storage.freeBytes(at: path.folder)
      file = try storage.open(path, .createNew)
    } catch {
      throw RescueError(error)
    }
  }

  /// Checks that so many bytes fit.
  func reserve(_ byteCount: Int) throws(RescueError) {
    guard byteCount <= limit else {
      throw RescueError(
        .cannotWrite, "'\(path)' would become larger than \(limit) bytes",
        meaning: "a small gzip file can stand for any number of bytes; nothing was kept of it",
        advice: "if it is to be so large, say how large: --max-output MIB")
    }
    guard byteCount <= byteCountMax else {
      throw RescueError(
        .cannotWrite,
        "'\(path)' needs \(byteCount) bytes, and \(byteCountMax) are free",
        meaning: "nothing was kept of it", advice: "free some space, or choose another folder")
    }
  }

  /// Sets the size; what is not written holds zeros.
  func resize(to byteCount: Int) throws(RescueError) {
    try reserve(byteCount)
    do { try file.truncate(to: byteCount) } catch { throw RescueError(error) }
    self.byteCount = byteCount
  }

  func write(_ bytes: Bytes, at offset: Int) throws(RescueError) {
    do { try file.write(bytes, at: offset) } catch { throw RescueError(error) }
  }

  func append(_ bytes: Bytes) throws(RescueError) {
    // A small gzip file can stand for more bytes than any disk has.
    try reserve(byteCount + bytes.count)
    try write(bytes, at: byteCount)
    byteCount += bytes.count
  }

  /// Makes the file and its name durable.
  func finish() throws(RescueError) {
    do {
      try file.synchronize()
      try storage.synchronizeFolder(path.folder)
    } catch {
      throw RescueError(error)
    }
  }

  /// Removes the file.
  func discard() {
    // The error that led here is the one to report; a file that stays is visible.
    try? storage.remove(path)
  }
}
