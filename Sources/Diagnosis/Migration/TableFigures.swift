// SPDX-License-Identifier: Apache-2.0
// What the rows of a table come to, in figures that are cheap to take and to compare: no value can be
// told from them.

package import SQLiteFormat

/// What the rows of a table come to.
package struct TableFigures: Hashable, Sendable {
  /// What the values of one column come to.
  package struct Column: Hashable, Sendable {
    /// Its name.
    package let name: Name
    /// How many rows have NULL there.
    package internal(set) var nulls = 0
    /// The sum of the hashes of its values.
    package internal(set) var sum: UInt64 = 0
    /// The hashes of its first different values, NULL not among them.
    fileprivate var first: [UInt64] = []
    /// A bit for each of the last ten bits that hashes of its values have.
    private var marks = [UInt64](repeating: 0, count: 16)

    init(name: Name) {
      self.name = name
    }

    /// How many different values are told apart.
    static let varietyMax = 3

    /// How many different values it has, NULL not among them; ``varietyMax`` for any more.
    package var variety: Int { first.count }

    /// How much its values differ: at most 1024, and about as many as there are different ones where
    /// these are few.
    var spread: Int { marks.reduce(0) { $0 + $1.nonzeroBitCount } }

    fileprivate mutating func add(_ hash: UInt64?) {
      guard let hash else {
        nulls += 1
        return
      }
      sum &+= hash
      marks[Int(hash & 15)] |= 1 << (hash >> 4 & 63)
      guard first.count < Self.varietyMax, !first.contains(hash) else { return }
      first.append(hash)
    }
  }

  /// How many rows there are.
  package private(set) var rows = 0
  /// The columns, as they are stored.
  package private(set) var columns: [Column] = []
  /// The sum of the hashes of all rows, with what the rowid is called if it has a name.
  package private(set) var sum: UInt64 = 0
  /// How often rows occur that are told by all but their key.
  package private(set) var copies = CopyCount()
  /// The columns of the key: the one that is the rowid, or the primary key; `rowid` of a full-text
  /// table, which has no such column, and none where a table has no key but rowids without a name.
  package private(set) var keyNames: [Name] = []
  /// Whether the key is a part of what rows hold, and no number that they were given.
  package private(set) var hasNaturalKey = false
  /// Whether rows have an id that is in no column: mostly that of a row of another table.
  private(set) var hasHiddenID = false
  /// Whether rows are told apart by a number of theirs that is in a column.
  var hasVisibleID: Bool { keyNames.contains { column($0) != nil } }
  /// The columns that are declared for texts, or for anything: no reckoning makes one row's value another's.
  private(set) var textColumns: Set<Name> = []
  /// Which keys there are.
  package private(set) var keys = CopyCount()
  /// The rows by their keys, or by their rowids where they have no other.
  private(set) var sample = RowSample(width: 0)
  /// Whether the rows have the rowids from 1 on without a gap, as those of a table made anew have.
  var isNumberedAnew: Bool { lastID == rows }
  private var lastID: Int64 = 0
  /// Whether every row could be read.
  package private(set) var isWhole = true

  /// Counts the rows of a table of which nothing else is compared.
  init(countOf rows: Int) {
    self.rows = rows
  }

  /// Takes the figures of a table; none of its columns where its statement cannot be parsed.
  package init(of name: Name, _ tree: TreeSurvey, in survey: Survey) {
    rows = tree.records
    guard let image = survey.image, let root = tree.root,
      let source = RowSource(of: name, tree, in: survey)
    else { return }
    columns = source.columns.map { Column(name: $0) }
    sample = RowSample(width: columns.count)
    let declared = survey.schema?.table(named: name)?.columns ?? []
    textColumns = Set(
      declared.filter { [.text, .blob].contains(Affinity(declaredType: $0.type)) }.map(\.name))
    hasHiddenID = source.hasHiddenID
    hasNaturalKey = source.hasNaturalKey || !source.declaredKey.isEmpty
    keyNames = source.keyNames + source.declaredKey
    var claims = PageClaims(pageCount: image.pageCount)
    var scan = TreeScan(
      image, root: root, isTable: tree.isRowIDTable, owner: .tree(0))
    var figures = self
    scan.run(&claims) { event in
      switch event {
      case .record(let stored): figures.add(stored, source, survey.encoding)
      case .page: break
      default: figures.isWhole = false
      }
      return true
    }
    self = figures
  }

  /// Whether another table with these figures can only be this one.
  var isTelling: Bool { isWhole && rows > 0 && !columns.isEmpty }

  /// The column of a name.
  package func column(_ name: Name) -> Column? { columns.first { $0.name == name } }

  /// Takes in a row; texts are compared as if they were in UTF-8.
  private mutating func add(
    _ stored: StoredRecord, _ source: RowSource, _ encoding: TextEncoding
  ) {
    let fields = Array(stored.record.fields)
    var (row, key, whole) = (ContentHash(), ContentHash(), ContentHash())
    var hashes: [UInt64?] = []
    hashes.reserveCapacity(columns.count)
    for place in columns.indices {
      let content = source.content(at: place, of: fields, rowID: stored.rowID)
      guard let hash = stored.record.hash(of: content, encoding) else {
        isWhole = false
        return
      }
      hashes.append(hash.isNull ? nil : hash.value)
      columns[place].add(hashes[place])
      whole.add(hash.value)
      if keyNames.contains(columns[place].name) {
        key.add(hash.value)
      } else {
        row.add(hash.value)
      }
    }
    if source.hasHiddenID || keyNames.isEmpty, let id = stored.rowID {
      key.add(UInt64(bitPattern: id))
    }
    lastID = max(lastID, stored.rowID ?? 0)
    sum &+= whole.value
    copies.add(row.value)
    if !keyNames.isEmpty { keys.add(key.value) }
    sample.add(key.value, hashes)
  }
}

/// What is known of the rows that two states of a table have by the same keys.
struct SameRows {
  let then: TableFigures
  let now: TableFigures
  /// Whether a column that tells rows apart has what it had in half of them or more, so that they are
  /// the same rows and not others that were given their numbers.
  let areAligned: Bool
  /// Whether a row has another value than before in a column that is there.
  let differ: Bool

  /// Finds the rows, by new names of columns; nil where none are known by their keys.
  init?(_ then: TableFigures, _ now: TableFigures, naming names: [Name: Name]) {
    let pairs = now.sample.pairs(with: then.sample).map {
      (old: then.sample.hashes(at: $0.theirs), new: now.sample.hashes(at: $0.own))
    }
    guard !pairs.isEmpty else { return nil }
    self.then = then.only(pairs.map(\.old))
    self.now = now.only(pairs.map(\.new))
    let kept = then.places(in: now, naming: names).map { place in
      (
        isTelling: then.columns[place.old].isTelling,
        rows: pairs.count { $0.old[at: place.old] == $0.new[at: place.new] }
      )
    }
    areAligned = kept.contains { $0.isTelling && $0.rows * 2 >= pairs.count }
    differ = kept.contains { $0.rows < pairs.count }
  }
}

extension TableFigures {
  /// The columns beside the key that another state has too, by new names of columns: their places in
  /// both.
  func places(in now: TableFigures, naming names: [Name: Name]) -> [(old: Int, new: Int)] {
    columns.indices.compactMap { old in
      let name = columns[old].name
      guard !keyNames.contains(name),
        let new = now.columns.firstIndex(where: { $0.name == names[name] ?? name })
      else { return nil }
      return (old, new)
    }
  }

  /// The figures of some of the rows, of which the hashes are known.
  fileprivate func only(_ rows: [ArraySlice<UInt32>]) -> TableFigures {
    var figures = self
    figures.rows = rows.count
    figures.columns = columns.map { Column(name: $0.name) }
    figures.sum = 0
    for row in rows {
      var whole = ContentHash()
      for (place, hash) in row.enumerated() {
        figures.columns[place].add(
          hash == RowSample.null ? nil : UInt64(hash) &* 0x9E37_79B9_7F4A_7C15)
        whole.add(UInt64(hash))
      }
      figures.sum &+= whole.value
    }
    return figures
  }
}

/// A hash of content, eight bytes at a time.
struct ContentHash {
  private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func add(_ word: UInt64) {
    let product = (value ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    value = product.high ^ product.low ^ (word &* 0xA24B_AED4_963E_E407)
  }

  mutating func add(_ bytes: Bytes, _ range: Range<Int>) {
    var index = range.lowerBound
    while index < range.upperBound {
      var word: UInt64 = 0
      let end = min(index + 8, range.upperBound)
      for byte in bytes[index..<end] { word = word << 8 | UInt64(byte) }
      add(word)
      index = end
    }
    add(UInt64(range.count))
  }
}

extension Record {
  /// The hash of what the record holds for a column; nil where that cannot be read.
  fileprivate func hash(
    of content: RowShape.Content, _ encoding: TextEncoding
  ) -> (value: UInt64, isNull: Bool)? {
    switch content {
    case .value(.text(let bytes)): (Self.hash(ofText: bytes, encoding), false)
    case .value(let value): Self.hash(of: value, isReal: false)
    case .field(let field, let isReal):
      if field.isText, encoding != .utf8, (1...Self.transcodedMax).contains(field.length) {
        (try? pieces(of: field).joined()).map { (Self.hash(ofText: $0, encoding), false) }
      } else if field.isText || field.isBlob {
        longHash(of: field).map { ($0, false) }
      } else {
        (try? value(of: field)).flatMap { Self.hash(of: $0, isReal: isReal) }
      }
    }
  }

  private static func hash(of value: Value, isReal: Bool) -> (value: UInt64, isNull: Bool) {
    var hash = ContentHash()
    switch value {
    case .null: return (0, true)
    case .integer(let number):
      if isReal { return Self.hash(of: .real(Double(number)), isReal: false) }
      hash.add(1)
      hash.add(UInt64(bitPattern: number))
    case .real(let number):
      hash.add(2)
      hash.add(number.bitPattern)
    case .text(let bytes):
      hash.add(3)
      hash.add(bytes, bytes.indices)
    case .blob(let bytes):
      hash.add(4)
      hash.add(bytes, bytes.indices)
    }
    return (hash.value, false)
  }

  /// The longest text in UTF-16 that is compared with others as if it were in UTF-8, in bytes.
  private static var transcodedMax: Int { 1 << 18 }

  private static func hash(ofText bytes: Bytes, _ encoding: TextEncoding) -> UInt64 {
    let text = encoding == .utf8 ? bytes : Bytes(encoding.string(bytes).utf8)
    return hash(of: .text(text), isReal: false).value
  }

  /// The hash of a text or blob, which may be too long to be held in memory.
  private func longHash(of field: Field) -> UInt64? {
    var hash = ContentHash()
    hash.add(field.isText ? 3 : 4)
    var pieces = pieces(of: field)
    do {
      while let piece = try pieces.next() { hash.add(piece.bytes, piece.range) }
    } catch {
      return nil
    }
    return hash.value
  }
}

extension Record.Pieces {
  /// All of them as one.
  fileprivate func joined() throws(FormatError) -> Bytes {
    var (pieces, bytes) = (self, Bytes())
    while let piece = try pieces.next() { bytes += piece.bytes[piece.range] }
    return bytes
  }
}
