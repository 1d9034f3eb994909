// SPDX-License-Identifier: Apache-2.0
// What every call of the library is made on.

/// Health checks, backups and recovery of SQLite databases.
public struct Rescue: Sendable {
  /// The version of this library and of the command.
  public static let version = Tool.version

  /// The libraries in use, with their versions, such as `SQLite 3.46.1, zlib 1.3.1`.
  public static let libraries = Tool.libraries

  /// Files, time, chance and environment.
  package let world: World
  /// Whether nobody is there to ask; noted in support codes.
  package let unattended: Bool

  /// Makes the library's face for a world; the real one unless given.
  public init(world: World = World(), unattended: Bool = true) {
    self.world = world
    self.unattended = unattended
  }
}
