// SPDX-License-Identifier: Apache-2.0
// Names of backup files, ids, and the manifest as text.

@testable import DatabaseRescue
import Diagnosis
import SQLiteFormat
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct BackupNameTests {
  static let created = Date(timeIntervalSince1970: 1_795_000_000.75)
  static let id = BackupID(random: 0)

  @Test func `the name tells database, time, version and run`() {
    let name = BackupName(
      database: "user.db", created: Self.created, userVersion: 42, id: Self.id)
    #expect(name.path == "user.db.20261118T110640Z.v42.00000000.db.gz")
    #expect(BackupName(name.path) == name)
  }

  @Test(arguments: [
    "a", "user.db", "with space.db", "v1.00000000.db.gz", ".hidden", "a..b.",
    "20261118T110640Z.v42.00000000", "ünï-数据.sqlite",
  ]) func `any database name survives`(database: String) {
    for part in BackupName.Part.allCases {
      for version in [0, 7, -1, Int32.max, Int32.min] {
        let name = BackupName(
          database: FilePath(database), created: Self.created, userVersion: version, id: Self.id,
          part: part)
        #expect(BackupName(name.path) == name)
      }
    }
  }

  @Test func `bytes that are not text survive, and very long names are cut`() {
    let odd = FilePath(bytes: [0xFF, 0x0A, 0x2E, 0x80])
    let name = BackupName(database: odd, created: Self.created, userVersion: 1, id: Self.id)
    #expect(BackupName(name.path)?.database == odd)
    let long = BackupName(
      database: FilePath(String(repeating: "n", count: 255)), created: Self.created,
      userVersion: .min, id: Self.id, part: .journal)
    #expect(long.path.bytes.count <= 255)
    #expect(BackupName(long.path) == long)
  }

  @Test(arguments: [
    "", "app.db", ".20261118T110640Z.v42.00000000.db.gz",
    "a.20261118T110640Z.v42.00000000.db", "a.20261118T110640Z.v42.0000000.db.gz",
    "a.20261118T110640Z.v42.0000000U.db.gz", "a.20261118T110640Z.42.00000000.db.gz",
    "a.20261118T110640Z.v+42.00000000.db.gz", "a.20261118T110640Z.v042.00000000.db.gz",
    "a.20261318T110640Z.v42.00000000.db.gz", "a.20261118T110640.v42.00000000.db.gz",
    "a.20261118T110640Z.v99999999999.00000000.db.gz",
  ]) func `other names are not taken for ours`(name: String) {
    #expect(BackupName(FilePath(name)) == nil)
  }

  @Test func `an id is read as people write it`() {
    let id = BackupID(random: 0x123_4567_89AB)
    #expect(id.description.utf8.count == 8)
    #expect(BackupID(id.description.lowercased()) == id)
    #expect(BackupID("OIL00000") == BackupID("01100000"))
    #expect(BackupID("1234567") == nil)
    #expect(BackupID("1234567U") == nil)
    #expect(Set((0..<1000).map { BackupID(random: $0 &* 0x9E37_79B9_7F4A_7C15) }).count == 1000)
  }

  @Test func `a manifest survives as JSON with sorted keys`() throws {
    let page = try #require(PageNumber(3))
    let leaves = LeafPages([LeafPages.Leaf(page, bytes: [1, 2, 3])])
    var manifest = BackupManifest(
      database: "app.db", created: Self.created, id: Self.id, tool: "1.0",
      image: BackupManifest.Image(byteCount: 4096, sha256: SHA256.digest(of: [])), raw: false,
      content: BackupContent(
        pageSize: 4096, userVersion: 7, applicationID: .max, journalMode: "wal",
        supportCode: "DBR-00000", schemaSQL: ["CREATE TABLE t(a)"],
        tables: [BackupContent.Table(name: "t", rows: 3, contentHash: "00", leafPages: leaves)],
        findings: [BackupContent.FoundThing(Finding(.walMissing, "wal mode"))]))
    manifest.checks = [BackupManifest.Check("read back", passed: true, detail: "ok")]
    let document = try manifest.encoded()
    let text = String(decoding: document, as: UTF8.self)
    #expect(text.hasPrefix(#"{"checks":[{"detail":"ok","name":"read back","passed":true}],"#))
    #expect(text.contains(#""created":"2026-11-18T11:06:40Z""#))
    #expect(text.contains(#""schema":1"#))
    #expect(BackupManifest(document) == manifest)
    #expect(leaves.leaves == [LeafPages.Leaf(page, bytes: [1, 2, 3])])
    #expect(manifest.abridged.content.tables.first?.leafPages == nil)
    let newer = text.replacing(#""schema":1"#, with: #""schema":2"#)
    #expect(BackupManifest(Bytes(newer.utf8)) == nil)
    #expect(BackupManifest(Bytes(text.utf8.dropLast())) == nil)
  }
}
