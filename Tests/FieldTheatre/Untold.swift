// SPDX-License-Identifier: Apache-2.0
// Why nothing in the files of some scenes tells what happened. "Not known" is then the right answer,
// with what it may have been; the scenes are counted apart.

extension String {
  /// Of mixtures with few pages.
  static let severalMoments =
    "pages of several moments come of a journal that is gone, of a copy at work, of writers"
    + " that do not see each other, and of lost writes, and here too few contradict each "
    + "other to tell them apart"

  /// Of pages of zeros.
  static let zeros =
    "pages of zeros come of writes that never arrived, and of a medium or a copy that lost "
    + "them"

  /// Of zeros at the end of a file.
  static let zerosAtEnd =
    "zeros at the end come of lost writes, and of a download that reserved its space and "
    + "stopped"

  /// Of a file that is whole without its log.
  static let whole =
    "a file whose log was left behind after a commit is that of an earlier moment, whole in"
    + " itself"

  /// Of a log that fits.
  static let fittingLog =
    "nothing in the pages of the log is of another state than the file"

  /// Of a journal that fits.
  static let fittingJournal =
    "the journal fits the file, as one of a transaction that was cut off does"

  /// Of one row without its entry.
  static let oneRow =
    "a table and an index that differ in one row are each whole: either can be the older "
    + "one"

  /// Of a file that ends at a block.
  static let atBlock =
    "a file that ends at a block inside its last page comes of a copy that stopped there, "
    + "too"

  /// Of a file in WAL mode that ends at a page.
  static let atPageInWAL =
    "a file in WAL mode that ends at a page, sound as far as it goes, is also one of which a"
    + " checkpoint was cut off and the log is gone"

  /// Of a file that ends at a page.
  static let atPage =
    "a file that ends at a page, sound as far as it goes, comes of a copy that stopped there as well "
    + "as of a file that could not grow"

  /// Of pages that lie together.
  static let together =
    "the pages that are not there lie together: a copy that was taken in a checkpoint "
    + "leaves that"

  /// Of an older copy in WAL mode.
  static let sameCounter =
    "in WAL mode the change counter of both states can be the same, and an app that begins anew "
    + "has such rows, too"
}
