// SPDX-License-Identifier: Apache-2.0
// The progress of a run on the terminal.

import DatabaseRescue

extension CommandContext {
  /// Does work with a library that shows how far it is, in passes over a database and its journals.
  func withProgress<Result>(
    of passes: [Progress.Pass], over input: InputFiles,
    _ body: (Rescue) throws(RescueError) -> Result
  ) throws(RescueError) -> Result {
    let sizes = input.all.map { path in
      (try? world.storage.status(of: path))?.map(\.byteCount) ?? 0
    }
    let byteCount = sizes.reduce(0, +)
    return try withProgress(of: passes.map { ($0, byteCount) }, body)
  }

  /// Does work with a library that shows how far it is, in passes over so many bytes each.
  func withProgress<Result>(
    of passes: [(pass: Progress.Pass, byteCount: Int)],
    _ body: (Rescue) throws(RescueError) -> Result
  ) throws(RescueError) -> Result {
    try console.progress(
      passes.map { ProgressLine.Pass(name: $0.pass.rawValue, byteCount: $0.byteCount) }
    ) { line throws(RescueError) in
      var world = world
      world.progress = { progress in
        switch progress {
        case .began(let pass):
          if let index = passes.firstIndex(where: { $0.pass == pass }) { line.begin(index) }
        case .advanced(let count): line.advance(by: count)
        }
      }
      return try body(Rescue(world: world, unattended: !console.terminal.hasSomebody))
    }
  }
}
