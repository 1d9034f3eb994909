// SPDX-License-Identifier: Apache-2.0
// A library inside a process: where it logs, how it is watched, how it is stopped.

public import DatabaseRescue

extension Guide {
  /// Makes a library that logs where the app wants it, and can be watched and stopped.
  public static func rescue(
    loggingTo log: FilePath, isStopWished: @escaping @Sendable () -> Bool,
    show: @escaping @Sendable (String) -> Void
  ) -> Rescue {
    // snippet
    var world = World(
      isCancelled: isStopWished,
      progress: { progress in
        switch progress {
        case .began(let pass, _): show(pass.rawValue)
        case .advanced(let byteCount): show("\(byteCount) bytes more")
        case .ended: show("done")
        }
      })
    world.environment["DBRESCUE_LOG"] = log.description
    let rescue = Rescue(world: world)
    // end
    return rescue
  }
}
