// SPDX-License-Identifier: Apache-2.0
// All that the users of an app read of this library, as one table that the app can translate.

/// The texts that users of an app read, by key; what is not translated is in English.
///
/// In a text, `%@` stands for the time of a backup.
public struct UserTexts: Hashable, Sendable {
  /// What a text is for.
  public enum Key: String, Hashable, Sendable, CaseIterable {
    // A newer version of the app has been here.
    case newerTitle, newerBody, newerRequest
    // An update of the data that failed.
    case updateTitle, updateRestoredBody, updateUnchangedBody, updateLossBody, updateLeftBody
    case updateSavedBody, updateStoppedBody
    // Damage.
    case damageTitle, damageBackedUpBody, damageBody
    // A database that is gone.
    case missingTitle, missingBackedUpBody, missingBody
    // What stood in the way of looking.
    case busyTitle, busyBody, busyRequest, spaceTitle, spaceBody, spaceRequest
    case accessTitle, accessBody, stoppedTitle, stoppedBody, stoppedRequest
    // Everywhere.
    case supportRequest
    // What can be chosen.
    case tryAgainOption, restoreOption
    // What is going on.
    case checkingStage, backingUpStage, migratingStage, verifyingStage, restoringStage
  }

  private let translations: [Key: String]

  /// Makes a table of translations.
  public init(_ translations: [Key: String] = [:]) {
    self.translations = translations
  }

  /// The text of a key.
  public subscript(key: Key) -> String { translations[key] ?? Self.english[key] ?? key.rawValue }

  /// The English texts.
  public static let english: [Key: String] = [
    .newerTitle: "This data was saved by a newer version of the app",
    .newerBody: "Nothing is wrong with it. This version cannot open it without harm.",
    .newerRequest: "Please install the newest version of the app.",
    .updateTitle: "The app could not update its data",
    .updateRestoredBody: "Your data is as it was before the update.",
    .updateUnchangedBody: "The update has changed nothing. Your data is as it was.",
    .updateLossBody:
      "The update has removed some of your data. All of it was saved before.",
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
