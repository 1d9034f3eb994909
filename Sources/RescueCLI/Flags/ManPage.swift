// SPDX-License-Identifier: Apache-2.0
// The manual page in mdoc, made from the tables.

import DatabaseRescue

/// The manual page in mdoc.
enum ManPage {
  /// The source of the page.
  static let text = ([head] + [commands, globalFlags, environment, exitStatus, examples, tail])
    .joined()

  private static let head = """
    .\\" Made by '\(Program.name) man' from the tables of commands and flags; not to be edited.
    .Dd \(Program.date)
    .Dt DBRESCUE 1
    .Os
    .Sh NAME
    .Nm \(Program.name)
    .Nd \(escaped(Program.summary))
    .Sh SYNOPSIS
    .Nm
    .Ar COMMAND
    .Op Ar ARGUMENT ...
    .Sh DESCRIPTION
    \(paragraphs(Program.description))
    """

  private static let commands =
    ".Sh COMMANDS\n"
    + Command.Purpose.allCases.map { purpose in
      ".Ss To \(escaped(purpose.rawValue))\n".replacing("To about", with: "About")
        + Command.all.filter { $0.purpose == purpose }.map(section).joined()
    }.joined()

  private static let globalFlags = ".Sh GLOBAL FLAGS\n" + list(Flag.global)

  private static let environment =
    ".Sh ENVIRONMENT\n"
    + tagged(Program.environment.map { ("Ev \(escaped($0.0))", $0.1) })

  private static let exitStatus =
    ".Sh EXIT STATUS\nTreat every status that is not listed as failure.\n"
    + tagged(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) })

  private static let examples =
    ".Sh EXAMPLES\n"
    + Command.all.flatMap(\.examples).map { example in
      """
      \(escaped(example.purpose.capitalizedFirst)):
      .Pp
      .Dl \(escaped(example.line))
      .Pp

      """
    }.joined()

  private static let tail = """
    .Sh SEE ALSO
    .Xr gunzip 1 ,
    .Xr sqlite3 1

    """

  /// What is said about a command.
  private static func section(_ command: Command) -> String {
    let operands = command.operands.map { operand in
      let name = escaped(operand.name)
      let term = operand.isRepeatable ? "\(name) ..." : name
      return operand.isOptional ? ".Op Ar \(term)\n" : ".Ar \(term)\n"
    }
    let flags = command.flags.map { flag in
      flag.isRequired ? ".\(macro(flag))\n" : ".Op \(macro(flag))\n"
    }
    let words =
      command.isCommandLineOptional
      ? ".Op Fl \\- Ar COMMAND Op Ar ARGUMENT ...\n"
      : ".Fl \\-\n.Ar COMMAND\n.Op Ar ARGUMENT ...\n"
    let commandLine = command.takesCommandLine ? words : ""
    let arguments = operands.joined() + flags.joined() + commandLine
    let codes = command.allExitCodes.map { String($0.rawValue) }.joined(separator: ", ")
    let summary = escaped(command.summary.capitalizedFirst)
    return """
      .Pp
      .Nm
      .Cm \(command.words.joined(separator: " "))
      \(arguments).Pp
      \(summary).
      .Pp
      \(paragraphs(command.description)).Pp
      Exit status: \(codes).

      """ + (command.flags.isEmpty ? "" : list(command.flags))
  }

  private static func list(_ flags: [Flag]) -> String {
    tagged(
      flags.map { flag in
        ((flag.letter.map { "Fl \($0) , " } ?? "") + macro(flag), flag.explanation)
      })
  }

  /// A list of terms; a term may start with a macro.
  private static func tagged(_ items: [(term: String, text: String)]) -> String {
    ".Bl -tag -width Ds\n"
      + items.map { ".It \($0.term)\n\(line(escaped($0.text)))\n" }.joined()
      + ".El\n"
  }

  private static func macro(_ flag: Flag) -> String {
    "Fl \\-\(escaped(flag.name))" + (flag.valueName.map { " Ar \(escaped($0))" } ?? "")
  }

  private static func paragraphs(_ paragraphs: [String]) -> String {
    paragraphs.map { line(escaped($0)) + "\n" }.joined(separator: ".Pp\n")
  }

  /// Text that neither starts a request nor is read as an escape.
  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq")
      .replacing("|", with: "\\*(Ba")
  }

  private static func line(_ text: String) -> String {
    text.hasPrefix(".") ? "\\&" + text : text
  }
}
