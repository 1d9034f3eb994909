// SPDX-License-Identifier: Apache-2.0
// Reading the run log: line by line in little memory, whatever the file holds.

package import Diagnosis
import SQLiteFormat

extension RunLog {
  /// What was read of a log.
  package struct Contents: Hashable, Sendable {
    /// The runs, the oldest first.
    package var records: [RunRecord] = []
    /// The runs that have begun to replace a database, and of whose end there is no line: killed,
    /// or at work.
    package var unfinished: [RunBeginning] = []
    /// The statuses of runs that are others than their lines say.
    fileprivate var corrections: [SupportCode: Int32] = [:]
    /// How many lines could not be read: torn, foreign, or of a later schema.
    package var unreadableCount = 0
  }

  /// Reads the runs of the last lines, by default of all.
  ///
  /// - Throws: ``RescueError`` when the file exists but cannot be read.
  package func records(lastLines limit: Int = .max) throws(RescueError) -> Contents {
    let limit = max(limit, 0)
    var contents = Contents()
    var tail: [Bytes] = []
    try forEachLine { line in
      if limit == .max {
        contents.add(line)
      } else {
        tail.append(Bytes(line))
        if tail.count / 3 > limit { tail.removeFirst(tail.startOfLast(limit)) }
      }
    }
    for line in tail[tail.startOfLast(limit)...] { contents.add(line[...]) }
    for index in contents.records.indices {
      if let exit = contents.corrections[contents.records[index].code] {
        contents.records[index].exitStatus = exit
      }
    }
    let ended = Set(contents.records.map { $0.began ?? $0.code })
    contents.unfinished.removeAll { ended.contains($0.began) }
    return contents
  }

  /// Reads which runs have begun to replace a database, ended or not.
  ///
  /// - Throws: ``RescueError`` when the file exists but cannot be read.
  func beginnings() throws(RescueError) -> [RunBeginning] {
    var beginnings: [RunBeginning] = []
    try forEachLine { line in
      // Most lines are of runs that have ended.
      guard line.isBeginning, let beginning = RunBeginning(line: line) else {
        return
      }
      beginnings.append(beginning)
    }
    return beginnings
  }

  /// Reads the newest run with a support code; nil when the log has none.
  ///
  /// - Throws: ``RescueError`` when the file exists but cannot be read.
  package func record(for code: SupportCode) throws(RescueError) -> RunRecord? {
    let text = Array(code.description.utf8)
    var newest: RunRecord?
    try forEachLine { line in
      // Most lines are of other runs, and to parse them all would take far longer.
      guard
        line.indices.contains(where: { line[$0] == text[0] && line[$0...].starts(with: text) })
      else { return }
      if let record = RunRecord(line: line), record.code == code {
        newest = record
      } else if let correction = RunCorrection(line: line), correction.code == code {
        newest?.exitStatus = correction.exit
      }
    }
    return newest
  }

  /// Calls `body` with every line that is not blank, without its end; with an empty one for a
  /// line that is too long for any record.
  private func forEachLine(_ body: (Bytes.SubSequence) -> Void) throws(RescueError) {
    guard let file = try openForReading() else { return }
    var splitter = LineSplitter()
    var offset = 0
    do {
      while true {
        let block = try file.read(at: offset, count: Self.blockSize)
        if block.isEmpty { break }
        offset += block.count
        splitter.add(block, body)
      }
    } catch {
      throw RescueError(
        .inputOutput, "cannot read '\(path)' from byte \(error.offset): \(error.reason)",
        meaning: Self.unread, advice: "copy the log elsewhere, and set DBRESCUE_LOG to the copy")
    }
    splitter.finish(body)
  }

  /// The file; nil when there is none yet.
  private func openForReading() throws(RescueError) -> (any StoredFile)? {
    do {
      switch try storage.status(of: path)?.kind {
      case .file, .folder: return try storage.open(path, .read)
      // Such as /dev/null, which holds nothing, or /dev/zero.
      case nil, .link, .pipe, .other: return nil
      }
    } catch {
      throw RescueError(error, meaning: Self.unread)
    }
  }

  private static let unread = "the log is not read; no database is affected"
  static let blockSize = 1 << 20
}

extension RunLog.Contents {
  fileprivate mutating func add(_ line: Bytes.SubSequence) {
    if let record = RunRecord(line: line) {
      records.append(record)
    } else if let beginning = RunBeginning(line: line) {
      unfinished.append(beginning)
    } else if let correction = RunCorrection(line: line) {
      corrections[correction.code] = correction.exit
    } else {
      unreadableCount += 1
    }
  }
}

extension [Bytes] {
  /// Where the last lines of so many runs start, with the lines of beginnings among them.
  fileprivate func startOfLast(_ limit: Int) -> Int {
    var start = endIndex
    var runs = 0
    while start > 0, runs < limit {
      start -= 1
      if !self[start][...].isBeginning { runs += 1 }
    }
    return start
  }
}

/// Splits blocks into lines, and holds no more than one line of bounded length.
struct LineSplitter {
  /// The longest line that is kept; a record is far shorter.
  static let lengthLimit = 4 << 20

  private var rest: Bytes = []
  private var isTooLong = false

  /// Takes in a block and hands out the lines that end in it.
  mutating func add(_ block: Bytes, _ body: (Bytes.SubSequence) -> Void) {
    var start = block.startIndex
    while let end = block[start...].firstIndex(of: RunLog.newline) {
      if rest.isEmpty && !isTooLong {
        hand(block[start..<end], to: body)
      } else {
        keep(block[start..<end])
        finish(body)
      }
      start = end + 1
    }
    keep(block[start...])
  }

  /// Hands out what came after the last end of a line.
  mutating func finish(_ body: (Bytes.SubSequence) -> Void) {
    if isTooLong { body([]) } else { hand(rest[...], to: body) }
    rest.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  private func hand(_ line: Bytes.SubSequence, to body: (Bytes.SubSequence) -> Void) {
    if !line.isEmpty { body(line) }
  }

  private mutating func keep(_ part: Bytes.SubSequence) {
    if isTooLong || rest.count + part.count > Self.lengthLimit {
      isTooLong = true
      rest.removeAll()
    } else {
      rest += part
    }
  }
}
