// SPDX-License-Identifier: Apache-2.0
// A table: which sheet is whose.

extension Framework {
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
    case .tortoise: .tortoise
    }
  }
}
