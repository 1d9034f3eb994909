// SPDX-License-Identifier: Apache-2.0
// Everything that the bytes of a file set say, without opinion. Which reading of the files counts is judged
// in LogTrust, which notes here how sure that is.

package import SQLiteFormat

/// Everything that the bytes of a file set say.
package struct Survey: Sendable {
  /// What the file is.
  package let kind: FileKind
  /// How the database is cut into pages; nil when it is none or undetermined.
  package let geometry: GeometryDecision?
  /// The geometries that some of the pages have, where none dominates.
  package let geometryCandidates: [Geometry]
  /// The logical database.
  package let image: Image?
  /// The file header, through the journals; nil when it cannot be believed.
  package let header: DatabaseHeader?
  /// The schema.
  package let schema: SchemaSurvey?
  /// Whether the first page is that of another database, and is not believed.
  package let hasHeadOfAnother: Bool
  /// Every tree that the schema names and that has a root, tables first.
  package let trees: [TreeSurvey]
  /// Where among them those of a name are.
  let treePlaces: TreePlaces
  /// The list of unused pages.
  package let freelist: Freelist?
  /// Pages that nothing leads to, but for those in holes of the file.
  package let unclaimed: [UnclaimedPage]
  /// How many pages nothing leads to that lie in holes of the file: they are zeros.
  package let unclaimedInHoles: Int
  /// Whether there are pointer-map pages: the header says so, and page 2 is none of a tree.
  package let hasPointerMaps: Bool
  /// Whether the log was applied although it does not go on from the database file: the file alone
  /// is sound as well, and holds less.
  package internal(set) var isLogInDoubt = false
  /// Whether what was committed behind the end of the log is in the file in part only.
  var isLogBehind = false
  /// Whether what a hot journal takes back may count, too: a transaction has ended since and left the
  /// database as sound, or it is not sound with the journal.
  var isJournalInDoubt = false
  /// Whether a hot journal of this state of the file was left out.
  package internal(set) var lacksOwnJournal = false
  /// The journal of this state of the database that was left out; nil for none.
  var ownJournalLeftOut: RollbackJournal? {
    if lacksOwnJournal, case .contradictory(let journal)? = image?.journal { journal } else { nil }
  }
  /// Whether a hot journal of a later state of the database was left out.
  package internal(set) var isBehindJournal = false
  /// Whether the log has nothing of the file, and nothing that only another's can have.
  var isLogUntold = false
  /// The indexes whose root is another one's.
  private(set) var indexesOfOthers: Set<Name> = []
  /// Pages whose pointer-map entry contradicts the trees.
  package let pointerMapFaults: FaultList
  /// Leaves that are not those of the tree that leads to them, but copies of another one's.
  let misdirected: Set<PageNumber>
  /// Overflow pages to which chains lead where the pointer maps have others in their place.
  let disputedPages: Set<PageNumber>
  /// The owner of every page.
  package let claims: PageClaims
  /// What a transfer as text did to the file; the image has that undone where it can be.
  package let transfer: TextTransfer?
  /// A byte that the file has lost to another one throughout; nil for none.
  package internal(set) var replacedByte: ReplacedByte?
  /// How many bytes there are of a file that ends inside its header; nil of others.
  let cutHeaderCount: Int?
  /// The first page that moved, and is read where its number says; nil where none did.
  let firstMovedPage: PageNumber?
  /// The databases that lie in the file beside this one.
  package let neighbours: [Neighbour]
  /// What lies in the place of the database file, where all pages are those of its log or journal;
  /// nil where it is the database.
  let standIn: FileKind?
  /// At which byte of the database file its log begins that stands behind its last page; nil for none.
  let startOfAttachedLog: Int?
  /// Why nothing could be read of the file; nil where something could.
  package let readFailure: ReadFailure?
  /// What could not be read of the files, by the survey and whoever read on from it.
  package internal(set) var failures = ReadFailures()

  /// The encoding of the database's text.
  package var encoding: TextEncoding { schema?.encoding ?? .utf8 }

  /// The position of a tree among all.
  func position(of tree: TreeSurvey) -> Int? {
    guard let place = treePlaces[tree.entry.name] else { return nil }
    return trees[place].entry == tree.entry ? place : treePlaces.other(tree.entry)
  }

  /// The names of the tables that the schema has, virtual ones among them.
  package var tableNames: Set<Name> {
    Set(trees.lazy.filter { $0.entry.kind == .table }.map(\.entry.name))
      .union(virtualTables.map(\.name))
  }

  /// The survey of a table's or index's tree, by name.
  package func tree(named name: Name) -> TreeSurvey? {
    treePlaces[name].map { trees[$0] }
  }
}

extension Survey {
  init(
    kind: FileKind, candidates: [Geometry] = [], transfer: TextTransfer? = nil,
    readFailure: ReadFailure? = nil, cutHeaderCount: Int? = nil
  ) {
    self.kind = kind
    self.cutHeaderCount = cutHeaderCount
    geometryCandidates = candidates
    self.readFailure = readFailure
    geometry = nil
    image = nil
    header = nil
    schema = nil
    hasHeadOfAnother = false
    trees = []
    treePlaces = TreePlaces([])
    freelist = nil
    unclaimed = []
    unclaimedInHoles = 0
    hasPointerMaps = false
    pointerMapFaults = FaultList()
    disputedPages = []
    misdirected = []
    claims = PageClaims(pageCount: 0)
    self.transfer = transfer
    firstMovedPage = nil
    neighbours = []
    standIn = nil
    startOfAttachedLog = nil
  }

  /// Surveys an image, as it is read.
  init(_ image: Image, _ reading: SurveyReading) {
    let decision = reading.decision
    // A page 1 of the right size came from the log.
    let believesHead =
      reading.believesHead
      && (!decision.hasHeadOfOtherSize || image.header?.pageSize == decision.geometry.pageSize)
    let (parser, known) = (reading.parser, reading.known)
    let header = believesHead ? image.header : nil
    let believed = header.flatMap { $0.isBelievable(for: decision.geometry) ? $0 : nil }
    let hasPointerMaps =
      believed.map { $0.isAutoVacuum && !image.isTreePage(2) } ?? image.startsPointerMap(2)
    var claims = PageClaims(pageCount: image.pageCount)
    Self.claimReservedPages(of: image, hasPointerMaps: hasPointerMaps, &claims)
    let schema = SchemaSurvey.read(
      image, encoding: believed?.encoding, expected: known.schema, known.roots, parser: parser,
      believesTable: believesHead, strays: reading.strays, claims: &claims)
    let tasks = Self.tasks(image, schema, schemaFormat: believed?.schemaFormat ?? 4, parser)
    var trees = ForestScan(image, tasks).surveys(&claims)
    let freelist = believed.map { Freelist(image, first: $0.firstFreelistTrunk) }
    var freeClaims = claims
    for page in (freelist?.trunks ?? []) + (freelist?.leaves ?? []) {
      _ = freeClaims.claim(page, for: .freelist)
    }
    misdirected = Self.noteMisdirected(in: &trees, of: image, freeClaims, schema)
    let isWhole =
      schema.tree.isSound && trees.allSatisfy(\.isSound) && schema.isWhole
      && freelist?.faults.isEmpty != false
    if isWhole, let believed, believed.pageCount < image.pageCount {
      freeClaims.claim(
        behind: believed, of: image,
        KnownForms(
          trees, schema, counters: Self.sequences(of: trees, in: image, schema.encoding)))
    }
    kind = reading.kind
    cutHeaderCount = nil
    geometry = decision
    geometryCandidates = []
    self.image = image
    self.header = believed
    self.schema = schema
    hasHeadOfAnother = !believesHead
    self.freelist = freelist
    self.claims = freeClaims
    (unclaimed, unclaimedInHoles) = Self.unclaimedPages(of: image, freeClaims)
    self.trees = trees
    treePlaces = TreePlaces(trees)
    self.hasPointerMaps = hasPointerMaps
    let review =
      hasPointerMaps
      ? PointerMapReview(image, trees: trees, schema: schema.tree, freelist: freelist) : nil
    pointerMapFaults = review?.faults ?? FaultList()
    disputedPages = review?.exchanged ?? []
    transfer = reading.transfer
    firstMovedPage = reading.firstMovedPage
    neighbours = reading.neighbours
    standIn = reading.standIn
    startOfAttachedLog = reading.startOfAttachedLog
    readFailure = nil
    indexesOfOthers = findIndexesOfOthers(in: image, schema)
  }

  /// Notes as faults the pages of the trees that are copies of others, and returns them.
  private static func noteMisdirected(
    in trees: inout [TreeSurvey], of image: Image, _ claims: PageClaims, _ schema: SchemaSurvey
  ) -> Set<PageNumber> {
    let surveyed = trees
    let twins = TwinLeaves(image, trees) {
      sequences(of: surveyed, in: image, schema.encoding)
    } orphans: {
      unclaimedPages(of: image, claims).pages.filter(\.mayBeOfTable).map(\.page)
    }
    let found =
      twins.misdirected + twins.copiedRoots(claims, schema) + twins.copiedShortLeaves(claims)
    var misdirected: Set<PageNumber> = []
    for (tree, page) in found where misdirected.insert(page).inserted {
      trees[tree].pageFaults.add(FormatError(.copied, page: page))
    }
    for tree in trees.indices { (trees[tree].leafMarks, trees[tree].shortLeaves) = ([], []) }
    return misdirected
  }

  private static func claimReservedPages(
    of image: Image, hasPointerMaps: Bool, _ claims: inout PageClaims
  ) {
    if let lock = image.geometry.lockBytePage { _ = claims.claim(lock, for: .reserved) }
    guard hasPointerMaps else { return }
    // What lies in a hole is no map, and nothing else either.
    for page in image.dataPages where image.geometry.isPointerMap(page) {
      _ = claims.claim(page, for: .reserved)
    }
  }

  private static func tasks(
    _ image: Image, _ schema: SchemaSurvey, schemaFormat: UInt32, _ parser: any SchemaParsing
  ) -> [TreeTask] {
    let rooted = schema.entries.filter { entry in
      switch entry.kind {
      case .table: entry.root != nil || schema.table(named: entry.name)?.isStored == true
      case .index: entry.root != nil || schema.sources[.expected] != nil
      case .view, .trigger: false
      }
    }
    let tables = image.settlingSharedRoots(of: rooted.filter { $0.kind == .table }, schema)
    let ordered = tables + rooted.filter { $0.kind == .index }
    var roles: [Name: ShadowRole] = [:]
    for table in schema.parsed.virtualTables { roles.merge(table.roles) { first, _ in first } }
    // What comes to a wrong place shows there, where the rows of that place have another form.
    let widths = Dictionary(
      rooted.compactMap { entry in
        entry.kind == .table ? schema.table(named: entry.name).map { ($0.columns.count, 1) } : nil
      }, uniquingKeysWith: +)
    return ordered.enumerated().map { index, entry in
      let description = entry.kind == .table ? schema.table(named: entry.name) : nil
      // Without a readable statement the root page itself tells what kind of tree it is; those that
      // SQLite makes for itself have rowids.
      let isRowIDTable =
        entry.kind == .table
        && (description.map { !$0.withoutRowID }
          ?? (entry.name.isReserved
            || entry.root.flatMap { try? image.btreePage($0) }?.kind.isTable ?? true))
      let shape = description.flatMap { schema.shape(ofTable: $0.name) }
      let indexes = description.flatMap { table in
        shape.map { schema.computableIndexes(of: table, $0) }
      }
      let computed = description.flatMap { table in
        shape.flatMap { schema.computedTable(table, $0, besides: indexes ?? []) }
      }
      return TreeTask(
        entry: entry, root: entry.root, isRowIDTable: isRowIDTable,
        owner: .tree(index),
        indexes: indexes ?? [], shape: shape,
        order: isRowIDTable ? nil : schema.keyOrder(of: entry, schemaFormat: schemaFormat),
        computed: computed,
        hasPeers: description.map { widths[$0.columns.count] ?? 0 > 1 } ?? false,
        shadow: entry.kind == .table ? roles[entry.name] : nil, parser: parser)
    }
  }
}

extension DatabaseHeader {
  /// Whether the fields can be believed of a database cut into pages this way.
  func isBelievable(for geometry: Geometry) -> Bool {
    pageSize == geometry.pageSize && reserved == geometry.reserved
      && (hasMagic || hasPayloadFractions)
  }
}

extension Survey {
  /// The AUTOINCREMENT counters, by table.
  package var sequences: [Name: Int64] {
    image.map { Self.sequences(of: trees, in: $0, encoding) } ?? [:]
  }

  private static func sequences(
    of trees: [TreeSurvey], in image: Image, _ encoding: TextEncoding
  ) -> [Name: Int64] {
    guard let root = trees.first(where: { $0.entry.name == "sqlite_sequence" })?.root else {
      return [:]
    }
    var sequences: [Name: Int64] = [:]
    for case (.text(let name), let counter) in image.counters(at: root) {
      sequences[Name(encoding.string(name))] = counter
    }
    return sequences
  }

  /// The order of the rows of a WITHOUT ROWID table, or of an index's entries; nil where it is not
  /// known.
  package func keyOrder(of tree: TreeSurvey) -> KeyOrder? {
    schema?.keyOrder(of: tree.entry, schemaFormat: header?.schemaFormat ?? 4)
  }

  /// Whether the free list was followed to its end, and has as many pages as the header says.
  ///
  /// A header that counts too few pages is of an earlier time, or of another database, and so is its
  /// free list.
  var isFreelistWhole: Bool {
    guard let freelist, let header else { return false }
    return freelist.faults.isEmpty && freelist.count == header.freelistCount && !countsTooFewPages
  }

  /// Whether the header counts fewer pages than there are.
  var countsTooFewPages: Bool {
    guard let header, let image else { return false }
    return header.isPageCountValid && header.pageCount < image.pageCount
  }
}

extension Image {
  /// The AUTOINCREMENT counters in a tree of `sqlite_sequence`, each with the name of its table.
  func counters(at root: PageNumber) -> [(name: Value, counter: Int64)] {
    var counters: [(Value, Int64)] = []
    forEachRecord(ofTree: root, isTable: true) { stored in
      if let name = stored.record.value(0), let counter = stored.record.value(1)?.integerValue {
        counters.append((name, counter))
      }
      return true
    }
    return counters
  }
}
