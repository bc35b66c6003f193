import JOSE
import TextCoding

/// The texts of the console: English, the default, and German, from one file.
struct ConsoleTexts: Sendable {
    /// The texts in one language.
    struct Language: Sendable {
        /// The tag, as in the `lang` attribute.
        let tag: String
        /// The texts by key.
        let texts: [String: String]
        /// The texts as a JSON object, for the scripts.
        let json: [UInt8]

        subscript(_ key: String) -> String { texts[key] ?? "" }
    }

    /// The languages. The first is the default.
    let languages: [Language]

    /// The texts of the file.
    static let builtin = ConsoleTexts(PackageResources.texts_json)

    init(_ bytes: [UInt8]) {
        let limits = JSONLimits(size: 131_072, depth: 3, members: 2_048)
        guard let document = try? JSONDocument(bytes, limits: limits) else {
            languages = []
            return
        }
        languages = document.root.members.map { tag, members in
            var texts: [String: String] = [:]
            for (key, text) in members.members { texts[key] = text.string }
            var json: [UInt8] = []
            members.appendCompact(to: &json)
            return Language(tag: tag, texts: texts, json: json)
        }
    }

    /// Returns the language for a client. `nil` only without any language.
    func language(for preferences: LanguagePreferences) -> Language? {
        let index = preferences.choice(among: languages.map(\.tag)) ?? 0
        return languages.indices.contains(index) ? languages[index] : nil
    }
}
