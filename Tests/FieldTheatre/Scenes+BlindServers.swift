// SPDX-License-Identifier: Apache-2.0
// Servers of the scenes by somebody who has not read how causes are judged. A table.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Program {
  /// An issue tracker with Rails.
  static let tracker = Program(
    title: "an issue tracker with Rails", journal: .wal, table: "issues",
    steps: [
      "CREATE TABLE schema_migrations (version varchar NOT NULL PRIMARY KEY)",
      "INSERT INTO schema_migrations VALUES ('20250101120000'), ('20250704083000')",
      "CREATE TABLE ar_internal_metadata (key varchar NOT NULL PRIMARY KEY, value varchar, created_at datetime(6) NOT NULL, updated_at datetime(6) NOT NULL)",
      "INSERT INTO ar_internal_metadata VALUES ('environment', 'production', '2025-01-01', '2025-01-01')",
      "CREATE TABLE issues (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, subject varchar NOT NULL, description text)",
      "CREATE TABLE comments (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, issue_id integer NOT NULL REFERENCES issues (id) ON DELETE CASCADE, body text)",
      "CREATE INDEX index_issues_on_subject ON issues (subject)",
      "CREATE INDEX index_comments_on_issue_id ON comments (issue_id)",
      fill("issues", "i, 'subject ' || (i * 7919 % 10007), \(prose)", count: 250),
      fill("comments", "i, i % 250 + 1, \(prose)", count: 600),
    ])

  /// A shop with Entity Framework.
  static let efShop = Program(
    title: "a shop with Entity Framework", table: "Orders",
    steps: [
      "CREATE TABLE \"__EFMigrationsHistory\" (\"MigrationId\" TEXT NOT NULL CONSTRAINT \"PK___EFMigrationsHistory\" PRIMARY KEY, \"ProductVersion\" TEXT NOT NULL)",
      "INSERT INTO \"__EFMigrationsHistory\" VALUES ('20250110090000_Initial', '8.0.1')",
      "CREATE TABLE \"Orders\" (\"Id\" INTEGER NOT NULL CONSTRAINT \"PK_Orders\" PRIMARY KEY AUTOINCREMENT, \"Number\" TEXT NOT NULL, \"Notes\" TEXT NULL)",
      "CREATE INDEX \"IX_Orders_Number\" ON \"Orders\" (\"Number\")",
      fill("Orders", "i, 'A-' || (i * 7919 % 10007), \(prose)", count: 500),
    ])

  /// A service in Go whose migrations keep a flag.
  static let goService = Program(
    title: "a service in Go with golang-migrate", journal: .wal, table: "tokens",
    steps: [
      "CREATE TABLE schema_migrations (version uint64, dirty bool)",
      "CREATE UNIQUE INDEX version_unique ON schema_migrations (version)",
      "INSERT INTO schema_migrations VALUES (4, 0)",
      "CREATE TABLE tokens (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, scope TEXT)",
      fill("tokens", "i, 'owner ' || (i % 90), \(prose)", count: 400),
    ])

  /// A web application with Drizzle.
  static let drizzle = Program(
    title: "a web application with Drizzle", journal: .wal, table: "users",
    steps: [
      "CREATE TABLE \"__drizzle_migrations\" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)",
      "INSERT INTO \"__drizzle_migrations\" (hash, created_at) VALUES ('b1946ac92492d2347c6235b4d2611184', 1735732800000)",
      "CREATE TABLE `users` (`id` integer PRIMARY KEY NOT NULL, `email` text NOT NULL, `bio` text)",
      "CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`)",
      fill("users", "i, 'u' || i || '@example.org', \(prose)", count: 300),
    ])

  /// A keeper of bookmarks whose search is of the older kind and has no other copy of the text.
  static let bookmarks = Program(
    title: "a keeper of bookmarks", table: "bookmark",
    steps: [
      "CREATE TABLE bookmark (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, note TEXT)",
      fill("bookmark", "i, 'https://example.net/' || i, \(prose)", count: 400),
      "CREATE VIRTUAL TABLE bookmark_fts USING fts4(content='bookmark', note)",
      "INSERT INTO bookmark_fts (bookmark_fts) VALUES ('rebuild')",
    ])

  /// A planner of garden work, as it is on the first day.
  static let newPlanner = Program(
    title: "a planner that was just installed", journal: .wal, table: "task",
    steps: [
      "CREATE TABLE task (id INTEGER PRIMARY KEY, title TEXT NOT NULL, due TEXT)",
      "CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT UNIQUE)",
      "CREATE INDEX task_due ON task (due)", "PRAGMA user_version = 1",
    ])

  /// A ledger whose tables are strict.
  static let strictBooks = Program(
    title: "a ledger with strict tables", table: "booking",
    steps: [
      "CREATE TABLE account (code TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID",
      "CREATE TABLE booking (id INTEGER PRIMARY KEY, account TEXT NOT NULL REFERENCES account (code), cents INTEGER NOT NULL CHECK (cents <> 0), text ANY, euro REAL AS (cents / 100.0) STORED) STRICT",
      "CREATE INDEX booking_account ON booking (account, cents DESC) WHERE cents > 100",
      fill("account", "'K' || i, 'account ' || i", count: 20),
      fill(
        "booking (id, account, cents, text)", "i, 'K' || (i % 20 + 1), i * 7, \(prose)", count: 600),
    ])
}
