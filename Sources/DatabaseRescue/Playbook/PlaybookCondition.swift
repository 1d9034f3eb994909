// SPDX-License-Identifier: Apache-2.0
// The condition of a step: an SQL expression over the facts, judged and explained.

import Diagnosis
import SQLiteFormat

/// The condition of a step: an SQL expression over the facts.
struct PlaybookCondition {
  let sql: String

  /// What a condition comes to, and why.
  struct Judgement: Hashable {
    let truth: ConditionEvaluator.Truth
    /// The facts that the condition reads, by name.
    let facts: [PlaybookFact]
    /// The parameters that it reads.
    let parameters: [String]
  }

  /// Judges the condition over what is known.
  ///
  /// - Throws: ``SQLiteError`` when the expression is not allowed or fails.
  func judge(_ facts: PlaybookFacts) throws(SQLiteError) -> Judgement {
    let parameters = facts.parameters.sorted { $0.key < $1.key }
    let evaluator = try ConditionEvaluator(
      PlaybookFact.allCases.map { ($0.name, $0.kind.sql, facts[$0]?.stored ?? .null) }
        + parameters.map { ($0.key, $0.value.sql, $0.value.stored) })
    let answer = try evaluator.evaluate(sql)
    return Judgement(
      truth: answer.truth,
      facts: PlaybookFact.allCases.filter { answer.columns.contains($0.name) },
      parameters: parameters.map(\.key).filter(answer.columns.contains))
  }

  /// Whether the condition can tell an unknown fact from a known one other than by being unknown.
  ///
  /// Where it cannot, a result is final once it is not NULL, whatever the
  /// unknown facts turn out to be.
  var seesUnknown: Bool {
    let words: Set<Name> = [
      "is", "isnull", "notnull", "coalesce", "ifnull", "iif", "nullif", "case", "typeof",
    ]
    return ConditionTokens(sql).names.contains { words.contains($0) }
  }

  // MARK: Validation

  /// Whether a name means something in every condition.
  static func isTaken(_ name: String) -> Bool {
    keywords.contains(Name(name)) || ConditionEvaluator.functions.contains(Name(name))
  }

  /// What is wrong with the condition; `answers` are the step ids that `last_answer` can be.
  func mistakes(answers: [String], _ parameters: [PlaybookParameter] = []) -> [String] {
    let tokens = ConditionTokens(sql)
    if let mistake = tokens.mistake { return [mistake] }
    let names = parameters.map(\.name)
    var mistakes = unknownNames(tokens, names)
    if mistakes.isEmpty, Set(tokens.names).isDisjoint(with: names.map { Name($0) }) {
      mistakes = unknownWords(tokens, answers: answers)
    }
    guard mistakes.isEmpty else { return mistakes }
    var facts = PlaybookFacts()
    for parameter in parameters { facts.parameters[parameter.name] = parameter.value }
    do throws(SQLiteError) {
      let judgement = try judge(facts)
      if judgement.facts.isEmpty, judgement.parameters.isEmpty {
        mistakes.append("the condition asks for no fact")
      }
    } catch {
      mistakes.append("not an SQL expression: \(error.message)")
    }
    return mistakes
  }

  private func unknownNames(_ tokens: ConditionTokens, _ parameters: [String]) -> [String] {
    let facts = PlaybookFact.allCases.map(\.name) + parameters
    let functions = ConditionEvaluator.functions
    return tokens.words.compactMap { word in
      let name = Name(word.text)
      if !word.isQuoted, Self.keywords.contains(name) { return nil }
      if word.isCall {
        return functions.contains(name)
          ? nil
          : "the function \(word.text.quoted) is not allowed in a condition; allowed are "
            + functions.sorted().joined(separator: ", ")
      }
      return facts.contains { Name($0) == name }
        ? nil
        : "unknown fact \(word.text.quoted)" + NearestWord.hint(for: word.text, in: facts)
    }
  }

  /// Texts that no fact of the condition is ever equal to: the typing mistake that would make a
  /// condition false for ever.
  private func unknownWords(_ tokens: ConditionTokens, answers: [String]) -> [String] {
    let names = Set(tokens.names)
    guard names.isDisjoint(with: ["like", "glob", "instr", "substr", "typeof", "upper"]) else {
      return []
    }
    var words: [String] = []
    for fact in PlaybookFact.allCases where names.contains(Name(fact.name)) {
      switch fact.kind {
      case .words(let list): words += list
      case .text where fact == .lastAnswer: words += ["yes", "no"] + answers
      case .text: return []
      case .flag, .integer, .real: break
      }
    }
    return tokens.texts.filter { !words.contains($0) }.map { text in
      "no fact in this condition is ever \(text.quoted)" + NearestWord.hint(for: text, in: words)
    }
  }

  /// The words of SQL that a condition may use.
  static let keywords: Set<Name> = [
    "and", "as", "between", "case", "cast", "collate", "distinct", "else", "end", "escape", "false",
    "from", "glob", "in", "integer", "is", "isnull", "like", "nocase", "not", "notnull", "null",
    "or", "real", "text", "then", "true", "when",
  ]
}

extension PlaybookCondition.Judgement {
  /// The facts that it depends on with their values.
  func explanation(_ known: PlaybookFacts) -> String {
    let values =
      facts.map(known.shown)
      + parameters.compactMap { name in known.parameters[name].map { "\(name) = \($0)" } }
    return (truth == .unknown ? "cannot be decided and counts as no: " : "")
      + values.joined(separator: ", ")
  }
}
