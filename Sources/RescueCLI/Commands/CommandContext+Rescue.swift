// SPDX-License-Identifier: Apache-2.0
// What the command bodies share: the library, its inputs, and how a run's end is told.

import DatabaseRescue
import Diagnosis
import SQLiteFormat

extension CommandContext {
  /// The library, told whether somebody is there to ask.
  var rescue: Rescue { Rescue(world: world, unattended: !console.terminal.hasSomebody) }

  /// The database that was named, with its journals; one in an archive is taken out of it.
  func input(_ invocation: Invocation, journals: Bool = true) throws(RescueError) -> InputFiles {
    let input = try InputFiles(
      invocation.path(.file), wal: journals ? invocation.path(.wal) : nil,
      journal: journals ? invocation.path(.journal) : nil, world: world
    ).unpacked(in: world)
    guard journals, let part = invocation.part else { return input }
    return input.part(part)
  }

  /// The database that was named, or what a process has of it open.
  func input(_ invocation: Invocation, heldBy process: Int?) throws(RescueError) -> InputFiles {
    guard let process else { return try input(invocation) }
    return try InputFiles(
      of: invocation.path(.file), asHeldBy: Int32(clamping: process), world: world)
  }

  /// The contract that was named; nil when none was.
  func contract(at path: FilePath?) throws(RescueError) -> Contract? {
    try path.map { path throws(RescueError) in
      let contract = try ContractSource.load(path, world: world)
      if speaksToPeople {
        for line in contract.notes { console.note("\(path.name): \(line)") }
      }
      return contract
    }
  }

  /// The bytes of a file that people write, which is short.
  ///
  /// - Throws: ``RescueError`` when it cannot be read or is too long.
  func contents(of path: FilePath, byteCountMax: Int) throws(RescueError) -> Bytes {
    do {
      let file = try world.storage.open(path, .read)
      guard file.byteCount <= byteCountMax else {
        throw RescueError(.invalidInput, "'\(path)' is too long", meaning: "nothing was done")
      }
      return try file.read(at: 0, count: file.byteCount)
    } catch {
      throw RescueError(error, doing: "read '\(path)'")
    }
  }

  /// Whether text beside the result is read by somebody, and not in the way of a program.
  var speaksToPeople: Bool { !console.manner.isJSON || console.terminal.hasSomebody }

  /// Tells the support code of a run, and that it could not be logged where it could not.
  ///
  /// In JSON the code is part of the document.
  func tellCode<Value>(of result: RunResult<Value>) {
    tellInterruption(of: result)
    if !console.manner.isJSON { console.note("support code \(result.code, .emphasised)") }
    tellLogFailure(of: result)
  }

  /// Tells that a run went on to its end although somebody wished it to stop.
  func tellInterruption<Value>(of result: RunResult<Value>) {
    guard result.wasInterrupted else { return }
    interruption.heed()
    console.warn("interrupted: what had begun was carried to its end")
  }

  /// The file of `--report`.
  typealias ReportFile = (output: RunFiles.Output, format: ReportFormat)

  /// The files that a run reads, as far as they were named on the command line.
  func files(_ invocation: Invocation) -> RunFiles {
    var files = RunFiles()
    files.read(invocation.pathsToRead, storage: world.storage)
    return files
  }

  /// Refuses to log to a file that is read, as every run adds a line to its log.
  ///
  /// - Throws: ``RescueError`` of the kind `.usage`.
  func requireLogApart(_ invocation: Invocation) throws(RescueError) {
    guard let log = RunLog.path(in: world.environment) else { return }
    try files(invocation).requireApart(log, storage: world.storage)
  }

  /// The file of `--report` where there is one; taken before the run, so that nothing is done for
  /// a report that cannot be written.
  ///
  /// - Throws: ``RescueError`` when the file's ending names no format, or it may not be written.
  func reportFile(
    _ invocation: Invocation, in files: inout RunFiles
  ) throws(RescueError) -> ReportFile? {
    guard let path = invocation.path(.report) else { return nil }
    guard let format = ReportFormat(path) else {
      throw invocation.command.misuse("--report ends in .html, .json or .txt")
    }
    return (
      try files.write(path, replacing: invocation.isSet(.force), storage: world.storage), format
    )
  }

  /// Prints a report, then writes it to the file of `--report` where there is one.
  ///
  /// `name` is the file in a command to paste, with the flags that the command needs.
  ///
  /// - Throws: ``RescueError`` when it cannot be written.
  func tell(
    _ report: some WrittenReport, to file: ReportFile?, naming name: String
  ) throws(RescueError) {
    if console.manner.isJSON {
      console.write(try report.json())
    } else {
      for line in report.lines(naming: name) { console.print(line) }
    }
    guard let file else { return }
    try save(report.rendered(as: file.format), as: file.output)
  }

  /// Writes a report that was printed already.
  ///
  /// - Throws: ``RescueError`` when it cannot be written.
  func save(_ report: String, as output: RunFiles.Output) throws(RescueError) {
    do throws(RescueError) {
      try output.write(Bytes(report.utf8), world: world)
    } catch {
      let kind: RescueError.Kind = error.kind == .inputOutput ? .inputOutput : .cannotWrite
      throw RescueError(
        kind, error.message, meaning: "the report was not written; what it says was printed",
        advice: error.advice)
    }
  }

  /// The file that was named, as the next command is given it: with those flags, of these, that
  /// were given here.
  func subject(_ invocation: Invocation, with flags: [Flag]) -> String {
    invocation.path(.file).shellQuoted + options(invocation, flags)
  }

  /// Those flags, of these, that were given here, each with its path.
  func options(_ invocation: Invocation, _ flags: [Flag]) -> String {
    flags.map { flag in
      invocation.path(flag).map { " --\(flag.name) \($0.shellQuoted)" } ?? ""
    }.joined()
  }

  /// Gives an answer in the way that was asked for, and gives back how the command ends.
  ///
  /// - Throws: ``RescueError`` of kind `internal`, which is a defect.
  @discardableResult
  func give(_ answer: some CommandAnswer) throws(RescueError) -> ExitCode {
    if console.manner.isJSON {
      console.print(document: try answer.document)
    } else {
      answer.lines.forEach(tell)
    }
    answer.warnings.forEach(console.warn)
    return ExitCode(status: answer.exitStatus)
  }

  /// Gives the answer of a run in the same way, and tells its code.
  @discardableResult
  func give<Value>(
    _ answer: some CommandAnswer, of result: RunResult<Value>
  ) throws(RescueError) -> ExitCode {
    let exit = try give(answer)
    tellCode(of: result)
    return exit
  }

  private func tell(_ line: AnswerLine) {
    switch line {
    case .result(let text): console.print(text)
    case .detail(let text): if console.manner.isVerbose { console.print(text) }
    case .table(let table): console.print(table)
    case .pasted(let text): console.write(text + "\n")
    case .note(let text): console.note(text)
    case .said(let text): console.say(text)
    case .warning(let text): console.warn(text)
    }
  }

  /// Tells of a migration on the database that was cut off before it had changed anything, where the
  /// command does not say so itself and may forget it.
  func tellUndoneMigration(_ invocation: Invocation) {
    guard ["backup", "guard", "migrate", "restore"].contains(invocation.command.name),
      let operand = invocation.command.operands.first(where: { $0.name == Operand.file.name }),
      let file = invocation.optionalPath(operand), let message = rescue.undoneMigration(of: file)
    else { return }
    console.warn("\(message)")
  }

  /// Tells of a migration on a database that was begun under guard and was cut off, as long as
  /// nobody has gone back to before it or accepted what is there: of each file that was read.
  func tellCutOffMigration(_ invocation: Invocation) {
    let names = [Operand.file.name, Operand.vaultFolder.name]
    let subject = invocation.command.operands.first { names.contains($0.name) }
      .flatMap { invocation.optionalPath($0) }
    if let subject, let message = rescue.supplanted(at: subject) { console.warn("\(message)") }
    var told: Set<FilePath> = []
    for file in invocation.pathsToRead where told.insert(file).inserted {
      // A guard has refused its database already.
      guard file != subject || invocation.command.name != "guard",
        let migration = rescue.cutOffMigration(of: file)
      else { continue }
      let place = file == subject ? "" : "'\(file)': "
      let (back, on) = (migration.wayBack(of: file), migration.wayOn(of: file))
      console.warn(
        "\(place)\(migration.message); to go back: \(back); to keep what is there, once it is "
          + "checked: \(on)")
    }
  }

  /// Tells that a run could not be logged, where it could not.
  func tellLogFailure<Value>(of result: RunResult<Value>) {
    if let failure = result.logFailure {
      console.warn("the run was not logged: \(failure.message)")
    }
  }

  /// Whether the plan may be carried out: by `--yes`, or because somebody says so.
  ///
  /// - Throws: ``RescueError`` when nobody was there to ask, or the answer was no; and always of a
  ///   dry run, of which the plan is all.
  func approve(
    _ plan: Plan, _ invocation: Invocation, asksForName name: String? = nil
  ) throws(RescueError) {
    let answer = PlanAnswer(plan, isDryRun: invocation.isSet(.dryRun))
    try approve(answer.text, as: answer.document, invocation, asksForName: name)
  }

  /// Whether what is said in these lines may be done: by `--yes`, or because somebody says so.
  ///
  /// - Throws: ``RescueError`` when nobody was there to ask, or the answer was no; and always of a
  ///   dry run, of which the lines are all.
  func approve(
    _ lines: [StyledText], as document: JSON, _ invocation: Invocation,
    asksForName name: String? = nil
  ) throws(RescueError) {
    if invocation.isSet(.dryRun) {
      // The plan is what a dry run was asked for.
      if console.manner.isJSON { console.print(document: document) } else { console.print(lines) }
      throw RescueError(.declined, "this was a dry run")
    }
    if speaksToPeople {
      for line in lines { console.say(line) }
    }
    if invocation.isSet(.yes), name == nil { return }
    let answer =
      if let name {
        console.confirm("this drops every row; type the file's name to go on", byTyping: name)
      } else {
        console.confirm("carry this out?")
      }
    switch answer {
    case .given(true): return
    case .nobodyThere:
      throw RescueError(
        .decisionNeeded, "a decision is needed, and nobody is there to ask",
        meaning: "nothing was changed",
        advice: name.map { "add --yes --confirm \(ShellWord.quoted($0)) to carry it out unasked" }
          ?? "add --yes to carry it out unasked")
    case .given(false), .cancelled:
      throw RescueError(
        .declined, "declined", meaning: "nothing was changed",
        advice: "run the same again once it is decided; the plan is made anew then")
    }
  }

  /// Ends a dry run that would first have to finish what an earlier run began.
  ///
  /// - Throws: ``RescueError`` of kind `decisionNeeded`.
  func requireNothingPending(_ invocation: Invocation) throws(RescueError) {
    guard invocation.isSet(.dryRun), try rescue.isReplacing(invocation.path(.file)) else { return }
    throw RescueError(
      .decisionNeeded, "an earlier replacement of '\(invocation.path(.file))' was interrupted",
      meaning: "nothing can be said before it is finished; nothing was changed",
      advice: "run the command again without --dry-run: it finishes that one first, and asks")
  }
}
