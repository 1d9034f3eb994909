// SPDX-License-Identifier: Apache-2.0
// The file that a migration is run on, as it was found: what is put back goes there and nowhere
// else, whatever the migration has left in its place.

import SQLiteFormat

/// The place of a database, as it was before a command was run on it.
struct GuardedPlace {
  /// The path that was given.
  private let path: FilePath
  /// The file that it leads to.
  let file: FilePath
  /// Which file that is: its device and inode.
  private let identity: [UInt64]?
  /// Who might use it; nil where that is not known.
  private let access: FileAccess?
  /// Whether the path is, itself, a link that leads there.
  private let isLink: Bool

  /// Looks at the place.
  init(of path: FilePath, in storage: any Storage) throws(RescueError) {
    self.path = path
    file = try RescueFolder(of: path, storage: storage).database
    do {
      let status = try storage.status(of: file)
      (identity, access) = (status?.identity, status?.access)
      isLink = try storage.openFolder(path.folder).status(of: path.name)?.kind == .link
    } catch {
      throw RescueError(error)
    }
  }

  /// What others than before may do with the database; nil where those are the same.
  func otherAccess(in storage: any Storage) -> String? {
    guard let access, let now = ((try? storage.status(of: file)) ?? nil)?.access, now != access
    else { return nil }
    return "the file of the database is \(now.words), and was \(access.words)"
  }

  /// Lets those use the database who might before.
  ///
  /// - Returns: What could not be set back; nil where all is as it was.
  func giveAccessBack(in storage: any Storage) -> String? {
    guard let access, otherAccess(in: storage) != nil else { return nil }
    // What is not allowed is told by what is there then.
    try? storage.setAccess(of: file, to: access)
    return otherAccess(in: storage)
  }

  /// What would be written to in the place of the database; nil where that is the database, a new
  /// file of its own, or nothing.
  func detour(in storage: any Storage) throws(RescueError) -> Detour? {
    do throws(StorageError) {
      if isLink, let other = try otherLink(in: storage) { return other }
      guard let link = try storage.openFolder(file.folder).status(of: file.name) else { return nil }
      let aside = file.movingAway
      if let what = link.kind.obstacle {
        return Detour("in the place of the database is \(what)", aside)
      }
      let target = try storage.place(of: path)
      guard link.kind != .link, target == file else {
        return Detour("in the place of the database is a link, which leads to '\(target)'", aside)
      }
      guard link.identity == identity || link.linkCount == 1 else {
        return Detour("in the place of the database is a file that has other names as well", aside)
      }
      return nil
    } catch  where error.cause == .missing {
      return nil
    } catch {
      throw RescueError(error)
    }
  }

  /// What is in the place of the link that led to the database; nil where it leads there still.
  private func otherLink(in storage: any Storage) throws(StorageError) -> Detour? {
    let back = "ln -s \(file.shellQuoted) \(path.shellQuoted)"
    guard let found = try storage.openFolder(path.folder).status(of: path.name) else {
      return Detour("the link '\(path)' to the database '\(file)' is gone", back)
    }
    let aside = "\(path.movingAway) && \(back)"
    guard found.kind == .link else {
      let what = found.kind.obstacle ?? "a file of its own"
      return Detour(
        "in the place of the link '\(path)' is \(what); the database is '\(file)'", aside)
    }
    let target = (try? storage.place(of: path)) ?? path
    return target == file
      ? nil : Detour("the link '\(path)' leads to '\(target)', and led to '\(file)'", aside)
  }
}

/// What a migration has put in the way of the database.
struct Detour {
  /// What is there.
  let message: String
  /// The command that makes way, so that a backup can be put back.
  let clearing: String

  fileprivate init(_ message: String, _ clearing: String) {
    (self.message, self.clearing) = (message, clearing)
  }
}

extension FileAccess {
  /// Who may use it, in words.
  fileprivate var words: String {
    let owner = owner.map { "owned by \($0):\(group ?? 0), " } ?? ""
    return "\(owner)mode \(mode)"
  }
}
