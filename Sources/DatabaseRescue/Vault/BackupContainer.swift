// SPDX-License-Identifier: Apache-2.0
// One backup file in the making: what is known first, the data, what was measured, the end mark.

internal import SQLiteFormat

/// One backup file in the making.
struct BackupContainer {
  private var archive: ArchiveWriter
  private var imageByteCount = 0
  /// Where the data ends, and what was measured begins.
  private var dataEnd = 0

  /// Begins a file with what is known first.
  init(
    _ manifest: BackupManifest, file: any StoredFile, at path: FilePath, level: Int
  ) throws(RescueError) {
    archive = ArchiveWriter(file: file, path: path, id: manifest.id, level: level)
    try archive.write(opening: try manifest.abridged.encoded())
  }

  /// Writes the data, and proves every member of it.
  ///
  /// Members of an earlier backup that hold the same bytes are taken over.
  mutating func write(
    _ image: any PageSource, from name: FilePath, like earlier: EarlierBackup? = nil
  ) throws(RescueError) -> (StoredImage, BackupManifest.Check) {
    imageByteCount = image.byteCount
    let stored = try archive.write(image: image, from: name, like: earlier?.archive)
    dataEnd = archive.position
    var detail = archive.members.count.of("member", "inflates", "inflate") + " to what was stored"
    if let earlier, stored.reusedCount > 0 {
      detail += "; \(stored.reusedCount) are as in backup \(earlier.id)"
    }
    return (stored, BackupManifest.Check(BackupReader.readBack, passed: true, detail: detail))
  }

  /// Writes what was measured, makes it durable, and reads it back; it takes the place of what was
  /// known before the file was tried.
  mutating func finish(
    _ manifest: BackupManifest, in storage: any Storage
  ) throws(RescueError) {
    try archive.truncate(to: dataEnd)
    try archive.finish(manifest: try manifest.encoded(), imageByteCount: imageByteCount)
    try archive.synchronize()
    let reader = try BackupReader(archive.path, in: storage)
    guard reader.state == .complete, reader.hasFinalManifest, reader.manifest == manifest else {
      throw .differs(reader.flaws.first ?? "the manifest is another")
    }
  }
}
