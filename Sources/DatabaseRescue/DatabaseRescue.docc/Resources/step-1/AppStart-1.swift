// SPDX-License-Identifier: Apache-2.0
// How an app starts: nothing opens its database before the library says that it may be opened.

public import DatabaseRescue
public import Diagnosis

/// The start of an app, from the first moment to its first screen.
public struct AppStart: Sendable {
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

  /// Gets the database ready; nil where nothing may open it.
  public func begin() async -> FilePath? {
    let opening = await rescue.open(database, contract: contract, migrate: migrate)
    switch opening {
    case .ready(let database): return database.path
    case .blocked: return nil
    }
  }
}
