// SPDX-License-Identifier: Apache-2.0
// What SQLite makes of the rows of a table: one row after the other, in memory.

import Diagnosis
import SQLiteFormat

/// The keys of indexes, and rows that break constraints, as SQLite computes them.
///
/// The table is declared anew without what could refuse a row: each stored column with the affinity
/// and collation that it has, and the virtual columns. One row takes the place of the other.
final class SandboxComputation: RowComputation {
  /// The longest values together that are looked at, in bytes.
  private static let rowBytesMax = 8 << 20
  /// The most tokens that the expressions of a table may have.
  private static let tokensMax = 5000

  private var computed = ComputedRows()
  private var keys: [Name: Fingerprint] = [:]

  private let table: ComputedTable
  private let effort: Effort
  private var rules: [RememberedRule] = []
  private var row: SandboxRow?
  private var apart: RulesApart?
  private var lastLook = ContinuousClock.now
  /// The fields of the row that is looked at.
  private var fields = LocatedFields()

  /// Makes ready; what cannot be computed is said in the result.
  init(_ table: ComputedTable, _ effort: Effort) {
    self.table = table
    self.effort = effort
    for key in table.keys { keys[key.index.name] = Fingerprint() }
    do throws(SQLiteError) {
      let expressions = try TableExpressions(table, tokensMax: Self.tokensMax)
      let row = try SandboxRow(table, expressions)
      apart = RulesApart(table, expressions)
      prepare(expressions, row)
      self.row = row
    } catch {
      giveUp(Self.reason(error))
    }
  }

  private func prepare(_ expressions: TableExpressions, _ row: SandboxRow) {
    for key in table.keys {
      do throws(SQLiteError) {
        guard let (columns, condition) = expressions.columns(of: key) else {
          throw SQLiteError(extendedCode: 1, message: "its expressions cannot be told apart")
        }
        let kind = ComputedRule.Kind.index(
          key.index.name, condition: condition, hasRowID: !table.description.withoutRowID)
        var rule = RememberedRule(rule: try prepared(kind, columns, row))
        if let condition, let shape = table.plainShape(of: key) {
          rule.plainShape = shape
          rule.known = knownValues(condition, expressions)
        }
        rules.append(rule)
      } catch {
        leaveOut(key.index.name, Self.reason(error))
      }
    }
    for (kind, condition) in table.conditions(expressions) {
      do throws(SQLiteError) {
        let known = knownValues(condition, expressions)
        rules.append(RememberedRule(rule: try prepared(kind, [condition], row), known: known))
      } catch {
        computed.uncheckedConstraints = Self.reason(error)
      }
    }
  }

  private func prepared(
    _ kind: ComputedRule.Kind, _ expressions: [String], _ row: SandboxRow
  ) throws(SQLiteError) -> ComputedRule {
    let rule = try row.rule(kind, expressions)
    if rule.canTakeTime { _ = try apart?.query(for: rule) }
    return rule
  }

  private func knownValues(
    _ condition: String, _ expressions: TableExpressions
  ) -> KnownValues? {
    expressions.storedPlaces(in: condition, of: table).flatMap {
      KnownValues(table.shape, places: $0)
    }
  }

  /// What came of all rows so far.
  var result: ComputedRows {
    var result = computed
    for key in table.keys {
      let name = key.index.name
      if key.index.predicate == nil {
        result.keys[name] = keys[name]
      } else {
        result.partialKeys[name] = keys[name]
      }
    }
    return result
  }

  /// Takes the rows of a page where every condition is known, and holds, for the values of each.
  func add(_ visit: TreeWalk.Visit) -> Bool {
    guard !rules.isEmpty else { return true }
    guard let sums = rules.keys(of: visit, &fields) else { return false }
    for (remembered, sum) in zip(rules, sums) {
      if case .index(let name, _, _) = remembered.rule.kind { keys[name]?.add(sum) }
    }
    if !hasTime(after: visit.content.cells.count) { giveUp(Self.limitReason) }
    return true
  }

  /// Takes a row.
  func add(_ stored: StoredRecord) {
    guard let row, !rules.isEmpty else { return }
    guard hasTime(after: 1) else { return giveUp(Self.limitReason) }
    fields.read(stored.record)
    let open = rules.indices.filter { !isKnown(stored, toRuleAt: $0) }.map { rules[$0].rule }
    guard !open.isEmpty else { return }
    do {
      try row.hold(stored, bytesMax: Self.rowBytesMax)
      for rule in open {
        if rule.canTakeTime {
          addApart(stored, to: rule)
        } else {
          add(stored, to: rule, computedBy: rule)
        }
      }
    } catch is SQLiteError {
      for rule in open { addApart(stored, to: rule) }
    } catch {
      giveUp(Self.rowReason)
    }
  }

  /// Takes a row for a rule whose condition is known for its values; false where it is not.
  private func isKnown(_ stored: StoredRecord, toRuleAt place: Int) -> Bool {
    guard let holds = rules[place].known?.outcome(for: fields, in: stored.record.bytes.span)
    else { return false }
    if case .index(let name, _, _) = rules[place].rule.kind {
      if holds, let shape = rules[place].plainShape { keys[name]?.add(shape.key(of: stored)) }
    } else if !holds {
      note(Self.place(of: stored), breaking: rules[place].rule)
    }
    return true
  }

  /// Takes a row for a rule that has one of its own: of a virtual column that has no value for the
  /// row, only the rules speak that take it.
  private func addApart(_ stored: StoredRecord, to rule: ComputedRule) {
    do {
      guard let (row, query) = try apart?.query(for: rule) else { return }
      try row.hold(stored, bytesMax: Self.rowBytesMax)
      add(stored, to: rule, computedBy: query)
    } catch let error as SQLiteError {
      fail(rule, Self.place(of: stored), error)
    } catch {
      giveUp(Self.rowReason)
    }
  }

  private func hasTime(after rows: Int) -> Bool {
    let now = ContinuousClock.now
    defer { lastLook = now }
    return effort.allowsRow(after: rows, in: now - lastLook)
  }

  private static let limitReason = "it takes more than a check may"
  private static let rowReason = "a row cannot be looked at"
  private static let timeReason = "it depends on the time at which it is computed"

  /// Why something cannot be computed, where that is no row's fault.
  private static func reason(_ error: SQLiteError) -> String {
    error.isAboutTime ? timeReason : error.message
  }

  private static func place(of stored: StoredRecord) -> FormatError {
    FormatError(.recordHeader, page: stored.page, offset: stored.offset)
  }

  private func add(
    _ stored: StoredRecord, to rule: ComputedRule, computedBy query: ComputedRule
  ) {
    let place = Self.place(of: stored)
    do throws(SQLiteError) {
      let outcome = try query.outcome(rowID: stored.rowID)
      if let place = rules.firstIndex(where: { $0.rule === rule }) {
        rules[place].known?.insert(
          outcome.isPositive, for: fields, in: stored.record.bytes.span)
      }
      switch (rule.kind, outcome) {
      case (.index(let name, _, _), .key(let key?)): keys[name]?.add(key)
      case (_, .holds(false)): note(place, breaking: rule)
      default: break
      }
    } catch {
      fail(rule, place, error)
    }
  }

  /// Notes that a row breaks a rule.
  private func note(_ place: FormatError, breaking rule: ComputedRule) {
    switch rule.kind {
    case .check(let condition):
      computed.broken.add(place)
      computed.brokenChecks[condition, default: 0] += 1
    case .filledColumn(let column):
      computed.nulls.add(place)
      computed.nullCounts[column, default: 0] += 1
    case .typedColumn: computed.mistyped.add(place)
    case .index: break
    }
  }

  /// Notes that an expression has no value for a row.
  ///
  /// SQLite's own check has none either, unless it was only stopped here. What depends on the time
  /// says nothing of the row.
  private func fail(_ rule: ComputedRule, _ place: FormatError, _ error: SQLiteError) {
    // What SQLite says while it computes may hold values of the row.
    let reason = error.isAboutTime ? Self.timeReason : Self.limitReason
    let isBroken = !error.isAboutTime && !error.isLimit
    guard case .index(let name, _, _) = rule.kind else {
      if isBroken {
        if case .check = rule.kind {
          note(place, breaking: rule)
        } else {
          computed.broken.add(place)
        }
      } else {
        computed.uncheckedConstraints = reason
      }
      return
    }
    if isBroken { computed.failedIndexes.insert(name) }
    leaveOut(name, reason)
    rules.removeAll { $0.rule === rule }
  }

  private func leaveOut(_ index: Name, _ reason: String) {
    keys[index] = nil
    computed.uncheckedIndexes[index] = reason
  }

  /// Leaves out whatever was not computed to its end.
  private func giveUp(_ reason: String) {
    for index in Array(keys.keys) { leaveOut(index, reason) }
    let hasConstraints = !table.description.checks.isEmpty || !table.ruledColumns.isEmpty
    if hasConstraints { computed.uncheckedConstraints = reason }
    rules = []
    row = nil
    apart = nil
  }
}
