// SPDX-License-Identifier: Apache-2.0
// What tells our own temporary files from those of others: a note in their folder, written first.
//
// dbrescue claim 1
// name    the word that the claimed names begin with
// id      random
// folder  the inode of the folder that the claim is in
// above   the inode of the folder above that one
//
// A name proves nothing: archives are unpacked with any names in them, claims too. But no archive
// knows the inodes that its folders get, and a copy of a folder has others.

import SQLiteFormat

/// A claim to names in a folder: the proof that we made them there.
///
/// It is written before the first of the names is made, and goes after the last. Where the system
/// can do that, it gets its own name when it is complete: one that a crash has cut short proves
/// nothing, and so nothing would be removed for it.
struct Claim {
  /// How the name of a claim ends.
  static let suffix = ".claim"
  private static let byteCountMax = 512

  /// The word that the claimed names begin with.
  let name: FilePath
  /// The folder that they are in.
  let folder: any StoredFolder

  init(_ name: FilePath, in folder: any StoredFolder) {
    self.name = name
    self.folder = folder
  }

  /// The file of the claim.
  var file: FilePath {
    FilePath(bytes: [UInt8(ascii: ".")] + name.bytes).adding(suffix: Self.suffix)
  }

  /// The claims in a folder that hold; what is no claim of ours is not among them.
  static func all(in folder: any StoredFolder) throws(StorageError) -> [Claim] {
    var claims: [Claim] = []
    for file in try folder.names() where file.hasSuffix(suffix) {
      let name = FilePath(bytes: file.bytes.dropFirst().dropLast(suffix.utf8.count))
      let claim = Claim(name, in: folder)
      if claim.file == file, try claim.holds() { claims.append(claim) }
    }
    return claims
  }

  /// Writes the claim, durably.
  ///
  /// - Returns: The file, for who wants to lock it.
  @discardableResult
  func write(id: UInt64) throws(StorageError) -> any StoredFile {
    let content = Bytes("\(start)id \(id)\n\(try place)".utf8)
    let file = try folder.create(self.file, holding: content)
    do {
      try folder.synchronize()
    } catch {
      try? folder.remove(self.file)
      throw error
    }
    return file
  }

  /// Whether we wrote this claim, in this place.
  func holds() throws(StorageError) -> Bool {
    guard let status = try folder.status(of: file), status.kind == .file, status.isOwn,
      status.mode & 0o777 == 0o600, status.linkCount == 1
    else { return false }
    guard let bytes = try? folder.open(file).read(at: 0, count: Self.byteCountMax),
      let text = String(validating: bytes, as: UTF8.self)
    else { return false }
    let place = try place
    return text.hasPrefix(start) && text.hasSuffix("\n" + place)
  }

  /// Withdraws the claim: what it named is gone, or is the result.
  func withdraw() throws(StorageError) {
    try folder.remove(file)
  }

  private var start: String { "dbrescue claim 1\nname \(ShellWord.quoted(name.bytes))\n" }

  private var place: String {
    get throws(StorageError) {
      let above = try folder.status(of: "..")?.identity.last ?? 0
      return "folder \(try folder.status().identity.last ?? 0)\nabove \(above)\n"
    }
  }
}
