// SPDX-License-Identifier: Apache-2.0
// How an app starts: nothing opens its database before the library says that it may be opened.

public import DatabaseRescue
public import Diagnosis

/// The start of an app, from the first moment to its first screen.
public struct AppStart: Sendable {
  /// What the app shows.
  public enum Screen: Sendable {
    /// Its own first screen, over a database that may be opened.
    case home(FilePath)
    /// A screen in the place of the app.
    case blocked(BlockingScreen)
  }

  private let database: FilePath
  private let contract: Contract
  private let rescue: Rescue
  private let migrate: @Sendable (FilePath) async throws -> Void

  /// Describes an app: where its database is, what it expects of it, and how it migrates.
  ///
  /// `migrate` opens the file that it is given, makes or migrates it, and closes it again.
  public init(
    _ database: FilePath, contract: Contract, rescue: Rescue = Rescue(),
    migrate: @escaping @Sendable (FilePath) async throws -> Void
  ) {
    self.database = database
    self.contract = contract
    self.rescue = rescue
    self.migrate = migrate
  }

  /// Gets the database ready.
  public func begin() async -> Screen {
    let opening = await rescue.open(database, contract: contract, migrate: migrate)
    switch opening {
    case .ready(let database): return .home(database.path)
    case .blocked(let blockade): return .blocked(BlockingScreen(blockade))
    }
  }
}
