// SPDX-License-Identifier: Apache-2.0
// A statement of a table of which some characters are others: as it was, as far as that can be told.
//
// stated    CREATE TABLE sets(id TEXT PRIMA9Y KEY, reps-INTEGER NOT NU7L)
// mended    CREATE TABLE sets(id TEXT PRIMARY KEY, reps INTEGER NOT NULL)
//
// Of all statements of as many characters that a simple grammar of CREATE TABLE gives, the one is
// found that differs in the fewest: words that SQL knows count more than others, and characters that
// no text has are the first to be replaced. What it comes to is a guess until SQLite accepts it and
// the rows of the table bear it out.

import SQLiteFormat

/// The search for the statement that a damaged one was.
struct StatementMender {
  /// How a state is reached with the fewest changes.
  private struct Way {
    let cost: Int
    /// Where it comes from, and what stands from there on.
    let start: Int
    let state: Int
    let text: [Unicode.Scalar]
  }

  /// What it costs to take a character for another one: one that no statement has, or any other.
  private struct Price {
    let ofImplausible: Int
    let ofOther: Int

    static let letter = Price(ofImplausible: 9, ofOther: 11)
    static let space = Price(ofImplausible: 11, ofOther: 16)
    static let unknownLetter = Price(ofImplausible: 12, ofOther: 16)
    static let mark = Price(ofImplausible: 17, ofOther: 30)

    func of(_ stated: Unicode.Scalar) -> Int { stated.isPlausible ? ofOther : ofImplausible }
  }

  /// How readily a word is taken for one that SQL does not know.
  enum Readiness: CaseIterable {
    /// As types and columns of an app's own are.
    case ready
    /// Only where no word that SQL knows is near.
    case reluctant

    /// What it costs to take a word for a type that nobody knows.
    var unknownWord: Int { self == .ready ? 15 : 60 }
    /// What it costs to take a word for a name that stands nowhere else.
    var unknownName: Int { self == .ready ? 3 : 12 }
  }

  /// What it costs more where that is a word of SQL's own: few columns are called so.
  private static let ownWord = 8
  /// What it costs more where KEY stands without PRIMARY or FOREIGN before it: nobody writes so.
  private static let loneKey = 40
  /// The longest statement that is looked at, and the longest word in it.
  private static let (lengthMax, wordMax) = (2000, 64)
  /// How many other statements are looked at, and how many of their names.
  private static let (statementsMax, namesMax) = (200, 128)

  private let text: [Unicode.Scalar]
  /// The names that stand in other statements.
  private let names: [[Unicode.Scalar]]
  private let readiness: Readiness
  private var ways: [[Way?]]

  /// The statement of a table with the fewest changes; nil where there is none within reason, or
  /// nothing to change.
  ///
  /// `others` are the statements of other objects, in which its names may stand.
  static func mended(
    _ entry: SchemaEntry, besides others: [String], _ readiness: Readiness = .ready
  ) -> String? {
    guard entry.kind == .table, let sql = entry.sql else { return nil }
    let stated = Array(sql.unicodeScalars)
    // As SQLite stores every table; whoever makes a virtual one has another beginning.
    let start = Array("CREATE TABLE ".unicodeScalars)
    guard stated.count <= lengthMax, stated.count > start.count,
      let name = spelling(of: entry.name, in: stated[start.count...])
    else { return nil }
    let head = start + name
    let changes = zip(head, stated).count { $0 != $1 }
    var mender = StatementMender(
      Array(stated[head.count...]), names(in: readiness == .ready ? [sql] + others : others),
      readiness)
    guard 2 * changes < head.count, let rest = mender.best(), rest.cost > 0 || changes > 0,
      rest.changes + changes <= max(2, stated.count / 4)
    else { return nil }
    return String(String.UnicodeScalarView(head + rest.text))
  }

  private init(
    _ text: [Unicode.Scalar], _ names: [[Unicode.Scalar]], _ readiness: Readiness
  ) {
    (self.text, self.names, self.readiness) = (text, names, readiness)
    ways = Array(repeating: Array(repeating: nil, count: State.count), count: text.count + 1)
  }

  /// How a statement spells the name of its table, of the ways that there are.
  private static func spelling(
    of name: Name, in text: ArraySlice<Unicode.Scalar>
  ) -> [Unicode.Scalar]? {
    let quotes: [(String, String)] = [("", ""), ("\"", "\""), ("[", "]"), ("`", "`"), ("'", "'")]
    let spellings = quotes.map { Array(($0.0 + name.text + $0.1).unicodeScalars) }
      .filter { $0.count < text.count }
    return spellings.min { left, right in
      zip(left, text).count { $0 != $1 } - left.count < zip(right, text).count { $0 != $1 }
        - right.count
    }
  }

  // MARK: The search

  /// The text with the fewest changes that ends a statement, and how many these are.
  private mutating func best() -> (text: [Unicode.Scalar], cost: Int, changes: Int)? {
    ways[0][State(place: .head, before: .mark).number] = Way(cost: 0, start: 0, state: -1, text: [])
    for start in text.indices {
      for place in Place.allCases {
        for before in Before.allCases {
          let state = State(place: place, before: before)
          guard let way = ways[start][state.number] else { continue }
          goOn(from: start, state, way.cost)
        }
      }
    }
    let ends = Before.allCases.compactMap {
      let number = State(place: .options, before: $0).number
      return ways[text.count][number].map { (number, $0.cost) }
    }
    guard let end = ends.min(by: { $0.1 < $1.1 }) else { return nil }
    var parts: [[Unicode.Scalar]] = []
    var (place, state) = (text.count, end.0)
    while place > 0, let way = ways[place][state] {
      parts.append(way.text)
      (place, state) = (way.start, way.state)
    }
    let mended = Array(parts.reversed().joined())
    return (mended, end.1, zip(mended, text).count { $0 != $1 })
  }

  /// Notes what can follow a place.
  private mutating func goOn(from start: Int, _ state: State, _ cost: Int) {
    mark(from: start, state, cost)
    guard [.opening, .mark, .nameAndSpace].contains(state.before) else { return }
    quoted(from: start, state, cost)
    for word in words(at: state.place) {
      take(
        word, from: start, state, to: Self.place(behind: word, at: state.place), .keyword,
        cost + (word == Self.key ? Self.loneKey : 0))
    }
    guard let after = placeBehindName(state.place) else { return }
    for name in names where state.place != .inside {
      take(name, from: start, state, to: after, .name, cost)
    }
    name(from: start, state, to: after, cost)
  }

  private static func place(behind word: [Unicode.Scalar], at place: Place) -> Place {
    switch place {
    case .named: .behindNamed
    case .item, .inside, .behindNamed: namesFollow.contains(word) ? .named : .inside
    case .head, .group, .innerGroup, .options: place
    }
  }

  private mutating func note(
    _ text: [Unicode.Scalar], from start: Int, _ state: State, to place: Place, _ before: Before,
    _ cost: Int
  ) {
    let (end, number) = (start + text.count, State(place: place, before: before).number)
    if let other = ways[end][number], other.cost <= cost { return }
    ways[end][number] = Way(cost: cost, start: start, state: state.number, text: text)
  }

  /// A character that is no part of a word.
  private mutating func mark(from start: Int, _ state: State, _ cost: Int) {
    let stated = text[start]
    let next = start + 1 < text.count ? text[start + 1] : " "
    // Hardly anybody writes two spaces behind a word, or one before a mark.
    let isIdle = next.isSQLSpace || [",", ")"].contains(next)
    let price = Price.space.of(stated) + (isIdle ? readiness.unknownName : 0)
    note(
      [stated.isSQLSpace ? stated : " "], from: start, state, to: state.place,
      state.before.andSpace, cost + (stated.isSQLSpace ? 0 : price))
    for (mark, place) in marks(at: state.place) where state.before != .opening || mark == "(" {
      note(
        [mark], from: start, state, to: place, mark == ")" ? .mark : .opening,
        cost + (stated == mark ? 0 : Price.mark.of(stated)))
    }
    let isSign = state.place == .inside && "+-".unicodeScalars.contains(stated) && next.isOfNumber
    let isOperator = stated.isOperator || stated == "!" && next == "="
    if isSign || isOperator && [.group, .innerGroup].contains(state.place) {
      note([stated], from: start, state, to: state.place, .mark, cost)
    }
  }

  private func marks(at place: Place) -> [(Unicode.Scalar, Place)] {
    switch place {
    case .head: [("(", .item)]
    case .item, .named: []
    case .inside, .behindNamed: [(",", .item), ("(", .group), (")", .options)]
    case .group: [(",", .group), ("(", .innerGroup), (")", .inside)]
    case .innerGroup: [(",", .innerGroup), (")", .group)]
    case .options: [(",", .options)]
    }
  }

  /// A name or text in quotes, whatever is in it.
  private mutating func quoted(from start: Int, _ state: State, _ cost: Int) {
    guard let after = placeBehindName(state.place),
      let close = Unicode.Scalar.closingQuotes[text[start]],
      let end = text[(start + 1)...].firstIndex(of: close)
    else { return }
    note(Array(text[start...end]), from: start, state, to: after, .mark, cost)
  }

  /// A word that SQL knows, or a name that stands elsewhere.
  private mutating func take(
    _ word: [Unicode.Scalar], from start: Int, _ state: State, to place: Place, _ kind: Before,
    _ cost: Int
  ) {
    guard start + word.count <= text.count else { return }
    let stated = text[start..<(start + word.count)]
    let wrong = zip(stated, word).count { $0.folded != $1 }
    guard wrong <= max(1, word.count / 2) else { return }
    let price = zip(stated, word).reduce(0) { sum, pair in
      pair.0.folded == pair.1 ? sum : sum + Price.letter.of(pair.0)
    }
    let isUpperCase = stated.contains { $0.folded != $0 }
    let taken = zip(stated, word).map { stated, scalar in
      stated.folded == scalar ? stated : isUpperCase ? scalar.raised : scalar
    }
    note(taken, from: start, state, to: place, kind, cost + price)
  }

  /// A word of any characters that words can have; others become `_`.
  private mutating func name(from start: Int, _ state: State, to after: Place, _ cost: Int) {
    var cost = cost
    var taken: [Unicode.Scalar] = []
    var isNumber = true
    let isFollowing =
      state.place == .inside || state.before == .nameAndSpace && state.place != .named
    for stated in text[start...].prefix(Self.wordMax) {
      guard !stated.isSQLSpace, !["(", ")", ","].contains(stated) else { return }
      isNumber = isNumber && stated.isOfNumber
      let isKept = stated.isOfWord || isNumber
      taken.append(isKept ? stated : "_")
      cost += isKept ? 0 : Price.unknownLetter.of(stated)
      let isOwn = state.place == .item && Self.ownWords.contains(taken.map(\.folded))
      let isKey = isFollowing && taken.count == Self.key.count && taken.map(\.folded) == Self.key
      let price = isNumber ? 0 : isFollowing ? readiness.unknownWord : readiness.unknownName
      note(
        taken, from: start, state, to: after, .name,
        cost + price + (isOwn ? Self.ownWord : 0) + (isKey ? Self.loneKey : 0))
    }
  }

  private func placeBehindName(_ place: Place) -> Place? {
    switch place {
    case .head, .options, .behindNamed: nil
    case .item, .inside: .inside
    case .named: .behindNamed
    case .group, .innerGroup: place
    }
  }

  // MARK: The words of SQL

  private func words(at place: Place) -> [[Unicode.Scalar]] {
    switch place {
    case .head: []
    case .named: Self.collations
    case .behindNamed: Self.clauses + Self.keys
    case .item: Self.constraints + Self.keys
    case .inside: Self.known + Self.keys
    case .group, .innerGroup: Self.known
    case .options: Self.endings
    }
  }

  private static let key = Array("key".unicodeScalars)
  /// Words that stand together, with one space.
  private static let keys = ["primary", "foreign"].map { Array("\($0) key".unicodeScalars) }
  private static let constraints = list("primary unique check foreign constraint")
  private static let endings = list("without rowid strict")
  private static let collations = list("nocase binary rtrim")
  private static let clauses = list(
    """
    primary not null unique default check collate references on match deferrable initially \
    generated as constraint foreign
    """)
  private static let namesFollow = Set(list("references collate constraint"))
  private static let ownWords = Set(known)
  private static let known = list(
    """
    integer int bigint smallint tinyint text varchar char character nvarchar clob blob real double \
    precision float numeric decimal boolean bool date datetime timestamp time any json primary key \
    autoincrement not null unique default check collate nocase binary rtrim references on delete \
    update cascade restrict set no action deferrable initially deferred immediate generated always as \
    stored virtual constraint foreign asc desc conflict rollback abort fail ignore replace \
    current_timestamp current_date current_time true false and or in is between like
    """)

  /// The words of statements, in lower case, that are not SQL's own.
  private static func names(in statements: [String]) -> [[Unicode.Scalar]] {
    let words = statements.prefix(statementsMax).flatMap { statement in
      SQLTokens(parsing: String(statement.prefix(lengthMax))).tokens.compactMap { token in
        switch token {
        case .word(let text), .name(let text): Array(Name(text).foldedText.unicodeScalars)
        default: nil
        }
      }
    }
    var seen = Set(known)
    let names = words.filter { word in
      (2...wordMax).contains(word.count) && word.allSatisfy(\.isOfWord)
        && seen.insert(word).inserted
    }
    return Array(names.prefix(namesMax))
  }

  private static func list(_ words: String) -> [[Unicode.Scalar]] {
    words.split(separator: " ").map { Array($0.unicodeScalars) }
  }
}

extension Unicode.Scalar {
  /// What ends a quoted name or text, by what begins it.
  fileprivate static let closingQuotes: [Unicode.Scalar: Unicode.Scalar] = [
    "\"": "\"", "'": "'", "`": "`", "[": "]",
  ]

  /// Whether words of SQL can have it.
  fileprivate var isOfWord: Bool {
    self == "_" || self == "$" || ("0"..."9").contains(self) || ("a"..."z").contains(folded)
      || value >= 0x80 && !TextEncoding.hasStandIn(String(self))
  }

  /// Whether numbers have it.
  fileprivate var isOfNumber: Bool { ("0"..."9").contains(self) || self == "." }

  /// Whether it stands between the parts of an expression.
  fileprivate var isOperator: Bool { "+-*/%<>=.|&~".unicodeScalars.contains(self) }

  /// Whether statements have it outside of quotes.
  fileprivate var isPlausible: Bool {
    isSQLSpace || isASCII && isOfWord || "(),".unicodeScalars.contains(self)
  }

  /// In upper case, where it is a letter of ASCII.
  fileprivate var raised: Unicode.Scalar {
    ("a"..."z").contains(self) ? Unicode.Scalar(UInt8(value) & ~0x20) : self
  }

  /// In lower case, where it is a letter of ASCII.
  fileprivate var folded: Unicode.Scalar {
    ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) | 0x20) : self
  }
}
