// SPDX-License-Identifier: Apache-2.0
// Every pair of the versions of an app that Room has exported: what is said to differ is what differs
// in the exports, and nothing else.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct RoomPairTests {
  static let versions = [1, 2, 5, 10, 20, 30, 36, 45, 61]

  @Test(
    .enabled(if: SharedData.file("room") != nil, "\(SharedData.missing("room/N.json"))"),
    arguments: versions)
  func `databases of other versions differ exactly as the exports do`(expected: Int) throws {
    let wanted = try export(expected)
    let contract = try ContractSource.load(file(expected))
    for version in Self.versions where version != expected {
      let found = try export(version)
      let other = try ContractSource.load(file(version))
      let told = contract.differences(in: other.objects).filter {
        ![.columnOrder, .conflictClause].contains($0.subject)
      }.map { "\($0.kind.rawValue) \($0.subject.rawValue) \($0.object)" }
      #expect(
        Set(told) == Self.differences(wanted, found), "version \(version) for \(expected)")
    }
  }

  private func file(_ version: Int) throws -> FilePath {
    try #require(SharedData.file(FilePath("room/\(version).json")))
  }

  // MARK: What the exports say

  private struct Entity: Decodable {
    struct Field: Decodable, Hashable {
      var columnName: String
      var affinity: String
      var notNull: Bool?
      var defaultValue: String?
    }
    struct Index: Decodable {
      var name: String
      var unique: Bool
      var columnNames: [String]
      var orders: [String]?
    }
    struct ForeignKey: Decodable, Hashable {
      var table: String
      var columns: [String]
      var referencedColumns: [String]
      var onUpdate: String
      var onDelete: String
    }
    struct Key: Decodable {
      var columnNames: [String]
      var autoGenerate: Bool
    }
    var tableName: String
    var fields: [Field]
    var primaryKey: Key
    var indices: [Index]?
    var foreignKeys: [ForeignKey]?
  }
  private struct View: Decodable {
    var viewName: String
    var createSql: String
  }
  private struct Export: Decodable {
    struct Database: Decodable {
      var entities: [Entity]
      var views: [View]?
    }
    var database: Database
  }

  private func export(_ version: Int) throws -> Export.Database {
    try JSONDecoder().decode(Export.self, from: Data(file(version).contents())).database
  }

  private static func differences(
    _ wanted: Export.Database, _ found: Export.Database
  ) -> Set<String> {
    let tables = Pairs(wanted.entities, found.entities, by: \.tableName)
    let views = Pairs(wanted.views ?? [], found.views ?? [], by: \.viewName)
    return tables.told("table")
      .union(tables.missing.flatMap { $0.indices ?? [] }.map { "missing index \($0.name)" })
      .union(tables.common.flatMap { differences($0, $1) })
      .union(views.told("view") { $0.createSql == $1.createSql })
  }

  private static func differences(_ wanted: Entity, _ found: Entity) -> Set<String> {
    let name = wanted.tableName
    let fields = Pairs(wanted.fields, found.fields, by: \.columnName)
    let indexes = Pairs(wanted.indices ?? [], found.indices ?? [], by: \.name)
    var result = fields.told("column", "\(name).") { $0 == $1 }
      .union(
        indexes.told("index") {
          $0.unique == $1.unique && $0.columnNames == $1.columnNames
            && $0.orders ?? [] == $1.orders ?? []
        })
    let keys = (Set(wanted.foreignKeys ?? []), Set(found.foreignKeys ?? []))
    var extra = keys.1.subtracting(keys.0)
    for key in keys.0.subtracting(keys.1) {
      let other = extra.first { $0.columns == key.columns }
      if let other { extra.remove(other) }
      result.insert("\(other == nil ? "missing" : "changed") foreign key \(name)")
    }
    if !extra.isEmpty { result.insert("extra foreign key \(name)") }
    if wanted.primaryKey.columnNames != found.primaryKey.columnNames
      || wanted.primaryKey.autoGenerate != found.primaryKey.autoGenerate
    {
      result.insert("changed primary key \(name)")
    }
    return result
  }

  /// What two lists have, by name.
  private struct Pairs<Element> {
    var missing: [Element] = []
    var common: [(Element, Element)] = []
    private var names: (missing: [String], extra: [String], common: [String]) = ([], [], [])

    init(_ wanted: [Element], _ found: [Element], by name: (Element) -> String) {
      for element in wanted {
        if let other = found.first(where: { name($0) == name(element) }) {
          common.append((element, other))
          names.common.append(name(element))
        } else {
          missing.append(element)
          names.missing.append(name(element))
        }
      }
      names.extra = found.map(name).filter { own in !wanted.contains { name($0) == own } }
    }

    func told(
      _ subject: String, _ prefix: String = "",
      areAlike: (Element, Element) -> Bool = { _, _ in true }
    ) -> Set<String> {
      let changed = zip(names.common, common).filter { !areAlike($1.0, $1.1) }.map(\.0)
      return Set(
        names.missing.map { "missing \(subject) \(prefix)\($0)" }
          + names.extra.map { "extra \(subject) \(prefix)\($0)" }
          + changed.map { "changed \(subject) \(prefix)\($0)" })
    }
  }
}
