// SPDX-License-Identifier: Apache-2.0
// The documents are run: their commands end as they say, and their links lead somewhere.

import DatabaseRescue
import RescueTestSupport
import Testing

@Suite struct DocumentTests {
  /// A Markdown file of the project, by its path from the root.
  struct Document: Sendable, CustomStringConvertible {
    let description: String
    /// Whether it shows files for other programs, in which commands of ours stand.
    var isRecipe: Bool { description.hasPrefix("docs/recipes/") }
    var path: FilePath { Checkout.root.appending(FilePath(description)) }
    var lines: [Substring] {
      get throws {
        String(decoding: try path.contents(), as: UTF8.self)
          .split(separator: "\n", omittingEmptySubsequences: false)
      }
    }
  }

  static let documents: [Document] = {
    let files = ["docs", "docs/recipes", "docs/reference"].flatMap { folder in
      let names = (try? SystemStorage().names(in: Checkout.root.appending(FilePath(folder)))) ?? []
      return names.map { "\(folder)/\($0)" }.sorted()
    }
    return (["README.md", "CONTRIBUTING.md"] + files).filter { $0.hasSuffix(".md") }.map {
      Document(description: $0)
    }
  }()

  /// The pages whose commands are not run: those in the list of samples have a test of their own.
  static let readOnly = ["CHANGELOG.md", "samples/README.md"].map { Document(description: $0) }

  @Test func `the documents are found`() {
    let pages = Self.documents.map(\.description).filter { $0.split(separator: "/").count < 3 }
    #expect(
      pages == [
        "README.md", "CONTRIBUTING.md", "docs/app-author.md", "docs/benchmarks.md",
        "docs/commands.md", "docs/formats.md", "docs/how-salvage-decides.md", "docs/pipeline.md",
        "docs/playbook-author.md", "docs/replacement.md", "docs/support-engineer.md",
      ])
    #expect(Self.documents.count { $0.isRecipe } == 5)
    #expect(Self.documents.count { $0.description.hasPrefix("docs/reference/") } == 5)
  }

  /// What the documents begin with: the files that they name, the migration of an app, and a
  /// command that remembers the last support code, for which they write CODE.
  private static let beginning = """
    set -u
    cp samples/healthy-v4.db good.db
    cp samples/outdated-v3.db app.db
    cp samples/zeroed-leaf.db user.db
    printf '#!/bin/sh\\nexec fitness-log migrate "$@"\\n' >migrate
    chmod +x migrate
    mkdir bin metrics
    printf '#!/bin/sh\\nexit 0\\n' >bin/curl
    chmod +x bin/curl
    PATH=$PWD/bin:$PATH
    CODE=none
    dbrescue() {
      command dbrescue "$@" >.output 2>.errors
      ended=$?
      cat .output
      cat .errors >&2
      found=$(cat .output .errors | grep -o 'DBR-[0-9A-Z]*-[0-9A-Z-]*' | tail -n 1)
      CODE=${found:-$CODE}
      return $ended
    }

    """

  /// What a reader of a document types, as one script.
  ///
  /// That is its `sh` blocks. The script ends in 99 where a command did not end in 0 or in the
  /// status that its line names: `dbrescue check app.db  # 10`. A block whose fence names a file
  /// is written to that file.
  private static func script(of document: Document) throws -> String {
    var script = beginning
    var fence: [Substring]?
    for line in try document.lines {
      if line.hasPrefix("```") {
        if fence?.count == 2 { script += "END\n" }
        fence = fence == nil ? line.split(separator: " ") : nil
        if let fence, fence.count == 2 { script += "cat >\(fence[1]) <<'END'\n" }
      } else if fence?.count == 2 {
        script += "\(line)\n"
      } else if fence == ["```sh"], !line.isEmpty, !line.hasPrefix("#") {
        script += command(line)
      } else if document.isRecipe, fence?.count == 1, let line = Self.ourCommand(in: line) {
        script += command(line[...])
      }
    }
    return script
  }

  /// The command of ours in a line of a file for another program, as a shell has it.
  ///
  /// There it is text, or a list of words between quotation marks. The folders of the recipes are
  /// the one of the test.
  private static func ourCommand(in line: Substring) -> String? {
    guard let found = line.firstMatch(of: /dbrescue(?=\s[a-z]|", ")/)?.range.lowerBound else {
      return nil
    }
    var command = String(line[found...])
    if line[..<found].hasSuffix("\"") {
      let words = "\"\(command)".matches(of: /"([^"]*)"/).map { "'\($0.output.1)'" }
      command = words.joined(separator: " ").replacing("'dbrescue'", with: "dbrescue")
    }
    for folder in ["/srv/app/", "/data/"] { command = command.replacing(folder, with: "") }
    return command
  }

  /// A line of a document with what judges its end; nothing for one that would build the package.
  private static func command(_ line: Substring) -> String {
    if line.hasPrefix("make ") || line.hasPrefix("swift ") { return "" }
    let command = String(line.replacing(/\bCODE\b/, with: "$CODE")) + "\n"
    guard !line.hasSuffix("\\") else { return command }
    let status = line.firstMatch(of: /# (\d+)/)?.output.1 ?? "0"
    let words = line.filter { $0.isLetter || $0.isNumber || $0 == " " }
    return command
      + "ended=$?; [ $ended = \(status) ] || { echo \"ended in $ended: \(words)\"; exit 99; }\n"
  }

  @Test(arguments: documents)
  func `the commands of a document end as it says`(_ document: Document) throws {
    let script = try Self.script(of: document)
    try ScratchFolder.with { scratch in
      let samples = Checkout.samples.description
      let outcome = try Command(
        "/bin/sh",
        ["-c", "cd \"$0\" && ln -s \"$1\" samples\n\(script)", "\(scratch.path)", samples],
        environment: [
          "PATH": "\(try Products.dbrescue.folder):/usr/bin:/bin",
          "DBRESCUE_LOG": scratch["runs.jsonl"].description,
        ]
      ).run()
      #expect(outcome.status == 0, "\(outcome)")
    }
  }

  @Test(arguments: documents + readOnly)
  func `what a document links to is there`(_ document: Document) throws {
    for line in try document.lines {
      for match in line.matches(of: /\]\(([^)]*)\)/) {
        let link = match.output.1
        guard !link.contains("://") else { continue }
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let name = FilePath(String(parts[0]))
        let path = parts[0].isEmpty ? document.path : document.path.folder.appending(name)
        #expect(try path.exists, "\(link)")
        guard parts.count == 2 else { continue }
        let text = String(decoding: try path.contents(), as: UTF8.self)
        let anchors = text.split(separator: "\n").compactMap { Self.anchor(of: $0) }
        #expect(anchors.contains(String(parts[1])), "\(link)")
      }
    }
  }

  /// What leads to a heading: its words in lower case, with hyphens; nil for other lines.
  private static func anchor(of line: Substring) -> String? {
    guard line.hasPrefix("#") else { return nil }
    let words = line.drop { $0 == "#" || $0 == " " }.lowercased()
    return words.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
      .replacing(" ", with: "-")
  }
}
