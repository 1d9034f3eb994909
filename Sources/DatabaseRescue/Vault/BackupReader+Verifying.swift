// SPDX-License-Identifier: Apache-2.0
// Proving a backup: every member is inflated and compared with its digest.

package import SQLiteFormat

/// A part of the database that a backup cannot give back, or not in every way.
package struct BackupDamage: Hashable, Sendable {
  /// The number of the member, from 0; nil when it is not there at all.
  package let member: Int?
  /// Which bytes of the database it holds.
  package let bytes: Range<Int>
  /// Which pages those are; nil when the page size is unknown.
  package let pages: ClosedRange<PageNumber>?
  /// What is wrong: lower case, no full stop.
  package let reason: String
  /// Whether the bytes cannot be had; otherwise only `gunzip` will complain.
  package let isLost: Bool
  /// Whether the disk did not hand the member out, which says nothing of what it holds.
  package var isUnread = false
}

/// What verifying a backup showed.
package struct BackupVerification: Sendable {
  /// The backup.
  package let path: FilePath
  /// What it is worth.
  package let state: BackupReader.State
  /// The checks that were done, all of them and no other.
  package let checks: [BackupManifest.Check]
  /// The members that are damaged or missing.
  package let damage: [BackupDamage]
  /// What else is wrong with the file.
  package let flaws: [String]
  /// Whether the disk did not hand out some of it, which says nothing of what it holds.
  package var isUnread = false
  /// Whether that is because nobody has the permission to read it.
  var isForbidden = false

  /// Whether the backup gives back exactly what was stored, by every way of reading it.
  package var passed: Bool {
    state != .incomplete && state != .damaged && flaws.isEmpty && damage.isEmpty
      && checks.allSatisfy(\.passed)
  }
}

extension BackupReader {
  /// The name of the check that every member holds what was stored.
  static let readBack = "read back"
  /// The name of the check that the database as a whole is what was stored.
  static let imageDigest = "image digest"

  /// Reads the whole file, and compares everything in it with its digest.
  package func verify() -> BackupVerification {
    guard let archive else { return verifyForeign() }
    var hash = SHA256()
    let damage = self.damage { bytes in hash.update(bytes) }
    let detail =
      damage.isEmpty
      ? archive.members.count.of("member", "holds", "hold") + " what was stored"
      : "\(damage.count) of \(archive.members.count) members are damaged or missing"
    var checks = [BackupManifest.Check(Self.readBack, passed: damage.isEmpty, detail: detail)]
    if let expected = manifest?.image.sha256, !damage.contains(where: \.isLost) {
      let passed = hash.digest() == expected
      checks.append(
        BackupManifest.Check(
          Self.imageDigest, passed: passed,
          detail: passed
            ? "the whole database has the SHA-256 of the manifest"
            : "the whole database has another SHA-256 than the manifest"))
    }
    return BackupVerification(
      path: path, state: state, checks: checks, damage: damage, flaws: flaws,
      isUnread: damage.contains(where: \.isUnread))
  }

  /// Reads all members, hands over the bytes that can be had, and lists the rest.
  func damage(_ body: (Bytes) -> Void = { _ in }) -> [BackupDamage] {
    guard let archive else { return [] }
    let pageSize = self.pageSize
    var damage = archive.gaps.map {
      BackupDamage(
        member: nil, bytes: $0, pages: Self.pages($0, of: pageSize), reason: "is missing",
        isLost: true)
    }
    archive.forEachMember { member, reading in
      if let bytes = reading.bytes { body(bytes) }
      guard let flaw = reading.flaw else { return }
      damage.append(
        BackupDamage(
          member: member.number, bytes: member.span,
          pages: Self.pages(member.span, of: pageSize), reason: flaw,
          isLost: reading.bytes == nil, isUnread: reading.isUnread))
    }
    return damage.sorted { $0.bytes.lowerBound < $1.bytes.lowerBound }
  }

  /// The pages that bytes of the database lie on.
  static func pages(_ bytes: Range<Int>, of size: Int?) -> ClosedRange<PageNumber>? {
    guard let size, size > 0, !bytes.isEmpty,
      let first = PageNumber(bytes.lowerBound / size + 1),
      let last = PageNumber((bytes.upperBound - 1) / size + 1)
    else { return nil }
    return first...last
  }

  private func verifyForeign() -> BackupVerification {
    var byteCount = 0
    var head = Bytes()
    var problem: RescueError?
    do throws(RescueError) {
      try gunzip { bytes in
        head += Bytes(bytes.prefix(max(0, DatabaseHeader.magic.count - byteCount)))
        byteCount += bytes.count
      }
    } catch {
      problem = error
    }
    let isDatabase = head.matches(DatabaseHeader.magic)
    let unpacking = BackupManifest.Check(
      "gunzip", passed: problem == nil,
      detail: problem?.message
        ?? "\(byteCount) bytes; not made by this program, so there is nothing to compare with")
    let content = BackupManifest.Check(
      "header", passed: isDatabase,
      detail: isDatabase
        ? "it begins as a database does" : "it does not begin as a database does")
    return BackupVerification(
      path: path, state: state, checks: [unpacking, content], damage: [], flaws: flaws,
      isUnread: problem?.kind == .inputOutput)
  }

  /// Inflates a file from start to end, as `gunzip` does.
  func gunzip(_ body: (Bytes) throws(RescueError) -> Void) throws(RescueError) {
    let stream = GunzipStream(file)
    while true {
      let bytes: Bytes?
      do { bytes = try stream.next() } catch { throw RescueError(error, in: path) }
      guard let bytes else { return }
      try body(bytes)
    }
  }
}

extension RescueError {
  /// A gzip file that cannot be read on, as an error for people.
  init(_ failure: GunzipStream.Failure, in path: FilePath) {
    let reason: String
    switch failure {
    case .unreadable(let failure):
      self.init(failure, in: path)
      return
    case .memory:
      self.init(.internal, "memory is short", advice: "close other programs")
      return
    case .notGzip: reason = "is not a gzip file"
    case .cut: reason = "is cut short"
    case .damaged(let position): reason = "is damaged at or before byte \(position)"
    }
    self.init(
      .invalidInput, "'\(path)' \(reason)", meaning: "what comes after that cannot be read",
      advice: "use another backup, or extract what can be read")
  }
}
