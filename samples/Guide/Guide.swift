// SPDX-License-Identifier: Apache-2.0
// The examples of the articles: what stands here between `snippet` and `end` stands there word for
// word. The target sees of the library only what is public.

public import DatabaseRescue
public import Diagnosis

/// An app that does what the articles show.
public struct Guide: Sendable {
  let rescue: Rescue
  let database: FilePath
  let contract: Contract
  /// Takes what the app shows or logs, line by line.
  let show: @Sendable (String) -> Void

  /// Describes the app: where its database is, and what it expects of it.
  public init(
    _ database: FilePath, contract: Contract, rescue: Rescue,
    show: @escaping @Sendable (String) -> Void
  ) {
    self.database = database
    self.contract = contract
    self.rescue = rescue
    self.show = show
  }
}
