// SPDX-License-Identifier: Apache-2.0
// Who made a database: the frameworks by their numbers.

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
  case tortoise = 51

  /// The name of the framework in documents, such as `golangMigrate`.
  package var word: String { String(describing: self) }
}
