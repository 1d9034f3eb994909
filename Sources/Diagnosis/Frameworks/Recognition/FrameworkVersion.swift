// SPDX-License-Identifier: Apache-2.0
// Of which version a database is, by the book that its framework keeps in it.

import SQLiteFormat

/// The version of a database, as its framework notes it.
package struct FrameworkVersion: Hashable, Sendable {
  /// The version in words: the last migration, or what marks the schema; nil where only the number
  /// of migrations says something.
  package let words: String?
  /// How many migrations were carried out; nil where the framework does not note them one by one.
  package let migrations: Int?

  /// What a framework notes in a database; nil where it notes nothing, or it cannot be read.
  ///
  /// Of the migrations that are known, such as those of a contract, more names are shown.
  package init?(of framework: Framework, in survey: Survey, known: Set<String> = []) {
    guard let book = framework.sheet.book else { return nil }
    let others = [book.order, book.group, book.lastBy, book.sharing].compactMap(\.self)
    guard
      let table = FrameworkTable(
        book.table, book.names + others + book.counts.flatMap(\.columns), in: survey)
    else { return nil }
    if book.kind == .model {
      guard let model = Self.model(table, book.names[0]) else { return nil }
      (words, migrations) = (model, nil)
      return
    }
    let entries = Entry.all(in: table, book, known: known)
    guard let last = entries.last else { return nil }
    migrations = [.list, .set].contains(book.kind) ? entries.count : nil
    words =
      switch book.kind {
      case .set where book.isInOrder || book.order != nil: last.shownName
      case .set, .model: nil
      case .heads: Self.list(entries.map(\.shownName))
      case .last, .number, .mark: last.shownName
      case .list: book.group == nil ? last.shownName : Self.list(Entry.lastOfEachGroup(entries))
      }
  }

  /// How many names are listed.
  private static let namesMax = 6

  private static func list(_ names: [String]) -> String {
    let behind = names.count - namesMax
    return names.prefix(namesMax).joined(separator: ", ")
      + (behind > 0 ? " and \(behind) more" : "")
  }

  private static func model(_ table: FrameworkTable, _ column: Name) -> String? {
    var model: ObjectModel?
    table.forEach { row in
      if case .blob(let bytes)? = row[column] { model = ObjectModel(bytes) }
      return model == nil
    }
    return model?.words
  }
}

/// A migration that a framework has noted.
private struct Entry {
  let shownName: String
  let group: String?
  private let order: Value

  /// The migrations that count, in their order.
  static func all(
    in table: FrameworkTable, _ book: MigrationBook, known: Set<String>
  ) -> [Entry] {
    var entries: [(entry: Entry, migration: String, last: Int64, counts: Bool)] = []
    table.forEach { row in
      let name = book.name(in: row)
      let entry = Entry(
        shownName: book.shown(name, known: known).map {
          book.isOfHashes ? String($0.prefix(12)) : $0
        } ?? "a name that is not shown",
        group: book.group.flatMap { row[$0]?.text },
        order: book.order.flatMap { row[$0] } ?? .text(name))
      entries.append(
        (
          entry, book.sharing.flatMap { row[$0]?.text } ?? name,
          book.lastBy.flatMap { row[$0] }?.integerValue ?? 0,
          book.counts.allSatisfy { $0.holds(row) }
        )
      )
      return true
    }
    if book.lastBy != nil {
      let last = Dictionary(entries.map { ($0.migration, $0.last) }, uniquingKeysWith: max)
      entries.removeAll { last[$0.migration] != $0.last }
    }
    let counting = entries.filter(\.counts).map(\.entry)
    return book.isInOrder ? counting : counting.sorted { $0.precedes($1) }
  }

  /// The names of the last migrations, of one for each group.
  static func lastOfEachGroup(_ entries: [Entry]) -> [String] {
    Dictionary(grouping: entries, by: { $0.group ?? "" }).sorted { $0.key < $1.key }
      .compactMap(\.value.last?.shownName)
  }

  /// Names that begin with numbers are in the order of these.
  private func precedes(_ other: Entry) -> Bool {
    if let own = order.integerValue, let others = other.order.integerValue { return own < others }
    let (own, others) = (order.utf8String ?? "", other.order.utf8String ?? "")
    let (first, second) = (own.leadingNumbers, others.leadingNumbers)
    return first.isEmpty || second.isEmpty || first == second
      ? own < others : first.lexicographicallyPrecedes(second)
  }
}

extension String {
  /// The numbers with which it begins, with points between them: 1 and 10 of `1.10`.
  fileprivate var leadingNumbers: [UInt64] {
    prefix { $0.isASCII && $0.isNumber || $0 == "." }.split(separator: ".").compactMap {
      UInt64($0)
    }
  }
}

extension MigrationBook {
  /// What a migration is called in a row of the book.
  func name(in row: [Name: Value]) -> String {
    names.compactMap { row[$0]?.text }.joined(separator: ".")
  }

  /// The name of a migration, where it is known or looks like one that somebody has given it; nil
  /// for what else there may be in a file, which is shown to nobody.
  func shown(_ name: String, known: Set<String> = []) -> String? {
    let isShown =
      (isInWords ? name.isPlainWords : name.isPlainName)
      || known.contains(name) && name.isShortText
    return isShown ? name : nil
  }
}

extension Value {
  fileprivate var text: String? { integerValue.map(String.init) ?? utf8String }
}
