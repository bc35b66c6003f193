import JOSE
import Testing

@testable import OperatorConsole

/// The page of the console, its files and its texts.
@Suite struct ConsolePageTests {
    private static let scripts = ConsoleFile.allCases.filter { $0 != .style }

    private func source(_ file: ConsoleFile) -> String { String(decoding: file.body, as: UTF8.self) }

    @Test func `the page has no inline code, no style and no address of another host`() throws {
        let html = String(decoding: ConsolePage.render(languages: nil), as: UTF8.self)
        #expect(html.hasPrefix("<!doctype html>\n<html lang=\"en\">"))
        for part in ["style=", "onclick", "onload", "javascript:", "<style", "://", "=\"/"] {
            #expect(!html.contains(part), "\(part)")
        }
        let scripts = html.matches(of: /<script([^>]*)>/).map { String($0.1) }
        #expect(scripts == [" type=\"module\" src=\"assets/console.js\"", " id=\"texts\" type=\"application/json\""])
    }

    @Test func `the policy permits only the listener, and no markup of text`() throws {
        let policy = try #require(ConsolePage.fields.first { $0.name == "Content-Security-Policy" }).value
        let directives = Set(policy.split(separator: ";").map { String($0.drop { $0 == " " }) })
        #expect(
            directives == [
                "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
                "form-action 'none'", "frame-ancestors 'none'", "base-uri 'none'",
                "require-trusted-types-for 'script'", "trusted-types 'none'",
            ])
        #expect(ConsolePage.fileFields.contains { $0.value.hasSuffix("sandbox") })
    }

    @Test(arguments: ConsoleFile.allCases)
    func `a file makes no markup of text and loads nothing else`(file: ConsoleFile) {
        let source = source(file).replacing("http://www.w3.org/2000/svg", with: "")
        #expect(!source.isEmpty)
        for part in [
            "innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "DOMParser", "://",
            "setAttribute(\"style", ".style", "localStorage", "sessionStorage", "document.cookie", "@import", "url(",
        ] {
            #expect(!source.contains(part), "\(file.rawValue): \(part)")
        }
        for imported in source.matches(of: /from "([^"]*)"/).map({ String($0.1) }) {
            let name = String(imported.dropFirst(2))
            #expect(ConsoleFile(rawValue: name) != nil && imported == "./\(name)", "\(imported)")
        }
    }

    @Test func `the page is in the client's language`() {
        let german = String(decoding: ConsolePage.render(languages: "de-AT, en;q=0.5"), as: UTF8.self)
        #expect(german.contains("<html lang=\"de\">") && german.contains(">Zum Inhalt springen</a>"))
        let attack = String(decoding: ConsolePage.render(languages: "\"><script>"), as: UTF8.self)
        #expect(attack == String(decoding: ConsolePage.render(languages: nil), as: UTF8.self))
    }

    @Test func `the page offers the sign-in at a provider, as escaped text`() {
        let html = String(decoding: ConsolePage.render(languages: nil, provider: "oidc.\"><b>"), as: UTF8.self)
        #expect(html.contains("data-provider=\"oidc.&quot;&gt;&lt;b&gt;\""), "\(html)")
        let plain = String(decoding: ConsolePage.render(languages: nil), as: UTF8.self)
        #expect(plain.contains("data-provider=\"\""))
    }

    @Test(arguments: [
        SignInMessage.expired, .cancelled, .unavailable, .rejected, .limited, .unverified, .notListed(address: "a@b"),
    ])
    func `each message is a page with a way back, in each language`(message: SignInMessage) {
        for languages in [nil, "de"] {
            let html = String(decoding: message.render(languages: languages), as: UTF8.self)
            #expect(html.hasPrefix("<!doctype html>") && html.contains("href=\"./\">"))
            let text = html.firstMatch(of: /<p id="refusal" role="alert">([^<]+)<\/p>/)
            #expect(text != nil && !html.contains("<script") && !html.contains("{"), "\(html)")
        }
    }

    @Test func `O-22: the address of a message is escaped`() {
        let message = SignInMessage.notListed(address: "<img/src=x>@{address}.example")
        let html = String(decoding: message.render(languages: nil), as: UTF8.self)
        #expect(html.contains("&lt;img/src=x&gt;@{address}.example may not use this console."), "\(html)")
        #expect(html.contains("admin.console.sign_in") && !html.contains("<img"))
    }

    @Test func `each language has the same texts with the same parameters`() throws {
        let languages = ConsoleTexts.builtin.languages
        #expect(languages.map(\.tag) == ["en", "de"])
        let english = try #require(languages.first)
        for language in languages {
            #expect(Set(language.texts.keys) == Set(english.texts.keys))
            for (key, text) in language.texts {
                let parameters = Set(text.matches(of: /\{\w+\}/).map { String($0.0) })
                let expected = Set((english[key]).matches(of: /\{\w+\}/).map { String($0.0) })
                #expect(!text.isEmpty && parameters == expected, "\(language.tag): \(key)")
            }
        }
    }

    @Test func `the scripts and the page use texts that exist, and every text is used`() throws {
        let texts = try #require(ConsoleTexts.builtin.languages.first).texts
        var used: Set<String> = [
            "console", "pages", "skip", "needs_script", "cancel", "refused_title", "refused_back",
        ]
        // Keys with a variable part, such as `user:revoke`.
        var prefixes: Set<String> = ["error:", "refused:"]
        for script in Self.scripts {
            let source = source(script)
            let words = source.matches(of: /"([a-z0-9_]+(:[a-z0-9_\/-]+)?)"/).map { String($0.1) }
            used.formUnion(words.filter { texts[$0] != nil })
            for key in source.matches(of: /(?:text|message)\("([^"]+)"/).map({ String($0.1) }) {
                #expect(texts[key] != nil, "\(script.rawValue): \(key)")
            }
            for prefix in source.matches(of: /(?:text|message)\(`([a-z_]+:)\$/).map({ String($0.1) }) {
                prefixes.insert(prefix)
                #expect(texts.keys.contains { $0.hasPrefix(prefix) }, "\(script.rawValue): \(prefix)")
            }
        }
        for key in texts.keys where !used.contains(key) {
            #expect(prefixes.contains { key.hasPrefix($0) }, "unused: \(key)")
        }
    }
}
