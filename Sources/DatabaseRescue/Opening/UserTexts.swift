// SPDX-License-Identifier: Apache-2.0
// All that the users of an app read of this library, as one table that the app can translate.

/// The texts that users of an app read, by key; what is not translated is in English.
///
/// In a text, `%@` stands for the time of a backup.
public struct UserTexts: Hashable, Sendable {
  /// What a text is for.
  public enum Key: String, Hashable, Sendable, CaseIterable {
    // A newer version of the app has been here.
    /// The headline where a newer version of the app has been here.
    case newerTitle
    /// That nothing is wrong, and why this version must not open it.
    case newerBody
    /// To install the newest version.
    case newerRequest

    // An update of the data that failed.
    /// The headline where an update of the data failed.
    case updateTitle
    /// That the data is back as it was.
    case updateRestoredBody
    /// That the update changed nothing.
    case updateUnchangedBody
    /// That the update removed data, all of which was saved.
    case updateLossBody
    /// That the update removed data, and what was saved is gone, too.
    case updateLossUnsavedBody
    /// That the data is as the update left it, and nothing is missing.
    case updateLeftBody
    /// That the data was saved before, where nothing else is known.
    case updateSavedBody
    /// That the app changes nothing more, where there is no backup.
    case updateStoppedBody

    // Damage.
    /// The headline where the file is damaged.
    case damageTitle
    /// That the app has stopped, and that there is a backup.
    case damageBackedUpBody
    /// That the app has stopped, where there is no backup.
    case damageBody

    // A database that is gone.
    /// The headline where the file is gone.
    case missingTitle
    /// That nothing new was begun, and that there is a backup.
    case missingBackedUpBody
    /// That nothing new was begun, where there is no good backup.
    case missingBody

    // What stood in the way of looking.
    /// The headline where another program has the database.
    case busyTitle
    /// That nothing was changed, and why.
    case busyBody
    /// To close the other program.
    case busyRequest
    /// The headline where the disk is full.
    case spaceTitle
    /// That nothing was changed, and what space is needed for.
    case spaceBody
    /// To free some space.
    case spaceRequest
    /// The headline where the file cannot be read or written.
    case accessTitle
    /// That nothing was deleted.
    case accessBody
    /// The headline where the start was cancelled.
    case stoppedTitle
    /// That the data is as it was.
    case stoppedBody
    /// To start the app again.
    case stoppedRequest

    // Everywhere.
    /// To contact support and read out the code.
    case supportRequest

    // What can be chosen.
    /// The button that starts once more.
    case tryAgainOption
    /// The button that puts a backup back; `%@` stands for its time.
    case restoreOption

    // What is going on.
    /// While the database is checked.
    case checkingStage
    /// While a backup is made.
    case backingUpStage
    /// While the app migrates.
    case migratingStage
    /// While the result is compared with what was before.
    case verifyingStage
    /// While the backup is put back.
    case restoringStage
  }

  private let translations: [Key: String]

  /// Makes a table of translations.
  public init(_ translations: [Key: String] = [:]) {
    self.translations = translations
  }

  /// The text of a key.
  public subscript(key: Key) -> String { translations[key] ?? Self.english[key] ?? key.rawValue }

  /// The English texts.
  package static let english: [Key: String] = [
    .newerTitle: "This data was saved by a newer version of the app",
    .newerBody: "Nothing is wrong with it. This version cannot open it without harm.",
    .newerRequest: "Please install the newest version of the app.",
    .updateTitle: "The app could not update its data",
    .updateRestoredBody: "Your data is as it was before the update.",
    .updateUnchangedBody: "The update has changed nothing. Your data is as it was.",
    .updateLossBody:
      "The update has removed some of your data. All of it was saved before.",
    .updateLossUnsavedBody:
      "The update has removed some of your data. Please do not uninstall the app.",
    .updateLeftBody: "Your data was saved before the update, and no entry is missing.",
    .updateSavedBody: "Your data was saved before the update.",
    .updateStoppedBody: "The app has stopped, and changes nothing more.",
    .damageTitle: "The app's data file is damaged",
    .damageBackedUpBody:
      "The app has stopped so that nothing gets worse. A backup exists.",
    .damageBody:
      "The app has stopped so that nothing gets worse. Please do not uninstall the app.",
    .missingTitle: "The app's data file is not where it was",
    .missingBackedUpBody: "The app has not begun a new one. A backup exists.",
    .missingBody: "The app has not begun a new one. Please do not uninstall the app.",
    .busyTitle: "The app's data is in use",
    .busyBody: "Another program is working with it. Nothing was changed.",
    .busyRequest: "Please close the other program, and try again.",
    .spaceTitle: "There is not enough space",
    .spaceBody: "The app has to update its data, and needs room for a backup first. Nothing was "
      + "changed.",
    .spaceRequest: "Please free some space, and try again.",
    .accessTitle: "The app cannot get at its data",
    .accessBody: "The system did not let it read or write the file. Nothing was deleted.",
    .stoppedTitle: "The app was stopped while it got its data ready",
    .stoppedBody: "Your data is as it was.",
    .stoppedRequest: "Please start the app again.",
    .supportRequest: "Please contact support and read out this code.",
    .tryAgainOption: "Try again",
    .restoreOption: "Go back to the backup of %@",
    .checkingStage: "Checking your data",
    .backingUpStage: "Making a backup",
    .migratingStage: "Updating your data",
    .verifyingStage: "Checking the result",
    .restoringStage: "Putting the backup back",
  ]
}
