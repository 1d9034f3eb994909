// SPDX-License-Identifier: Apache-2.0
// A backup that a salvage may take lost rows from: one of ours, any gzip file, or a database.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A backup that a salvage may take lost rows from.
package struct SalvageBackup: Sendable {
  /// Its file name.
  package let name: PlainName
  /// When it was made, as it says itself, else when its file was written last.
  package let created: Date?
  /// What is in it.
  let reconstruction: Reconstruction
  /// What it says of the pages of its database; nil when it says nothing.
  let knownPages: KnownPages?
  /// The files that are read, which may be private ones.
  private let files: InputFiles
  /// The folder of the private copy that is read, where there is one.
  private let folder: HeldFolder?
}

extension SalvageBackup {
  /// What its bytes say.
  var survey: Survey { reconstruction.survey }

  /// What the backup tells of a later state of its database.
  var knowledge: OutsideKnowledge {
    OutsideKnowledge(
      schema: { [survey] in FreshSchema(of: survey).declared.entries }, pages: knownPages,
      roots: Dictionary(
        survey.trees.compactMap { tree in tree.root.map { (tree.entry.name, $0) } }
      ) { first, _ in first })
  }

  /// Opens a backup for reading; a damaged one gives what is left of it.
  ///
  /// - Throws: ``RescueError`` when the file cannot be read, or there is no database in it.
  package init(at path: FilePath, world: World) throws(RescueError) {
    let files = try InputFiles(path, world: world)
    let start: Bytes
    let modified: Double?
    do {
      start = try world.storage.open(files.main, .read).read(at: 0, count: 2)
      modified = try world.storage.status(of: path)?.modified
    } catch {
      throw RescueError(error, doing: "read '\(path)'")
    }
    name = PlainName(path)
    var folder: HeldFolder?
    var manifest: BackupManifest?
    if start == [0x1F, 0x8B] {
      let reader = try BackupReader(files.main, in: world.storage)
      manifest = reader.manifest
      if reader.state == .foreign {
        let copy = HeldFolder(try PrivateFolder(world: world))
        let database = copy.folder.file("backup.db")
        _ = try reader.extract(to: database)
        reconstruction = try world.reconstruct(
          InputFiles(database, storage: world.storage).open(in: world))
        folder = copy
      } else {
        reconstruction = try world.reconstruct(FileSet(main: world.watched(reader.pages())))
      }
    } else {
      reconstruction = try world.reconstruct(files.open(in: world))
    }
    self.folder = folder
    self.files = files
    knownPages = manifest.flatMap { KnownPages($0) }
    created = manifest?.created ?? modified.map { Date(timeIntervalSince1970: $0.rounded(.down)) }
    try world.requireGoingOn()
    guard reconstruction.survey.image != nil else {
      throw RescueError(
        .invalidInput,
        "there is no database in the backup '\(path)': \(reconstruction.survey.kind.name)",
        meaning: "nothing was written", advice: "give a backup of this program, or a database")
    }
  }
}

extension KnownPages {
  /// What a manifest says of pages; nil when it lists none.
  init?(_ manifest: BackupManifest) {
    var leaves: [PageNumber: Leaf] = [:]
    for table in manifest.content.tables {
      for leaf in table.leafPages?.leaves ?? [] {
        leaves[leaf.page] = Leaf(table: table.name, checksum: leaf.checksum)
      }
    }
    guard !leaves.isEmpty else { return nil }
    self.init(leaves) { CRC32.checksum(of: $0) }
  }
}
