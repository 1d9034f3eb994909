// SPDX-License-Identifier: Apache-2.0
// `dbrescue vault status`: whether databases and their backups are fine, for a monitor.

import DatabaseRescue
import Diagnosis

/// Says how databases stand with their backups, and tells those who watch.
let vaultStatusCommand: CommandBody = { invocation, context throws(RescueError) in
  let ageMax = try maxAge(invocation)
  let ping = try invocation.text(.ping).map { text throws(RescueError) in
    try Ping(text, of: invocation.command)
  }
  let metrics = try metricsFile(invocation, context)
  var code = ExitCode.internal
  let result = try context.rescue.status(
    of: databases(invocation), vault: invocation.path(.vault), ageMax: ageMax
  ) { statuses in
    code = ExitCode(status: VaultStatus.exitStatus(of: statuses))
    do throws(RescueError) {
      let metrics = try metrics?.get()
      let text = VaultMetrics(statuses, at: context.world.now(), ageMax: ageMax)
      if let metrics { try text.write(to: metrics, in: context.world) }
    } catch {
      context.console.warn("no metrics were written: \(error.message)")
      if code == .success { code = .cannotWrite }
    }
    if let trouble = ping?.tell(code, in: context.world) {
      context.console.warn("\(trouble); whoever waits for it was not told")
      if code == .success { code = .commandFailed }
    }
    return code.rawValue
  }
  return try context.give(
    VaultStatusAnswer(result, ageMax: ageMax, exitStatus: code.rawValue), of: result)
}

/// The databases that were named, each once.
private func databases(_ invocation: Invocation) -> [FilePath] {
  ([invocation.path(.file)] + invocation.paths(.more)).reduce(into: []) { paths, path in
    if !paths.contains(path) { paths.append(path) }
  }
}

/// How old a backup may be, in seconds: a number with its unit, such as `26h`.
private func maxAge(_ invocation: Invocation) throws(RescueError) -> Double {
  let text = invocation.text(.maxAge) ?? ""
  let units: [Character: Int] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]
  guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()),
    1...36_500 ~= number, text.first?.isNumber == true
  else {
    throw invocation.command.misuse(
      "--max-age takes a whole number with m, h, d or w, such as 26h, not '\(text)'")
  }
  return Double(number * unit)
}

/// The file for the metrics, nil where none is wished; one that cannot be written is told of when
/// the rest is done.
///
/// - Throws: ``RescueError`` of the kind `.usage` when it is something that is read.
private func metricsFile(
  _ invocation: Invocation, _ context: CommandContext
) throws(RescueError) -> Result<RunFiles.Output, RescueError>? {
  guard let path = invocation.path(.prometheus) else { return nil }
  var files = context.files(invocation)
  files.read(
    RunLog.path(in: context.world.environment).map { [$0] } ?? [], storage: context.world.storage)
  do throws(RescueError) {
    return .success(try files.write(path, replacing: true, storage: context.world.storage))
  } catch {
    if error.kind == .usage { throw error }
    return .failure(error)
  }
}
