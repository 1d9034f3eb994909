// SPDX-License-Identifier: Apache-2.0
// Who made a database: the frameworks by their numbers, and how they are told.

package import SQLiteFormat

/// The framework, tool or app that made a database, or keeps its books in it.
///
/// The number is part of support codes: it is never reused, never changes, and
/// stays below 64.
package enum Framework: UInt8, Hashable, Sendable, CaseIterable {
  case none = 0
  case room = 1
  case android = 2
  case grdb = 3
  case sqliteData = 4
  case coreData = 5
  case watermelonDB = 6
  case expo = 7
  case powerSync = 8
  case litestream = 9
  case django = 10
  case rails = 11
  case dbmate = 12
  case golangMigrate = 13
  case ecto = 14
  case goose = 15
  case alembic = 16
  case flyway = 17
  case liquibase = 18
  case prisma = 19
  case drizzle = 20
  case efCore = 21
  case knex = 22
  case kysely = 23
  case diesel = 24
  case sqlx = 25
  case refinery = 26
  case seaORM = 27
  case atlas = 28
  case fluent = 29
  case sqliteUtils = 30
  case d1 = 31
  case typeORM = 32
  case sequelize = 33
  case laravel = 34
  case anki = 35
  case yoyo = 36
  case peewee = 37
  case caribou = 38
  case aerich = 39
  case piccolo = 40
  case doctrine = 41
  case fossil = 42
  case geoPackage = 43
  case mbTiles = 44
  case esri = 45
  case bentley = 46
  case texnicard = 47
  case monotone = 48
  case chrome = 49
  case firefox = 50

  /// What is known of it; nothing of none.
  var sheet: FrameworkSheet {
    switch self {
    case .none: FrameworkSheet(title: "no framework that is known")
    case .room: .room
    case .android: .android
    case .grdb: .grdb
    case .sqliteData: .sqliteData
    case .coreData: .coreData
    case .watermelonDB: .watermelonDB
    case .expo: .expo
    case .powerSync: .powerSync
    case .litestream: .litestream
    case .django: .django
    case .rails: .rails
    case .dbmate: .dbmate
    case .golangMigrate: .golangMigrate
    case .ecto: .ecto
    case .goose: .goose
    case .alembic: .alembic
    case .flyway: .flyway
    case .liquibase: .liquibase
    case .prisma: .prisma
    case .drizzle: .drizzle
    case .efCore: .efCore
    case .knex: .knex
    case .kysely: .kysely
    case .diesel: .diesel
    case .sqlx: .sqlx
    case .refinery: .refinery
    case .seaORM: .seaORM
    case .atlas: .atlas
    case .fluent: .fluent
    case .sqliteUtils: .sqliteUtils
    case .d1: .d1
    case .typeORM: .typeORM
    case .sequelize: .sequelize
    case .laravel: .laravel
    case .anki: .anki
    case .yoyo: .yoyo
    case .peewee: .peewee
    case .caribou: .caribou
    case .aerich: .aerich
    case .piccolo: .piccolo
    case .doctrine: .doctrine
    case .fossil: .fossil
    case .geoPackage: .geoPackage
    case .mbTiles: .mbTiles
    case .esri: .esri
    case .bentley: .bentley
    case .texnicard: .texnicard
    case .monotone: .monotone
    case .chrome: .chrome
    case .firefox: .firefox
    }
  }

  /// The name as its makers write it.
  package var title: String { sheet.title }

  /// The name of the framework in documents, such as `golangMigrate`.
  package var word: String { String(describing: self) }

  /// The frameworks that a database of these tables and marks is of: the surest first, and of
  /// equally sure ones those that say more about the app.
  ///
  /// Names are compared as SQLite compares them, ASCII case folded. A name alone is
  /// never enough: the columns must be there too. Every match is reported, but for
  /// likely ones whose tables a certain one explains.
  package static func detect(
    in tables: [(name: Name, columns: [Name])], applicationID: Int32 = 0, userVersion: Int32 = 0
  ) -> [FrameworkMatch] {
    let catalogue = TableCatalogue(tables)
    var matches: [FrameworkMatch] = []
    func search(_ confidence: FrameworkMatch.Confidence, besides explained: Set<Name>) {
      for framework in allCases where !matches.contains(where: { $0.framework == framework }) {
        let signatures = framework.sheet.signatures.filter { $0.confidence == confidence }
        let found = signatures.lazy.compactMap { catalogue.tables(matching: $0.shapes) }.first
        if let found, !explained.isSuperset(of: found) {
          matches.append(
            FrameworkMatch(framework: framework, confidence: confidence, tables: found))
        }
      }
    }
    for framework in allCases {
      let sheet = framework.sheet
      let isMarked =
        sheet.applicationIDs.contains(applicationID)
        || sheet.userVersionMark.map { $0 == userVersion } ?? false
      if isMarked {
        matches.append(FrameworkMatch(framework: framework, confidence: .certain, tables: []))
      }
    }
    search(.certain, besides: [])
    search(.likely, besides: Set(matches.flatMap(\.tables)))
    return matches.sorted { left, right in
      (left.confidence.rank, left.framework.sheet.distance, left.framework.rawValue)
        < (right.confidence.rank, right.framework.sheet.distance, right.framework.rawValue)
    }
  }
}
