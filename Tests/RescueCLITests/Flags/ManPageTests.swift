// SPDX-License-Identifier: Apache-2.0
// The manual page: word for word where it shows every kind of thing, and checked by groff.

import Testing

@testable import RescueCLI

@Suite struct ManPageTests {
  @Test func `groff has nothing to complain about`() throws {
    guard let groff = Tool("groff") else { return }
    let (status, output) = try groff.run(["-mdoc", "-Tutf8", "-ww"], on: ManPage.text)
    #expect(status == 0)
    #expect(!output.contains("warning") && !output.contains("error:"), "\(output.prefix(2000))")
    #expect(output.contains("DBRESCUE(1)"))
    // Quotation marks, dashes and bars stay what can be pasted.
    #expect(output.contains("'gunzip -c BACKUP > app.db'"))
  }

  @Test func `the page says of a command what the tables say`() throws {
    let page = run(["man"]).output
    #expect(page == ManPage.text)
    let start = try #require(page.firstRange(of: ".Pp\n.Nm\n.Cm salvage\n"))
    let end = try #require(page.firstRange(of: ".Pp\n.Nm\n.Cm merge\n"))
    #expect(
      page[start.lowerBound..<end.lowerBound] == #"""
        .Pp
        .Nm
        .Cm salvage
        .Ar FILE
        .Fl \-output Ar NEW
        .Op Fl \-schema Ar CONTRACT\*(BaSQL\*(BaDB
        .Op Fl \-backup Ar B
        .Op Fl \-report Ar OUT
        .Op Fl \-wal Ar PATH
        .Op Fl \-journal Ar PATH
        .Op Fl \-offset Ar BYTE
        .Op Fl \-length Ar BYTES
        .Op Fl \-from\-process Ar PID
        .Op Fl \-max\-size Ar MIB
        .Op Fl \-max\-output Ar MIB
        .Op Fl \-force
        .Pp
        Write every row that can be read to a new database.
        .Pp
        Reads the pages one by one, also where SQLite gives up, and writes the rows to NEW. What is doubtful goes to NEW.quarantine.db with its reason; what cannot be read is lost and counted, never made up. At the end the rows seen, written, set aside and missing are balanced per table.
        .Pp
        With \-\-backup, rows that FILE has lost come from a backup, where no sound page says that they were deleted since. What FILE still holds wins. The report and the quarantine file say which rows come from where; of several backups, the first that has a row counts.
        .Pp
        FILE is not changed. Where somebody writes to it meanwhile, it is read again, until all of it is of one moment. With \-\-from\-process, what a process has of FILE open is read instead, also where it was deleted or moved away under that process.
        .Pp
        Exit status: 0, 13, 14, 15, 64, 65, 66, 70, 73, 74, 75, 77, 129, 130, 143.
        .Bl -tag -width Ds
        .It Fl o , Fl \-output Ar NEW
        the file to write (required)
        .It Fl \-schema Ar CONTRACT\*(BaSQL\*(BaDB
        the schema of the new database: a contract, an SQL script or a healthy database
        .It Fl \-backup Ar B
        take rows that FILE has lost from this backup, or from a database (may be given more than once)
        .It Fl \-report Ar OUT
        write a report too: OUT ends in .html, .json or .txt
        .It Fl \-wal Ar PATH
        the write\-ahead log, where it does not lie at FILE\-wal
        .It Fl \-journal Ar PATH
        the rollback journal, where it does not lie at FILE\-journal
        .It Fl \-offset Ar BYTE
        where in FILE the database begins, if other things stand before it (0 to 281474976710656)
        .It Fl \-length Ar BYTES
        how many bytes the database at \-\-offset has, if other things follow (1 to 281474976710656)
        .It Fl \-from\-process Ar PID
        read what this process has of FILE open, also where it was deleted or moved away (1 to 2147483647)
        .It Fl \-max\-size Ar MIB
        how many MiB are read of an input that is a pipe or an archive (1 to 1073741824; default: 1024)
        .It Fl \-max\-output Ar MIB
        how large the new database may become, if not twice as large as the input and 1 MiB (1 to 1073741824)
        .It Fl f , Fl \-force
        replace NEW and OUT if they exist
        .El

        """#)
  }

  @Test func `sections stand in the order of mdoc`() {
    let sections = ManPage.text.split(separator: "\n").filter { $0.hasPrefix(".Sh ") }
      .map { $0.dropFirst(4) }
    #expect(
      sections == [
        "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "GLOBAL FLAGS", "ENVIRONMENT",
        "EXIT STATUS", "EXAMPLES", "SEE ALSO",
      ])
  }

  @Test(arguments: Command.all)
  func `every command has its place`(_ command: Command) {
    #expect(ManPage.text.contains(".Nm\n.Cm \(command.name)\n"))
    for flag in command.flags {
      #expect(ManPage.text.contains("Fl \\-" + flag.name.replacing("-", with: "\\-")))
    }
  }
}
