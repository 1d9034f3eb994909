// SPDX-License-Identifier: Apache-2.0
// A script is cut where SQLite would cut it, and each statement knows its line.

import Diagnosis
import Testing

@Suite struct SQLScriptTests {
  private func cut(_ script: String) -> [String] {
    SQLScript(script).statements.map { "\($0.line) \($0.text)" }
  }

  @Test func `statements end at semicolons that stand in no text`() {
    #expect(
      cut("a 'x;y';\n-- b;\n\nc \"d;e\" [f;g] `h;i` /* j;\nk */ l;;\n") == [
        "1 a 'x;y'", "4 c \"d;e\" [f;g] `h;i` /* j;\nk */ l",
      ])
  }

  @Test(arguments: ["CREATE TRIGGER", "create temp trigger", "CREATE /* x */ TEMPORARY TRIGGER"])
  func `a trigger ends at its END`(_ start: String) {
    let trigger = """
      \(start) t AFTER INSERT ON a BEGIN
        SELECT CASE new.x WHEN 1 THEN 2 END;
        DELETE FROM b WHERE c = 'END;';
      END
      """
    #expect(cut("\(trigger);\nDROP TABLE b") == ["1 \(trigger)", "5 DROP TABLE b"])
  }

  @Test func `a text that breaks off is one statement`() {
    #expect(
      cut("SELECT 1; SELECT 'never ends; really") == ["1 SELECT 1", "1 SELECT 'never ends; really"])
    #expect(cut(" \n -- nothing\n") == [])
    #expect(cut("CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1;").count == 1)
  }
}
