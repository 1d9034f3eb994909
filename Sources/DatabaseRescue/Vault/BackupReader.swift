// SPDX-License-Identifier: Apache-2.0
// One backup file, opened: what it says about itself, and its bytes.

package import SQLiteFormat
internal import Synchronization

/// One backup file, opened for reading.
///
/// Opening inflates nothing. Nothing the file says is believed without its digest, and no
/// file makes a reader crash, hang or take more memory than some of its spans need.
package final class BackupReader: Sendable {
  /// What a file is worth, as far as opening it tells.
  package enum State: String, Hashable, Sendable, CaseIterable, Codable {
    /// It ends as it should, and its manifest and index are whole.
    case complete
    /// The end is missing: it was cut, or never finished. Whole members can be read.
    case incomplete
    /// Something in it does not fit. Whole members can be read.
    case damaged
    /// A gzip file that this program did not make: no manifest, nothing to compare with.
    case foreign
  }

  /// The file.
  package let path: FilePath
  /// The size of the file.
  package let byteCount: Int
  /// What the file is worth, as far as opening it tells.
  package let state: State
  /// What the backup says about itself: what was measured last, else what was known first.
  package let manifest: BackupManifest?
  /// What is wrong with the file, as far as opening it tells.
  package let flaws: [String]

  let storage: any Storage
  let file: any StoredFile
  /// The members; nil for a foreign file.
  let archive: Archive?

  /// Opens a backup, or any gzip file.
  ///
  /// - Throws: ``RescueError`` when the file cannot be read, or is no gzip file at all.
  package init(_ path: FilePath, in storage: any Storage = SystemStorage()) throws(RescueError) {
    self.path = path
    self.storage = storage
    do { file = try storage.open(path, .read) } catch { throw RescueError(error) }
    byteCount = file.byteCount
    var archive: Archive?
    let start: Bytes
    do throws(ReadFailure) {
      archive = try Archive.open(file)
      start = try file.read(at: 0, count: 2)
    } catch {
      throw RescueError(error, in: path)
    }
    guard archive != nil || start == [0x1F, 0x8B] else {
      throw RescueError(
        .invalidInput, "'\(path)' is not a backup: it does not begin like a gzip file",
        meaning: "nothing can be read from it as a backup",
        advice: "if it is a database, run: dbrescue diagnose FILE")
    }
    manifest = (archive?.manifest ?? archive?.opening).flatMap { BackupManifest($0) }
    if archive?.imageByteCount == nil {
      archive?.imageByteCount = manifest.map { max($0.image.byteCount, 0) }
    }
    self.archive = archive
    (state, flaws) = Self.judge(archive, manifest)
  }

  private static func judge(
    _ archive: Archive?, _ manifest: BackupManifest?
  ) -> (State, [String]) {
    guard let archive else { return (.foreign, []) }
    var flaws = archive.flaws.map { "\($0.message) at byte \($0.bytes.lowerBound) of the file" }
    if archive.end == nil { flaws.append("the end mark is missing") }
    if archive.end != nil, archive.manifest == nil { flaws.append("the manifest is damaged") }
    if manifest == nil, archive.manifest != nil {
      flaws.append("the manifest is of a version that is not known here")
    }
    if let manifest, let end = archive.end, manifest.image.byteCount != end.imageByteCount {
      flaws.append("the manifest speaks of another number of bytes than are stored")
    }
    flaws += archive.gaps.map { "bytes \($0.lowerBound) to \($0.upperBound) are missing" }
    let state: State = archive.end == nil ? .incomplete : flaws.isEmpty ? .complete : .damaged
    return (state, flaws)
  }

  /// The length of the database; nil when nothing that is left says so.
  package var imageByteCount: Int? { archive?.imageByteCount }

  /// Whether the manifest is the one that was measured last, with the checks in it.
  package var hasFinalManifest: Bool { archive?.manifest != nil && manifest != nil }

  /// Whether this backup can stand in for the database: complete and proven.
  package var isGood: Bool {
    state == .complete && hasFinalManifest && manifest?.isGood() == true
  }

  /// The backup as a source of bytes, such as the reader of the format takes.
  ///
  /// Members are inflated when they are asked for. Reading where a member is damaged or
  /// missing throws; everything else can be read.
  ///
  /// - Throws: ``RescueError`` for a foreign file, which can only be read from its start,
  ///   and when the length of the database is not known.
  package func pages() throws(RescueError) -> any PageSource {
    guard let archive, let total = archive.imageByteCount else {
      throw RescueError(
        .invalidInput, "'\(path)' holds no list of its pages",
        meaning: archive == nil
          ? "it was not made by this program, and can only be read from start to end"
          : "too little is left of it",
        advice: "extract it to a file, and read that")
    }
    return BackupImage(archive, byteCount: total)
  }

  /// The size of a page; nil when nobody knows.
  var pageSize: Int? {
    if let size = manifest?.content.pageSize, size > 0 { return size }
    guard let archive, let first = archive.members.first, first.span.lowerBound == 0,
      let header = archive.read(first).bytes.flatMap({ DatabaseHeader($0) }), header.hasMagic
    else { return nil }
    return header.pageSize > 0 ? header.pageSize : nil
  }
}

/// The image in a backup as a source of bytes.
private final class BackupImage: PageSource {
  /// How many bytes of inflated spans are kept, beside the last one.
  private static let keptByteCountMax = 64 * MemberHead.spanByteCount

  let byteCount: Int
  private let archive: Archive
  /// The spans that were read last, newest last, by their place in the list of members.
  private let recent = Mutex<[(index: Int, bytes: Bytes)]>([])

  init(_ archive: Archive, byteCount: Int) {
    self.archive = archive
    self.byteCount = byteCount
  }

  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard offset >= 0, count > 0, offset < byteCount else { return [] }
    let end = offset + min(count, byteCount - offset)
    var bytes = Bytes()
    var position = offset
    while position < end {
      guard let index = archive.index(ofMemberWith: position) else {
        throw ReadFailure(offset: position, reason: "the backup lacks these bytes")
      }
      let start = archive.members[index].span.lowerBound
      let span = try self.span(index)
      bytes += span[(position - start)..<min(end - start, span.count)]
      position = start + span.count
    }
    return bytes
  }

  private func span(_ index: Int) throws(ReadFailure) -> Bytes {
    let kept = recent.withLock { recent in recent.first { $0.index == index }?.bytes }
    if let kept { return kept }
    let member = archive.members[index]
    let reading = archive.read(member)
    guard let bytes = reading.bytes else {
      throw ReadFailure(
        offset: member.span.lowerBound,
        reason: "member \(member.number) of the backup \(reading.flaw ?? "is damaged")")
    }
    recent.withLock { recent in
      while recent.reduce(bytes.count, { $0 + $1.bytes.count }) > Self.keptByteCountMax,
        !recent.isEmpty
      { recent.removeFirst() }
      recent.append((index, bytes))
    }
    return bytes
  }
}

extension World {
  /// Opens a backup that is going to be read in full, once, which tells how far that is.
  ///
  /// - Throws: As ``BackupReader/init(_:in:)``.
  func reader(of path: FilePath, for pass: Progress.Pass) throws(RescueError) -> BackupReader {
    let reader = try BackupReader(path, in: stoppableStorage)
    progress(.began(pass, byteCount: reader.byteCount))
    return reader
  }
}
