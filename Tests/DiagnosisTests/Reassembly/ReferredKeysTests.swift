// SPDX-License-Identifier: Apache-2.0
// Tables of one form whose roots are destroyed, to the rows of one of which other rows refer.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct ReferredKeysTests {
  /// A specimen with artists and genres, to which albums refer, and tags, to which nothing does.
  ///
  /// The artists do not go on one page; the genres and tags do.
  private func specimen(artists: Int = 200, genres: Int = 3) throws -> Specimen {
    try Specimen(
      """
      CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE genre (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE album (
        id INTEGER PRIMARY KEY, title TEXT, genre INTEGER REFERENCES genre (id),
        artist INTEGER NOT NULL REFERENCES artist);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(artists))
      INSERT INTO artist SELECT i, 'artist ' || i FROM n;
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(genres))
      INSERT INTO genre SELECT i, 'genre ' || i FROM n;
      INSERT INTO tag SELECT id, 'tag ' || id FROM artist LIMIT 3;
      INSERT INTO album SELECT 1000 + id, 'album ' || id, id % 3 + 1, id FROM artist WHERE id % 4;
      """)
  }

  private func rebuilt(_ specimen: Specimen, without pages: [Int] = []) throws -> Reconstruction {
    var specimen = specimen
    for page in try pages + ["tag", "genre", "artist"].map(specimen.root) {
      specimen = specimen.with(.zeroPage(page))
    }
    return Reconstruction(main: specimen.bytes)
  }

  private func evidence(in rebuilt: Reconstruction) throws -> [PlacementEvidence] {
    let position = rebuilt.survey.tree(named: "artist").flatMap(rebuilt.survey.position)
    return rebuilt.reassembly.evidence(for: try #require(position)).map(\.kind)
  }

  @Test func `leaves come back to the table that needs their rows`() throws {
    let rebuilt = try rebuilt(specimen())
    #expect(try evidence(in: rebuilt) == [.foreignKeys])
    #expect(rebuilt.survey.tree(named: "artist").map { rebuilt.rowsFound(in: $0) } == 200)
  }

  @Test func `they come back where those that refer to them have to be found first`() throws {
    let specimen = try specimen()
    let rebuilt = try rebuilt(specimen, without: [specimen.root(of: "album")])
    #expect(try evidence(in: rebuilt) == [.foreignKeys])
  }

  @Test func `they stay without a table where a leaf of it may be one that is destroyed`() throws {
    let specimen = try specimen()
    let rebuilt = try rebuilt(specimen, without: [specimen.pages(of: "artist", "leaf")[1]])
    #expect(try evidence(in: rebuilt) == [])
    #expect(rebuilt.rowsWithoutTable.rows > 150)
  }

  @Test func `they stay without a table where all rows of it may have been on its root`() throws {
    let rebuilt = try rebuilt(specimen(artists: 10, genres: 200))
    for table: Name in ["artist", "genre", "tag"] {
      let position = rebuilt.survey.tree(named: table).flatMap(rebuilt.survey.position)
      #expect(rebuilt.reassembly.evidence(for: try #require(position)).isEmpty)
    }
    #expect(rebuilt.rowsWithoutTable.rows == 200)
  }

  @Test func `no foreign key is asked where one table alone has lost its root`() throws {
    let specimen = try specimen()
    let rebuilt = Reconstruction(
      main: try specimen.with(.zeroPage(specimen.root(of: "artist"))).bytes)
    #expect(try evidence(in: rebuilt) == [.elimination])
  }
}
