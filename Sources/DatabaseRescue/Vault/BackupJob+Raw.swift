// SPDX-License-Identifier: Apache-2.0
// The making of a backup of what SQLite cannot read: the files as they are.

internal import SQLiteFormat

extension BackupJob {
  func storeRaw(
    _ reasons: [Check], describing describe: Describe
  ) throws(RescueError) -> ([BackupName.Part], BackupManifest) {
    var sidecars: [BackupManifest.Sidecar] = []
    for part in files.sidecars {
      let path = run.path(.container(part))
      let source = writer.world.watched(try open(files.path(of: part), .read))
      var manifest = manifest(
        of: files.name.adding(suffix: part.rawValue), byteCount: source.byteCount, raw: true,
        content: BackupContent())
      var container = try BackupContainer(
        manifest, file: try open(path, .createNew), at: path, level: writer.options.level)
      let (stored, readBack) = try container.write(source, from: files.path(of: part))
      manifest.image.sha256 = stored.digest
      manifest.checks = [readBack]
      try container.finish(manifest, in: storage)
      sidecars.append(
        BackupManifest.Sidecar(suffix: part.rawValue, image: manifest.image))
    }
    let main = try storeRawDatabase(reasons, beside: sidecars, describing: describe)
    return (files.sidecars + [.main], main)
  }

  private func storeRawDatabase(
    _ reasons: [Check], beside sidecars: [BackupManifest.Sidecar], describing describe: Describe
  ) throws(RescueError) -> BackupManifest {
    let path = run.path(.container(.main))
    let source = writer.world.watched(try open(files.path(of: .main), .read))
    var checks = reasons
    var content = BackupContent()
    do throws(RescueError) { content = try describe(source, nil).content } catch
      where error.kind != .inputOutput
    {
      checks.append(Check(Self.described, passed: false, detail: error.message))
    }
    var manifest = manifest(
      of: files.name, byteCount: source.byteCount, raw: true, content: content)
    manifest.sidecars = sidecars
    var container = try BackupContainer(
      manifest, file: run.container, at: path, level: writer.options.level)
    let (stored, readBack) = try container.write(source, from: files.path(of: .main))
    manifest.image.sha256 = stored.digest
    checks.append(readBack)
    let isUnchanged = try files.areUnchanged(in: storage)
    checks.append(
      Check(
        Self.unchanged, passed: isUnchanged,
        detail: isUnchanged
          ? "no file changed while it was read" : "a file changed while it was read"))
    manifest.checks = checks
    try container.finish(manifest, in: storage)
    return manifest
  }
}
