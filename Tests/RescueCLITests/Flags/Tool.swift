// SPDX-License-Identifier: Apache-2.0
// Another program, run on some input, where the machine has it.

import Foundation

/// Another program that a test checks our output with.
struct Tool {
  private let url: URL

  /// The program of a name; nil where the machine has none.
  init?(_ name: String) {
    let folders = ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    guard
      let path = folders.map({ "\($0)/\(name)" })
        .first(where: { FileManager.default.isExecutableFile(atPath: $0) })
    else { return nil }
    url = URL(filePath: path)
  }

  /// Runs the program on a file with the given text as its last argument.
  ///
  /// - Parameters:
  ///   - arguments: What stands before the file.
  ///   - text: The content of the file.
  ///   - later: What stands after the file.
  /// - Returns: The exit status and all that was written.
  /// - Throws: What the system says where the program cannot be run.
  func run(_ arguments: [String], on text: String, _ later: [String] = []) throws -> (
    status: Int32, output: String
  ) {
    let file = FileManager.default.temporaryDirectory.appending(path: "dbrescue-\(UUID())")
    try text.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let pipe = Pipe()
    let process = Process()
    process.executableURL = url
    process.arguments = arguments + [file.path()] + later
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
