import DevelopmentIdentity
import Foundation
import GatewayConfiguration
import JOSE

/// The demo's page: an app's side of signing in, proving it again, linking and signing out, with each request as it is on the wire.
///
/// `demo.html` with `demo.css`, `demo.js` and the settings filled in: one HTML text that loads nothing else. Its script and style run
/// because the policy names their hashes; all that they show goes into the page as text.
enum DemoPage {
    private static let style = String(decoding: PackageResources.demo_css, as: UTF8.self)
    private static let script = String(decoding: PackageResources.demo_js, as: UTF8.self)

    /// The page for a demo whose provider listens at `providerURL`, such as `http://127.0.0.1:9902`.
    ///
    /// - Throws: `Refused` where libcrypto has no SHA-256.
    static func make(providerURL: String) throws(Refused) -> Configuration.DemoPage {
        let settings = settings(mintURL: providerURL + DevelopmentProvider.Endpoint.mint.rawValue)
        return Configuration.DemoPage(
            html: Array(markup(settings: settings).utf8),
            policy: try policy(providerURL: providerURL))
    }

    /// The HTML text.
    ///
    /// - Parameter settings: JSON that may stand in an element of HTML.
    static func markup(settings: String) -> String {
        String(decoding: PackageResources.demo_html, as: UTF8.self)
            .replacing("{{style}}", with: style).replacing("{{script}}", with: script)
            .replacing("{{settings}}", with: settings)
    }

    // MARK: - What differs from demo to demo

    /// The people and providers of the page, and where tokens are minted, as JSON that may stand in an element of HTML.
    static func settings(mintURL: String) -> String {
        let providers = [("apple.com", "Apple"), ("google.com", "Google"), ("github.com", "GitHub")]
        let settings: JSON = [
            "mint": .string(mintURL),
            "people": [
                person(.ada, "Ada", "Lovelace", "ada@example.com"),
                person(.grace, "Grace", "Hopper", "whose address Google has not verified"),
                person(.alan, "Alan", "Turing", "who hides his address behind Apple's relay"),
            ],
            "providers": .array(providers.map { ["id": .string($0), "label": .string($1)] }),
        ]
        return escaped(settings.text)
    }

    private static func person(_ user: DevelopmentUser, _ first: String, _ last: String, _ note: String) -> JSON {
        [
            "id": .string(user.uid), "label": .string("\(first), \(note)"),
            "name": ["firstName": .string(first), "lastName": .string(last)],
        ]
    }

    /// JSON in which nothing ends a script element or begins one, whatever its strings hold.
    static func escaped(_ json: String) -> String {
        json.replacing("&", with: "\\u0026").replacing("<", with: "\\u003C").replacing(">", with: "\\u003E")
    }

    // MARK: - What the browser lets the page do

    static func policy(providerURL: String) throws(Refused) -> String {
        [
            "default-src 'none'",
            "style-src '\(try source(style))'",
            "script-src '\(try source(script))'",
            "connect-src 'self' \(providerURL)",
            "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
        ].joined(separator: "; ")
    }

    /// A text as a source of Content Security Policy Level 3: the hash of exactly what stands between the tags.
    static func source(_ text: String) throws(Refused) -> String {
        guard let hash = SHA256Hasher()?.hash(Array(text.utf8)) else { throw Refused("libcrypto has no SHA-256") }
        return "sha256-" + Data(hash.bytes).base64EncodedString()
    }
}
