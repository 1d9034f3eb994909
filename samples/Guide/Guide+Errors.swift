// SPDX-License-Identifier: Apache-2.0
// What went wrong, in three parts, and under which code.

public import DatabaseRescue
public import Diagnosis

extension Guide {
  /// Makes a backup, or says why not.
  public func backUpOrTell(_ missing: FilePath) -> Backup? {
    // snippet
    do {
      return try rescue.backUp(missing).value
    } catch {
      show(error.message)
      show(error.meaning)
      show(error.advice)
      if let code = error.code { show("support code \(code)") }
      return nil
    }
    // end
  }

  /// Reads a code as somebody has typed it.
  public func code(typed text: String) -> SupportCode? {
    // snippet
    do {
      return try SupportCode(parsing: text)
    } catch {
      show("\(error.message): \(error.advice)")
      return nil
    }
    // end
  }
}
