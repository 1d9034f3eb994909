// SPDX-License-Identifier: Apache-2.0
// The statements that mend objects of a schema which differ.

import SQLiteFormat

extension SchemaComparison {
  func making(
    _ object: NamedSQL, _ subject: ContractDifference.Subject
  ) -> ContractDifference.Mend {
    let taken = subject == .view ? found.dropping(object.name) : []
    return .making(object.sql, subject == .view ? .views : .triggers, besides: taken)
  }

  func dropping(
    _ object: NamedSQL, _ subject: ContractDifference.Subject
  ) -> ContractDifference.Mend {
    ContractDifference.Mend(
      [Self.dropping(subject, object.name)],
      rules: subject == .trigger
        ? ["what it does or refuses when '\(object.table)' is changed is not done any more"] : [])
  }

  /// What is dropped and made anew, with the triggers that go with a view.
  func replacing(
    _ old: NamedSQL, by new: NamedSQL, _ subject: ContractDifference.Subject
  ) -> ContractDifference.Mend {
    let making = making(new, subject)
    guard making.obstacle == nil else { return making }
    let triggers = subject == .view ? expected.triggers.filter { $0.table == new.name } : []
    return ContractDifference.Mend(
      [Self.dropping(subject, old.name)] + making.steps
        + triggers.flatMap { trigger in
          self.making(trigger, .trigger).steps
        })
  }

  /// The step that drops an object.
  static func dropping(
    _ subject: ContractDifference.Subject, _ name: Name
  ) -> ContractDifference.Mend.Step {
    ContractDifference.Mend.Step(
      subject == .table ? .droppingTables : .dropping,
      "DROP \(subject.rawValue.uppercased()) IF EXISTS \(name.quotedIdentifier)",
      isSurgical: subject == .table)
  }
}

extension ContractDifference.Mend {
  /// The statement that makes an object, where the contract has it.
  static func making(
    _ sql: String?, _ phase: Phase, of table: TableDescription? = nil, besides others: [Step] = []
  ) -> ContractDifference.Mend {
    guard let sql, !sql.isEmpty else {
      return .none(because: "the contract has no statement for it")
    }
    let statement = SQLTokens(statement: sql)
    guard let table, table.kind == .virtual else {
      return ContractDifference.Mend(others + [Step(phase, statement.sql)])
    }
    guard let sql = TableDeclaration.naming(table.name, in: sql) else {
      return .none(because: "the contract's statement makes no table")
    }
    let making = Step(.virtualTables, sql)
    return ContractDifference.Mend(others + [making] + VirtualRemaking.filling(table))
  }
}

extension SQLTokens {
  /// What stands as a name in a statement by itself: without quotes, after AS, or beside a point.
  var ownNames: Set<Name> {
    var names: Set<Name> = []
    for (index, token) in tokens.enumerated() {
      switch token {
      case .word(let text): names.insert(Name(text))
      case .name(let text):
        let before = index > 0 ? tokens[index - 1] : nil
        let after = index + 1 < tokens.count ? tokens[index + 1] : nil
        if before?.isWord("as") == true || before == .symbol(".") || after == .symbol(".") {
          names.insert(Name(text))
        }
      default: break
      }
    }
    return names
  }
}
