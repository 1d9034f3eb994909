// SPDX-License-Identifier: Apache-2.0
// What comes out of a pipe, as a private file that can be read again and anywhere.

import SQLiteFormat

/// A private folder that stays as long as somebody reads in it.
final class HeldFolder: Sendable {
  let folder: PrivateFolder

  init(_ folder: consuming PrivateFolder) {
    self.folder = folder
  }
}

/// What comes out of a pipe, as a private file.
struct PipedInput {
  /// How long nobody may have opened the pipe for writing.
  private static let nobodyMax = 5_000
  /// How long whoever has may not write.
  private static let silenceMax = 60_000
  /// How long is waited between two looks at whether the run is to stop.
  private static let wait = 100
  /// What is left free on the disk of the copy.
  private static let reserve = 1 << 24

  /// The folder of the file.
  let folder: HeldFolder
  /// The file, with the name of the pipe.
  let path: FilePath

  /// Reads a pipe to its end.
  ///
  /// - Throws: ``RescueError`` when nobody writes to it, when nothing comes for long, and when more
  ///   comes than `World.pipeByteCountMax` or the disk allows.
  init(_ pipe: FilePath, world: World) throws(RescueError) {
    folder = HeldFolder(try PrivateFolder(world: world))
    path = folder.folder.file(pipe.name)
    do {
      let free = try world.storage.freeBytes(at: path.folder) - Self.reserve
      let source = try world.storage.openPipe(pipe)
      let file = try world.storage.open(path, .createNew)
      var byteCount = 0
      var waited = 0
      while true {
        try world.requireGoingOn()
        switch try source.next(waiting: Int32(Self.wait)) {
        case .end: return
        case .bytes(let bytes):
          waited = 0
          guard byteCount + bytes.count <= min(world.pipeByteCountMax, free) else {
            throw Self.tooLong(pipe, world, free: free)
          }
          try file.write(bytes, at: byteCount)
          byteCount += bytes.count
        case .nobody where waited < Self.nobodyMax, .silence where waited < Self.silenceMax:
          waited += Self.wait
        case .nobody: throw Self.mute(pipe, "nobody writes to the pipe '\(pipe)'")
        case .silence: throw Self.mute(pipe, "nothing has come out of '\(pipe)' for a minute")
        }
      }
    } catch {
      throw RescueError(error, doing: "read '\(pipe)'", meaning: "nothing was changed")
    }
  }

  private static func mute(_ pipe: FilePath, _ message: String) -> RescueError {
    RescueError(
      .inputOutput, message, meaning: "there is nothing to look at; nothing was changed",
      advice: "start what writes to it first, or give a file")
  }

  private static func tooLong(_ pipe: FilePath, _ world: World, free: Int) -> RescueError {
    let isFull = free < world.pipeByteCountMax
    return RescueError(
      isFull ? .cannotWrite : .invalidInput,
      isFull
        ? "more comes out of '\(pipe)' than fits in '\(PrivateFolder.place(in: world))'"
        : "more than \(world.pipeByteCountMax >> 20) MiB come out of '\(pipe)'",
      meaning: "a pipe is read into a private file first; nothing was changed",
      advice: isFull
        ? "free some space, or set TMPDIR to another folder"
        : "raise the limit with --max-size, or write it to a file and give that")
  }
}
