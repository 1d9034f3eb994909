// SPDX-License-Identifier: Apache-2.0
// Help, word for word.

import DatabaseRescue
import Testing

@testable import RescueCLI

@Suite struct HelpPageTests {
  @Test func `without arguments the short help goes to standard error`() {
    let outcome = run([])
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.error == """
        dbrescue: find what is wrong with an SQLite database, and bring its data back

        usage: dbrescue COMMAND [ARGUMENT ...]

        look, and touch nothing
          check     say in one word what state a database is in
          diagnose  find out what is wrong, what was lost, and what can be done
          explain   tell what a support code or the code of a finding stands for

        protect a database
          backup            make a backup that has been proven
          vault list        list the backups of a database
          vault status      say whether databases and their backups are fine
          vault verify      prove the backups of a database once more
          vault prune       remove the backups that are no longer needed
          vault extract     get the database out of a backup, also out of a damaged one
          guard             run a migration between a backup and a check
          migrate           run numbered SQL files between a backup and a check
          rehearse          try a chain of migrations on copies of many databases
          contract capture  write down what a healthy database looks like
          contract import   make a contract of a schema that others have written down
          contract verify   check a database against a contract
          contract diff     print the SQL that leads from one schema to another

        bring the data back
          recover  diagnose a database, offer what can be done, and do it
          restore  put a backup in the place of a database
          salvage  write every row that can be read to a new database
          merge    make one database of several, damaged or not
          reset    start again with an empty database, and keep the old one aside
          undo     bring back the files that a run has replaced

        follow a playbook
          playbook list      list the playbooks that come with dbrescue
          playbook show      print a playbook as a checklist for people
          playbook validate  check that a playbook can be run
          playbook run       carry out a playbook on a database

        look up what was done
          log list  list the last runs
          log show  print everything that was recorded of a run

        about dbrescue
          schema       print the JSON Schema of a format
          help         explain a command, or the program
          completions  print the completion script of a shell
          man          print the manual page

        see 'dbrescue help COMMAND' for a command, 'dbrescue --help' for everything

        """)
    #expect(run(["-h"]) == Outcome(status: 0, output: outcome.error))
  }

  @Test func `the short help of a command fits on a screen`() {
    #expect(
      run(["restore", "-h"])
        == Outcome(
          status: 0,
          output: """
            dbrescue restore: put a backup in the place of a database

            usage: dbrescue restore FILE [--from BACKUP|latest|CODE] [--vault DIR]
                                    [--output NEW] [--contract CONTRACT] [--yes] [--dry-run]
                                    [--wait SECONDS]

              FILE                     the database file
                  --from BACKUP|latest|CODE
                                       the backup to use: a file, the newest verified one,
                                       or the one of a support code (default: latest)
                  --vault DIR          the folder of the backups, if not FILE.rescue/backups
              -o, --output NEW         the file to write
                  --contract CONTRACT  what the app expects of the database
              -y, --yes                do not ask before changing something
              -n, --dry-run            print what would be done, and change nothing
                  --wait SECONDS       how long to wait while another process holds the
                                       database (0 to 86400; default: 5)

            see 'dbrescue restore --help' for examples, all flags and exit statuses

            """))
  }

  @Test func `the full help begins with examples and ends with the exit status`() {
    let outcome = run(["vault", "verify", "--help"])
    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            dbrescue vault verify: prove the backups of a database once more

            EXAMPLES
              every backup of a database:
                dbrescue vault verify app.db
              one backup in a folder:
                dbrescue vault verify /mnt/backups app.20261121T020000Z.v7.k3f9.db.gz

            USAGE
              dbrescue vault verify DIR|FILE [BACKUP ...] [--vault DIR]

            DESCRIPTION
              Reads each backup completely, compares it with its own digests, and notes that
              in the vault. What is damaged is named, with the pages that are lost. A backup
              that does not hold counts as good again only when it is proven again.

              One that another program made has no digest: it is read to its end, and must
              begin as a database does. Where there is no backup at all, nothing is proven:
              that ends in 24.

            ARGUMENTS
              DIR|FILE  the folder of the backups, or the database that they belong to
              BACKUP    the backups to verify; all of the vault if none is named

            FLAGS
                  --vault DIR  the folder of the backups, if not FILE.rescue/backups

            GLOBAL FLAGS
              -q, --quiet        print the result and errors only
              -v, --verbose      say more about what is done and found
                  --json         print the result, or the error, as one JSON document
                  --color auto|always|never
                                 when to use colours (default: auto)
                  --no-color     the same as --color never
                  --no-progress  do not draw progress on the terminal
              -h, --help         explain the command: -h in short, --help in full
                  --version      print the version

            EXIT STATUS
              0    done; nothing is wrong, and nothing was lost
              24   there is no good backup
              64   the command line is wrong
              65   a contract, playbook, backup or other input is not valid
              66   there is no such file
              70   a defect of dbrescue itself
              73   no space, or no way to write
              74   reading or writing failed
              77   permission is missing
              129  the terminal was closed: as 130
              130  interrupted; what had begun to change was carried to its end, or undone
              143  told to end (SIGTERM): as 130
              Treat every other status as failure.

            """))
    #expect(run(["help", "vault", "verify"]) == outcome)
    #expect(run(["--help", "vault", "verify"]) == outcome)
  }

  @Test func `a group is explained by its commands`() {
    let outcome = run(["help", "vault"])
    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            dbrescue vault: list, watch, prove, prune and extract the backups of a database

            usage: dbrescue vault list DIR|FILE [--vault DIR]
                list the backups of a database

            usage: dbrescue vault status FILE [MORE ...] [--max-age AGE] [--vault DIR]
                                    [--prometheus OUT] [--ping COMMAND]
                say whether databases and their backups are fine

            usage: dbrescue vault verify DIR|FILE [BACKUP ...] [--vault DIR]
                prove the backups of a database once more

            usage: dbrescue vault prune DIR|FILE [--vault DIR] [--keep-last N]
                                    [--keep-daily N] [--keep-weekly N] [--yes] [--dry-run]
                remove the backups that are no longer needed

            usage: dbrescue vault extract BACKUP [--output NEW] [--max-output MIB]
                                    [--best-effort]
                get the database out of a backup, also out of a damaged one

            see 'dbrescue help vault COMMAND' for more

            """))
    #expect(run(["vault", "--help"]) == outcome)
  }

  @Test func `the full help of the program lists every command, flag and exit status`() {
    let help = run(["help"]).output
    #expect(help == run(["--help"]).output)
    for command in Command.all { #expect(help.contains("\n  \(command.name) ")) }
    for flag in Flag.global { #expect(help.contains(flag.spelling)) }
    for code in ExitCode.allCases { #expect(help.contains("\n  \(code.rawValue) ")) }
    #expect(help.hasSuffix("  Treat every other status as failure.\n"))
  }

  @Test(arguments: Command.all)
  func `help is no wider than the terminal, but for examples`(_ command: Command) {
    for columns in [60, 80] {
      for isFull in [false, true] {
        let page = HelpPage(command.words, isFull: isFull, columns: columns)
        let example = command.examples.map { "    \($0.line)" }
        for line in page.lines.map(\.plain) where !example.contains(line) {
          #expect(line.count <= columns, "\(line)")
        }
      }
    }
  }

  @Test func `the version is one line, or one document`() {
    #expect(
      run(["--version"])
        == Outcome(status: 0, output: "dbrescue \(Program.version) (\(Rescue.libraries))\n"))
    #expect(
      run(["--version", "--json"]).output == """
        {
          "format": "dbrescue.report",
          "version": 3,
          "type": "version",
          "exit": 0,
          "libraries": "\(Rescue.libraries)",
          "tool": "dbrescue \(Program.version)"
        }

        """)
  }
}
