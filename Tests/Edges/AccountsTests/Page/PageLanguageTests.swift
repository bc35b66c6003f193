import GatewayConfiguration
import GatewayCore
import JOSE
import Testing
import TextCoding

@testable import Accounts

/// The languages of the sign-in page: the client's choice, the built-in texts, and the operator's.
@Suite struct PageLanguageTests {
    @Test(arguments: [
        ("de-AT-1996", "de"), ("fr, de;q=0.5", "de"), ("fr", "en"), ("*, de", "en"), ("pt-br", "pt-BR"), ("pt", "en"),
        ("de-a-x", "de"), ("deu", "en"), ("en, de", "en"),
    ])
    func `the language is found by lookup, and English is the default`(field: String, tag: String) throws {
        let texts = try PageTexts(translations("pt-BR: { sign_in: Entrar }"))
        #expect(texts.language(for: LanguagePreferences(field))?.tag == tag)
    }

    // MARK: - Texts

    private func translations(_ text: String) throws -> PageTranslations {
        try PageTranslations(Array(text.utf8), file: "texts.yaml")
    }

    @Test func `each built-in language has every text, with the same places of the provider`() throws {
        #expect(PageTexts.builtin.languages.map(\.tag) == ["en", "de"])
        let english = try #require(PageTexts.builtin.languages.first)
        for language in PageTexts.builtin.languages {
            for text in PageText.allCases {
                #expect(!language[text].isEmpty, "\(language.tag): \(text.rawValue)")
                let hasPlace = language[text].contains(PageText.placeholder)
                #expect(hasPlace == english[text].contains(PageText.placeholder), "\(language.tag): \(text.rawValue)")
            }
        }
        let limits = JSONLimits(size: 65_536, depth: 3, members: 1_024)
        let root = try JSONDocument(PackageResources.texts_json, limits: limits).root
        for (tag, texts) in root.members {
            #expect(Set(texts.members.map(\.name)) == Set(PageText.allCases.map(\.rawValue)), "\(tag)")
        }
    }

    @Test func `translations replace texts, add languages and name providers`() throws {
        let texts = try PageTexts(
            translations(
                """
                {"DE": {"sign_in": "Los", "oidc.corp": "Firma"}, "ar": {"sign_in": "تسجيل"}}
                """))
        let german = try #require(texts.language(for: LanguagePreferences("de")))
        #expect(german[.signIn] == "Los" && german[.account] == "Ihr Konto" && german.direction == "ltr")
        #expect(german.name(of: "oidc.corp") == "Firma")
        #expect(german.text(.signInWith, of: "oidc.corp") == "Mit Firma anmelden")
        let arabic = try #require(texts.language(for: LanguagePreferences("ar")))
        #expect(arabic[.signIn] == "تسجيل" && arabic[.account] == "Your account" && arabic.direction == "rtl")
        #expect(arabic.name(of: "oidc.corp") == "corp" && arabic.name(of: "github.com") == "GitHub")
    }

    @Test(arguments: [
        ("fr: { sign_on: a }", "texts.yaml:1:7: the sign-in page has no text 'sign_on'"),
        ("[]", "texts.yaml:1:1: the file: not a mapping"), ("", "texts.yaml:1:1: the file: not a mapping"),
        ("fr: a", "texts.yaml:1:5: the texts of fr: not a mapping"),
        ("fr: { sign_in: [a] }", "texts.yaml:1:7: 'sign_in' is not a text of 1 to 1000 bytes"),
        ("fr: { sign_in: '' }", "texts.yaml:1:7: 'sign_in' is not a text of 1 to 1000 bytes"),
        (#"fr: { sign_in: "a\nb" }"#, "texts.yaml:1:7: 'sign_in' is not a text of 1 to 1000 bytes"),
        ("'fr\"><script>': { sign_in: a }", "texts.yaml:1:1: 'fr\"><script>' is not a language tag"),
        ("'-': { sign_in: a }", "texts.yaml:1:1: '-' is not a language tag"),
        ("fr: { sign_in: a, sign_in: b }", "texts.yaml:1:19: duplicate key 'sign_in'"),
        ("fr: { sign_in: *a }", "texts.yaml:1:16: "),
    ])
    func `an error in the translations has its location`(text: String, expected: String) {
        do throws(ConfigurationErrors) {
            _ = try PageTexts(try PageTranslations(Array(text.utf8), file: "texts.yaml"))
            Issue.record("no error for \(text)")
        } catch {
            #expect(error.description.contains(expected), "\(error.description)")
        }
    }

    @Test func `the number of languages and the size of a text have bounds`() throws {
        func languages(_ count: Int) -> String {
            let letters = Array("abcdefghij")
            let tags = (0..<count).map { "\(letters[$0 / 10])\(letters[$0 % 10])x" }
            return tags.map { "\($0): { sign_in: a }\n" }.joined()
        }
        #expect(try translations(languages(64)).languages.count == 64)
        #expect(throws: ConfigurationErrors.self) { try translations(languages(65)) }
        let long = String(repeating: "a", count: 1_000)
        #expect(try translations("fr: { sign_in: \(long) }").languages.count == 1)
        #expect(throws: ConfigurationErrors.self) { try translations("fr: { sign_in: \(long)a }") }
    }
}
