// SPDX-License-Identifier: Apache-2.0
// What an older input of a merge has that the newer ones have not, and what has no place beside them.

import Diagnosis
import SQLiteFormat

/// What an older input adds to the schema of a merge: the tables that only it has.
struct SchemaAddition {
  /// The declarations of these tables, and of their indexes and triggers.
  private(set) var declarations: [Declaration] = []
  /// What is left out, in words: views, which hold no rows, and what has no name beside the others.
  private(set) var remarks: [String] = []
  /// The tables that cannot be made, as their names are taken; of virtual ones, those with the rows, or
  /// with the words of rows that are kept nowhere.
  private(set) var displacedTables: Set<Name> = []
  /// The tables of which nothing is missed.
  private var derived: Set<Name> = []

  /// Nothing.
  init() {}

  /// What the schema of an input, whose name is `label`, has besides another one.
  init(of survey: Survey, _ label: String, to schema: FreshSchema) {
    let fresh = FreshSchema(of: survey)
    let taken = TakenNames(
      in: schema, displacing: schema.virtualMappings(from: survey).filter { $1.way == .none })
    let own = fresh.declared.declarations
    derived = fresh.derivedTables
    let displaced = own.filter { taken.holder(displacing: $0) != nil && $0.kind == .table }
    let rowParts = survey.virtualTables.filter { table in
      displaced.contains { $0.name == table.name }
    }.flatMap { table in (table.rowPart.map { [$0] } ?? table.parts).map(\.name) }
    displacedTables = Set(displaced.filter(\.isPlainTable).map(\.name) + rowParts)
    let views = own.filter { $0.kind == .view }.map(\.name)
    // Of a table that is there as well, or is not made, nothing is added.
    let settled = taken.tables.union(displaced.map(\.name)).union(views)
    for declaration in own {
      let isPart = [.index, .trigger].contains(declaration.kind)
      guard !isPart || !settled.contains(declaration.table),
        declaration.family.map(settled.contains) != true
      else { continue }
      if let holder = taken.holder(displacing: declaration) {
        remarks.append(declaration.remark(of: label, displacedBy: holder))
      } else if taken.holder(of: declaration) == nil {
        if declaration.kind == .view {
          remarks.append(
            "the view '\(declaration.name)' of \(label) is left out: the schema is that of "
              + "the newest input")
        } else {
          declarations.append(declaration)
        }
      }
    }
  }

  /// Of these tables of the input those whose rows are missed where they are not in the result, which
  /// has this schema: not those that are computed anew.
  func missed(of tables: [Name], in schema: FreshSchema) -> Set<Name> {
    let computed = derived.union(schema.derivedTables)
    return Set(
      tables.filter {
        displacedTables.contains($0) || !$0.isReserved && !computed.contains($0)
      })
  }

  /// A schema with what is added to it.
  func completing(_ schema: FreshSchema) -> FreshSchema {
    guard !declarations.isEmpty else { return schema }
    var completed = schema
    completed.declared = DeclaredSchema(schema.declared.entries + declarations.map(\.entry))
    return completed
  }
}

/// The names that the objects of a schema have.
///
/// Tables, views and indexes share theirs; triggers have their own.
private struct TakenNames {
  /// What has a name.
  struct Holder {
    let kind: SchemaEntry.Kind
    let isVirtual: Bool

    /// What it is, in words.
    var words: String { isVirtual ? "virtual table" : kind.rawValue }
  }

  private var objects: [Name: Holder] = [:]
  private var triggers: [Name: Holder] = [:]
  /// The virtual tables whose rows have no place in those of their names.
  private let unlike: Set<Name>

  init(in schema: FreshSchema, displacing unlike: [Name: VirtualMapping]) {
    self.unlike = Set(unlike.keys)
    let virtual = Set(schema.declared.virtualTables.map(\.name))
    for entry in schema.declared.entries {
      let holder = Holder(
        kind: entry.kind, isVirtual: entry.kind == .table && virtual.contains(entry.name))
      if entry.kind == .trigger {
        triggers[entry.name] = holder
      } else {
        objects[entry.name] = holder
      }
    }
  }

  /// The tables.
  var tables: Set<Name> { Set(objects.filter { $0.value.kind == .table }.keys) }

  /// What has the name of an object of another schema.
  func holder(of declaration: Declaration) -> Holder? {
    (declaration.kind == .trigger ? triggers : objects)[declaration.name]
  }

  /// The same where that is not what the object itself has become.
  func holder(displacing declaration: Declaration) -> Holder? {
    guard let holder = holder(of: declaration) else { return nil }
    let isSame =
      switch declaration.kind {
      // What keeps the rows of a virtual table is merged by itself.
      case .table:
        holder.kind == .table && holder.isVirtual == (declaration.module != nil)
          && !unlike.contains(declaration.name)
      case .view: holder.kind == .view
      case .index, .trigger: false
      }
    return isSame ? nil : holder
  }
}

extension Declaration {
  /// Whether it is a table with rows of its own.
  fileprivate var isPlainTable: Bool { kind == .table && module == nil && family == nil }

  /// What should be known of an object that is left out as its name is taken.
  fileprivate func remark(of label: String, displacedBy holder: TakenNames.Holder) -> String {
    let what = module == nil ? kind.rawValue : "virtual table"
    let place = [.index, .trigger].contains(kind) ? " on '\(table)'" : ""
    let other =
      holder.words == what
      ? "another \(what)" : (holder.kind == .index ? "an " : "a ") + holder.words
    return "the \(what) '\(name)'\(place) of \(label) is left out: its name is that of \(other) in "
      + "a newer input" + (kind == .table ? ", and its rows are set aside" : "")
  }
}
