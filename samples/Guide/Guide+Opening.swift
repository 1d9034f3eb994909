// SPDX-License-Identifier: Apache-2.0
// The start of an app.

public import DatabaseRescue
import Diagnosis

extension Guide {
  /// Gets the database ready, in two lines.
  public func open(
    _ contractFile: FilePath, migrate: @escaping @Sendable (FilePath) async throws -> Void
  ) async throws -> Opening {
    // snippet
    let contract = try ContractSource.load(contractFile)
    let opening = await rescue.open(database, contract: contract, migrate: migrate)
    // end
    return opening
  }

  /// Shows how the start ended.
  public func tell(_ opening: Opening) {
    // snippet
    switch opening {
    case .ready(let database):
      showHome(database.path)
    case .blocked(let blockade):
      showScreen(blockade.message, buttons: blockade.options.map { $0.label() })
    }
    // end
  }

  /// Does what a user has chosen, and starts again.
  public func choose(
    _ option: Blockade.Option, migrate: @escaping @Sendable (FilePath) async throws -> Void
  ) async throws -> Opening {
    // snippet
    try await rescue.carryOut(option, on: database, contract: contract)
    let opening = await rescue.open(database, contract: contract, migrate: migrate)
    // end
    return opening
  }

  /// Starts in another language.
  public func openInGerman(
    migrate: @escaping @Sendable (FilePath) async throws -> Void
  ) async -> Opening {
    // snippet
    let texts = UserTexts([
      .checkingStage: "Ihre Daten werden geprüft",
      .restoreOption: "Zurück zur Sicherung von %@",
    ])
    var options = OpeningOptions()
    options.texts = texts
    let opening = await rescue.open(
      database, contract: contract, options: options, progress: { show($0.text(texts)) },
      migrate: migrate)
    // end
    return opening
  }

  private func showHome(_ database: FilePath) { show("home over \(database)") }

  private func showScreen(_ message: BlockingMessage, buttons: [String]) {
    for line in message.lines + buttons { show(line) }
  }
}
