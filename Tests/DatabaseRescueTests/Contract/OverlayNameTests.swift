// SPDX-License-Identifier: Apache-2.0
// What people write beside a schema, and exports with defects: names that nothing has, texts that are
// cut off, entities that contradict themselves.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct OverlayNameTests {
  let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private static let field =
    #"{"fieldPath": "id", "columnName": "id", "affinity": "INTEGER", "notNull": true}"#
  private static let statement =
    #""createSql": "CREATE TABLE IF NOT EXISTS `${TABLE_NAME}` (`id` INTEGER NOT NULL)""#
  private static let note = #"{"tableName": "note", \#(statement), "fields": [\#(field)]}"#

  private static func export(_ entities: String) -> String {
    #"{"formatVersion": 1, "database": {"version": 42, "identityHash": "0123", "entities": [\#(entities)]}}"#
  }

  private func load(_ text: String, overlay: String? = nil) throws -> Contract {
    try scratch["42.json"].replaceContents(with: Bytes(text.utf8))
    if let overlay {
      try scratch["42.overlay.json5"].replaceContents(with: Bytes(overlay.utf8))
    }
    return try ContractSource.load(scratch["42.json"])
  }

  @Test(arguments: [
    ("{rowCounts: {ntoe: 'any'}}", "rowCounts"),
    ("{renamedTables: {old: 'nots'}}", "renamedTables"),
    ("{renamedColumns: {noet: {a: 'b'}}}", "renamedColumns"),
    ("{ignoreTables: ['notee']}", "ignoreTables"),
    ("{unsynced: [{name: 'x', table: 'nte', where: '1'}]}", "unsynced"),
  ])
  func `a name that nothing has is an error with the one that was meant`(
    overlay: String, key: String
  ) throws {
    let error = #expect(throws: RescueError.self) {
      try load(Self.export(Self.note), overlay: overlay)
    }
    #expect(error?.kind == .invalidInput)
    #expect(error?.message.contains("did you mean 'note'?") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("'\(key)'") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("42.overlay.json5") == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    "{rowCounts: {gone: 'any'}, ignoreTables: ['elsewhere']}",
    "{renamedTables: {old: 'note'}, renamedColumns: {note: {a: 'id'}}, rowCounts: {old: 'any'}}",
  ])
  func `a table that goes, or had another name, may be named`(overlay: String) throws {
    #expect(try load(Self.export(Self.note), overlay: overlay).userVersion == 42)
  }

  @Test(arguments: [
    String(export(note).dropLast(20)),
    export(note).replacing(#""version": 42,"#, with: #""version" 42,"#),
  ])
  func `an export that is broken is told to be so, with the place`(text: String) throws {
    let error = #expect(throws: RescueError.self) { try load(text) }
    #expect(error?.message.hasPrefix("42.json:1:") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("formatVersion") == false, "\(error?.message ?? "")")
  }

  static let defects = [
    (note + "," + note, "'note' is listed more than once: the first one counts"),
    (
      #"{"tableName": "note", \#(statement)}"#,
      "'note' has no fields: its statement alone counts"
    ),
    (
      #"{"tableName": "note", \#(statement), "fields": [\#(field), {"columnName": "more"}]}"#,
      "the fields of 'note' contradict its createSql, which counts: 'more'"
    ),
    (
      #"{"tableName": "note", \#(statement), "fields": [{"columnName": "id", "notNull": false}]}"#,
      "the fields of 'note' contradict its createSql, which counts: 'id'"
    ),
  ]

  @Test(arguments: defects)
  func `what an export says twice, or not, is noted`(_ entities: String, _ note: String) throws {
    #expect(try load(Self.export(entities)).notes.contains(note))
  }
}
