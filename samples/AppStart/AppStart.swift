// SPDX-License-Identifier: Apache-2.0
// How an app starts: nothing opens its database before the library says that it may be opened. The
// target sees of the library only what is public.

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
  private let texts: UserTexts
  private let migrate: @Sendable (FilePath) async throws -> Void

  /// Describes an app: where its database is, what it expects of it, and how it migrates.
  ///
  /// `migrate` opens the file that it is given, makes or migrates it, and closes it again.
  public init(
    _ database: FilePath, contract: Contract, rescue: Rescue = Rescue(),
    texts: UserTexts = UserTexts(), migrate: @escaping @Sendable (FilePath) async throws -> Void
  ) {
    self.database = database
    self.contract = contract
    self.rescue = rescue
    self.texts = texts
    self.migrate = migrate
  }

  /// Gets the database ready; `show` is given a line while that takes time.
  public func begin(show: @escaping @Sendable (String) -> Void = { _ in }) async -> Screen {
    var options = OpeningOptions()
    options.texts = texts
    let opening = await rescue.open(
      database, contract: contract, options: options,
      progress: { [texts] progress in show(Self.line(for: progress, texts)) }, migrate: migrate)
    switch opening {
    case .ready(let database): return .home(database.path)
    case .blocked(let blockade): return .blocked(BlockingScreen(blockade, texts))
    }
  }

  /// Does what the user has chosen on a blocking screen, and starts again.
  public func choose(
    _ number: Int, on screen: BlockingScreen,
    show: @escaping @Sendable (String) -> Void = { _ in }
  ) async -> Screen {
    guard screen.options.indices.contains(number - 1) else { return .blocked(screen) }
    do {
      try await rescue.carryOut(
        screen.options[number - 1], on: database, contract: contract)
    } catch {
      return .blocked(screen.adding(error.message))
    }
    return await begin(show: show)
  }

  private static func line(for progress: OpeningProgress, _ texts: UserTexts) -> String {
    progress.text(texts) + (progress.fraction.map { " \(Int($0 * 100)) %" } ?? " …")
  }
}
