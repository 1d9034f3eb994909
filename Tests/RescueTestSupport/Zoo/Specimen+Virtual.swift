// SPDX-License-Identifier: Apache-2.0
// Specimens with virtual tables of every module that comes with SQLite.

import SQLiteFormat

extension Specimen {
  static let fullText =
    [
      text("fts3", "fts3(a, b)"), text("fts4", "fts4(a, b)"),
      text("fts3-porter", "fts3(a, b, tokenize=porter)"),
      text("fts4-order", "fts4(a, b, order=desc)"),
      text("fts4-prefix", "fts4(a, b, prefix=\"1,3\")"),
      text("fts4-language", "fts4(a, b, languageid=\"lid\")"),
      text("fts4-not-indexed", "fts4(a, b, notindexed=b)"),
      text("fts4-match-info", "fts4(a, b, matchinfo=fts3)"),
      text(
        "fts4-unicode", "fts4(a, b, tokenize=unicode61 \"remove_diacritics=0\" \"tokenchars=-\")"),
      text("fts5", "fts5(a, b)"), text("fts5-prefix", "fts5(a, b, prefix='1 2 3')"),
      text("fts5-no-size", "fts5(a, b, columnsize=0)"),
      text("fts5-none", "fts5(a, b, detail=none)"),
      text("fts5-column", "fts5(a, b, detail=column)"),
      text("fts5-unindexed", "fts5(a, b UNINDEXED)"),
      text("fts5-trigram", "fts5(a, b, tokenize='trigram case_sensitive 1')"),
      text("fts5-porter", "fts5(a, b, tokenize='porter unicode61 remove_diacritics 2')"),
      text("fts5-ascii", "fts5(a, b, tokenize=\"ascii tokenchars '-_'\")"),
    ] + [
      Specimen(
        "fts4-external",
        documents + [
          "CREATE VIRTUAL TABLE f USING fts4(content=\"docs\", a, b)",
          "INSERT INTO f (docid, a, b) SELECT id, a, b FROM docs",
        ]),
      Specimen(
        "fts4-contentless",
        documents + [
          "CREATE VIRTUAL TABLE f USING fts4(content=\"\", a, b)",
          "INSERT INTO f (docid, a, b) SELECT id, a, b FROM docs",
        ]),
      Specimen("fts5-contentless", documents + indexing("fts5(a, b, content='')")),
      Specimen(
        "fts5-contentless-none",
        documents + indexing("fts5(a, b, content='', detail=none, columnsize=0)")),
      Specimen(
        "fts5-external",
        documents + [
          "CREATE VIRTUAL TABLE f USING fts5(a, b, content='docs', content_rowid='id')",
          "INSERT INTO f (f) VALUES ('rebuild')",
          """
          CREATE TRIGGER docs_added AFTER INSERT ON docs BEGIN
            INSERT INTO f (rowid, a, b) VALUES (new.id, new.a, new.b);
          END
          """,
          "INSERT INTO docs VALUES (1000, 'by trigger', 'b')",
        ]),
      Specimen(
        "fts5-of-a-view",
        documents + [
          "CREATE VIEW \"v 'x'\" AS SELECT id, upper(a) AS a, b FROM docs",
          "CREATE VIRTUAL TABLE f USING fts5(a, b, content='v ''x''', content_rowid='id')",
          "INSERT INTO f (f) VALUES ('rebuild')",
        ]),
      Specimen(
        "fts5-content-gone",
        documents + [
          "CREATE VIRTUAL TABLE f USING fts5(a, b, content='docs', content_rowid='id')",
          "INSERT INTO f (f) VALUES ('rebuild')", "DROP TABLE docs",
        ]),
      Specimen(
        "fts5-changed",
        documents + indexing("fts5(a, b)") + [
          "DELETE FROM f WHERE rowid % 3 = 0", "UPDATE f SET a = 'changed' WHERE rowid % 5 = 0",
          "INSERT INTO f (f, rank) VALUES ('rank', 'bm25(10.0, 5.0)')",
          "INSERT INTO f (f, rank) VALUES ('automerge', 8)",
          "INSERT INTO f (f) VALUES ('optimize')",
          "INSERT INTO f (rowid, a) VALUES (-5, 'negative'), (9223372036854775807, 'last')",
        ]),
      Specimen(
        "fts5-odd-names",
        documents + [
          "CREATE VIRTUAL TABLE \"f \"\" ü\" USING fts5(\"a b\", \"É\", \"é\", \"rowid2\")",
          "INSERT INTO \"f \"\" ü\" VALUES ('one', 'two', 'three', 'four')",
        ]),
      Specimen(
        "fts3-automerge",
        documents + indexing("fts3(a, b)") + ["INSERT INTO f (f) VALUES ('automerge=4')"]),
      Specimen(
        "fts-named-by-strings",
        documents + [
          "CREATE VIRTUAL TABLE 'f' USING fts5('a', 'b', 'c')",
          "INSERT INTO f VALUES ('one', 'two', 'three')",
          "CREATE VIRTUAL TABLE 'g ''x'' y' USING 'fts4'('a', 'b')",
          "INSERT INTO \"g 'x' y\" VALUES ('one', 'two')",
        ]),
      Specimen(
        "vocabularies",
        documents + indexing("fts5(a, b)") + [
          "CREATE VIRTUAL TABLE v1 USING fts5vocab(f, row)",
          "CREATE VIRTUAL TABLE v2 USING fts5vocab('f', 'instance')",
          "CREATE VIRTUAL TABLE g USING fts4(a)", "INSERT INTO g SELECT a FROM docs",
          "CREATE VIRTUAL TABLE v3 USING fts4aux(g)",
        ]),
      Specimen(
        "tokenizer-table",
        documents + ["CREATE VIRTUAL TABLE f USING fts3tokenize('porter')"]),
      Specimen("page-statistics", documents + ["CREATE VIRTUAL TABLE f USING dbstat"]),
    ]

  static let regions =
    [1, 2, 3, 5].map { dimensions in
      let names = (0..<dimensions).map { "a\($0), b\($0)" }.joined(separator: ", ")
      let values = (0..<dimensions).map { "n + \($0) / 8.0, n + \($0) + 1.5" }.joined(
        separator: ", ")
      return Specimen(
        "rtree-\(dimensions)",
        [
          "CREATE VIRTUAL TABLE r USING rtree(id, \(names))",
          Rows.fill("r", "n, \(values)", count: 120),
        ])
    } + [
      Specimen(
        "rtree-integers",
        [
          "CREATE VIRTUAL TABLE r USING rtree_i32(id, x0, x1, y0, y1)",
          Rows.fill("r", "n, -n, n, n * 2, n * 3", count: 200), "DELETE FROM r WHERE id % 4 = 0",
          "INSERT INTO r VALUES (-7, -2147483648, 2147483647, 0, 0)",
        ]),
      Specimen(
        "rtree-with-more",
        [
          "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1, +name TEXT, +\"É\", +data BLOB)",
          Rows.fill("r", "n, n, n + 1, 'n' || n, n / 3.0, zeroblob(n)", count: 100),
          "CREATE VIEW v AS SELECT name FROM r WHERE x0 > 5",
        ]),
      Specimen("rtree-empty", ["CREATE VIRTUAL TABLE r USING rtree(id, x0, x1)"]),
    ]

  private static let documents: [DatabaseBuilder.Step] = [
    "CREATE TABLE docs (id INTEGER PRIMARY KEY, a TEXT, b TEXT)",
    Rows.fill(
      "docs", "n * 2, 'common word' || (n % 7) || ' naïve Éclair-' || n, 'second ' || n", count: 60),
  ]

  private static func indexing(_ module: String) -> [DatabaseBuilder.Step] {
    [
      "CREATE VIRTUAL TABLE f USING \(module)",
      "INSERT INTO f (rowid, a, b) SELECT id, a, b FROM docs",
    ]
  }

  /// A full-text table of one module with its arguments, filled from a table of documents.
  private static func text(_ name: String, _ module: String) -> Specimen {
    Specimen(name, documents + indexing(module))
  }
}
