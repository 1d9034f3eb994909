// SPDX-License-Identifier: Apache-2.0
// SQL cut into tokens and put together again.

import Diagnosis
import Testing

@Suite struct SQLTokensTests {
  @Test(arguments: [
    ("SELECT  a /* b */ FROM t -- c\n WHERE d", "select a from t where d"),
    (#"CREATE TABLE "T" ([a b] TEXT, `c``d` INT)"#, "create table t (a b text, c`d int)"),
    ("'It''s' || X'AB'", "'It''s' || x'ab'"),
    (".5 + 1e-5 - 0x1e-5", ".5 + 1e-5 - 0x1e - 5"),
    ("a<b", "a < b"),
    ("'\u{301}'=x", "'\u{301}' = x"),
    ("größe\u{A0}x", "größe\u{A0}x"),
    ("'cut off", "'cut off"),
    ("\"cut off", "cut off"),
    ("/* cut off", ""),
  ])
  func `white space, comments, quotes and capitals do not count`(sql: String, normalized: String) {
    #expect(SQLTokens(parsing: sql).normalized == normalized)
  }

  @Test(arguments: [
    "a - -1", "a / *", "x || y", "t.a >= -1", "DECIMAL (10, 2) DEFAULT -1", #""a""b" TEXT"#,
    "coalesce (a, 'x''y') <> .5", "1e-5", "a -> '$.b'", "NOT (a IN (1, 2))", "x'ab'",
  ])
  func `rendered SQL is cut into the same tokens`(sql: String) {
    let tokens = SQLTokens(parsing: sql)
    #expect(SQLTokens(parsing: tokens.sql) == tokens)
    #expect(tokens.sql == sql)
  }

  @Test(arguments: [
    ("CREATE TABLE t (a) /* open", "CREATE TABLE t (a) /* open\n*/"),
    ("CREATE TABLE t (a) /* closed */", "CREATE TABLE t (a) /* closed */"),
    ("CREATE TABLE t (a) -- a line", "CREATE TABLE t (a) -- a line"),
    ("CREATE TABLE t (a DEFAULT '/*')", "CREATE TABLE t (a DEFAULT '/*')"),
  ])
  func `a comment that a statement breaks off in gets an end`(_ sql: String, _ ended: String) {
    #expect(sql.endingItsComment == ended)
  }

  @Test func `groups, items and words heed parentheses`() {
    let tokens = SQLTokens(parsing: "t (a, f(b, c), d) WHERE (x AND where_)")
    let group = tokens.group(at: 1)
    #expect(group?.items.map(\.normalized) == ["a", "f (b, c)", "d"])
    #expect(tokens.position(of: "where") == tokens.tokens.firstIndex { $0.isWord("where") })
    #expect(tokens.position(of: "and") == nil)
    #expect(tokens.group(at: 0) == nil)
    #expect(SQLTokens(parsing: "(((").group(at: 0) == nil)
  }

  @Test func `deep nesting is no depth of calls`() {
    let deep = String(repeating: "(", count: 100_000) + String(repeating: ")", count: 100_000)
    #expect(SQLTokens(parsing: deep).group(at: 0)?.tokens.count == 199_998)
  }
}
