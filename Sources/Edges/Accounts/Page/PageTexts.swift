package import GatewayConfiguration
package import GatewayCore
import JOSE
import TextCoding

/// The texts of the sign-in page. The raw values are the keys of translation files, and of errors of flows and calls.
enum PageText: String, CaseIterable {
    case signIn = "sign_in"
    case signInWith = "sign_in_with"
    case account
    case name
    case email
    case uid
    case `continue`
    case methods
    case link
    case unlink
    case sessions
    case thisSession = "this_session"
    case lastUsed = "last_used"
    case unknownDevice = "unknown_device"
    case endSession = "end_session"
    case session
    case signOut = "sign_out"
    case everywhere
    case deletion
    case delete
    case cancel
    case needsConfirmation = "needs_confirmation"
    case confirm
    case confirmUnlink = "confirm_unlink"
    case confirmEverywhere = "confirm_everywhere"
    case confirmDelete = "confirm_delete"
    case confirmEnd = "confirm_end"
    case confirmConsent = "confirm_consent"
    case needsScript = "needs_script"
    case working
    case linked
    case unlinked
    case signedOut = "signed_out"
    case sessionEnded = "session_ended"
    case deleted
    case signedInAgain = "signed_in_again"
    case failed
    case cancelled
    case loginRequired = "login_required"
    case providerUnavailable = "provider_unavailable"
    case sessionChanged = "session_changed"
    case accountExists = "auth/account-exists-with-different-credential"
    case consentRequired = "auth/consent-required"
    case credentialInUse = "auth/credential-already-in-use"
    case emailInUse = "auth/email-already-in-use"
    case firebaseUserMismatch = "auth/firebase-user-mismatch"
    case notAllowed = "auth/operation-not-allowed"
    case providerLinked = "auth/provider-already-linked"
    case signInAgain = "auth/requires-recent-login"
    case unverifiedEmail = "auth/unverified-email"
    case userDisabled = "auth/user-disabled"
    case userMismatch = "auth/user-mismatch"
    case rateLimited = "request/rate-limited"

    /// Creates the text of an error. Every unknown error has the same text.
    init(error word: String) {
        let text = PageText(rawValue: word) ?? .failed
        self = text.isError ? text : .failed
    }

    /// Whether it is the text of an error, which an address may name.
    var isError: Bool {
        switch self {
        case .failed, .cancelled, .loginRequired, .providerUnavailable, .sessionChanged, .accountExists,
            .consentRequired, .credentialInUse, .emailInUse, .firebaseUserMismatch, .notAllowed, .providerLinked,
            .signInAgain, .unverifiedEmail, .userDisabled, .userMismatch, .rateLimited:
            true
        default: false
        }
    }

    /// Whether the script of the page shows it.
    var isForScript: Bool {
        switch self {
        case .working, .linked, .unlinked, .signedOut, .sessionEnded, .deleted, .signedInAgain, .confirmConsent: true
        default: isError
        }
    }

    /// The place of a provider's name in a text.
    static let placeholder = "{provider}"
}

/// The texts of the sign-in page in one language.
struct PageLanguage: Sendable {
    /// The tag, as in the `lang` attribute.
    let tag: String
    /// The texts by key, and the names of providers by their IDs.
    fileprivate var texts: [String: String]

    /// The languages whose scripts run from right to left.
    private static let rightToLeft = ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]

    /// The value of the `dir` attribute.
    var direction: String {
        let primary = tag.lowercased().split(separator: "-").first.map(String.init) ?? ""
        return Self.rightToLeft.contains(primary) ? "rtl" : "ltr"
    }

    subscript(_ text: PageText) -> String { texts[text.rawValue] ?? "" }

    /// Returns a text with the name of a provider.
    func text(_ text: PageText, of provider: String) -> String {
        self[text].replacing(PageText.placeholder, with: name(of: provider))
    }

    /// Returns the name of a provider: that of the translations, the usual one, or a part of its ID.
    func name(of provider: String) -> String {
        if let name = texts[provider] ?? Self.names[provider] { return name }
        let prefix = ["oidc.", "oauth."].first { provider.hasPrefix($0) } ?? ""
        return String(provider.dropFirst(prefix.count))
    }

    private static let names = [
        "apple.com": "Apple", "facebook.com": "Facebook", "github.com": "GitHub", "google.com": "Google",
        "linkedin.com": "LinkedIn", "microsoft.com": "Microsoft", "yahoo.com": "Yahoo",
    ]

    /// The texts for the script, as a JSON object.
    var script: [UInt8] {
        ObjectText.object { object in
            for text in PageText.allCases where text.isForScript { object.add(text.rawValue, self[text]) }
        }
    }
}

/// The languages of the sign-in page: English, German, and those of the operator.
package struct PageTexts: Sendable {
    /// The languages. English is the first, and the default.
    private(set) var languages: [PageLanguage]

    /// The languages that the gateway has itself.
    static let builtin = PageTexts(builtin: PackageResources.texts_json)

    private init(builtin bytes: [UInt8]) {
        let limits = JSONLimits(size: 65_536, depth: 3, members: 1_024)
        languages = []
        guard let document = try? JSONDocument(bytes, limits: limits) else { return }
        for (tag, members) in document.root.members {
            var texts: [String: String] = [:]
            for (key, text) in members.members { texts[key] = text.string }
            languages.append(PageLanguage(tag: tag, texts: texts))
        }
    }

    /// Creates the texts with those of a translations file, which has precedence. A text that a new language does not
    /// have is English.
    ///
    /// - Throws: The errors of keys that the page does not have. A key with a dot is the ID of a provider.
    package init(_ translations: PageTranslations?) throws(ConfigurationErrors) {
        self = .builtin
        var errors: [ConfigurationError] = []
        for (tag, entries) in translations?.languages ?? [] {
            for entry in entries where PageText(rawValue: entry.key) == nil && !entry.key.contains(".") {
                errors.append(
                    ConfigurationError(
                        location: entry.location, what: "the sign-in page has no text \(Quoted(entry.key))",
                        remedy: "see the keys in docs/reference/configuration/accounts.md"))
            }
            let texts = Dictionary(entries.map { ($0.key, $0.text) }, uniquingKeysWith: { first, _ in first })
            if let index = languages.firstIndex(where: { $0.tag.lowercased() == tag.lowercased() }) {
                languages[index].texts.merge(texts) { _, new in new }
            } else {
                let base = languages.first?.texts ?? [:]
                languages.append(PageLanguage(tag: tag, texts: base.merging(texts) { _, new in new }))
            }
        }
        guard errors.isEmpty else { throw ConfigurationErrors(errors) }
    }

    /// Returns the language for a client. `nil` only without any language.
    func language(for preferences: LanguagePreferences) -> PageLanguage? {
        let index = preferences.choice(among: languages.map { $0.tag.lowercased() }) ?? 0
        return languages.indices.contains(index) ? languages[index] : nil
    }
}
