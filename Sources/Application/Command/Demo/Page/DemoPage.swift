import DevelopmentIdentity
import Foundation
import GatewayConfiguration
import JOSE

/// The demo's page: the client side of sign-in, reauthentication, linking and sign-out, with each request and response
/// as transmitted.
///
/// `demo.html` with `demo.css`, `demo.js` and the settings inserted: one HTML document without external resources.
/// Script and style are permitted by their hashes in the policy. All displayed data is inserted as text.
enum DemoPage {
    private static let style = String(decoding: PackageResources.demo_css, as: UTF8.self)
    private static let script = String(decoding: PackageResources.demo_js, as: UTF8.self)

    /// Creates the page.
    ///
    /// - Parameters:
    ///   - providerURL: The origin of the demo's provider, for example `http://127.0.0.1:9902`. `nil` if it is that of
    ///     the page.
    ///   - mintPath: The path for minting tokens there.
    ///   - linksSignIn: Whether the gateway serves its own sign-in page.
    /// - Throws: `Refused` if libcrypto has no SHA-256.
    static func make(
        providerURL: String?, mintPath: String, linksSignIn: Bool
    ) throws(Refused) -> Configuration.DemoPage {
        let settings = settings(mintURL: (providerURL ?? "") + mintPath)
        return Configuration.DemoPage(
            html: Array(markup(settings: settings, linksSignIn: linksSignIn).utf8),
            policy: try policy(providerURL: providerURL))
    }

    /// Returns the HTML text. `settings` is JSON that is safe in an HTML element.
    static func markup(settings: String, linksSignIn: Bool = false) -> String {
        String(decoding: PackageResources.demo_html, as: UTF8.self)
            .replacing("{{style}}", with: style).replacing("{{script}}", with: script)
            .replacing("{{sign-in}}", with: linksSignIn ? signInLink : "").replacing("{{settings}}", with: settings)
    }

    private static let signInLink =
        #"<p class="note"><a href="/.gatehouse/">The gateway's own sign-in page</a> needs no code in the app.</p>"#

    // MARK: - Settings of a demo

    /// Returns the users and providers of the page, and the URL for minting tokens, as JSON that is safe in an HTML
    /// element.
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

    /// Returns JSON that cannot start or end a script element.
    static func escaped(_ json: String) -> String {
        json.replacing("&", with: "\\u0026").replacing("<", with: "\\u003C").replacing(">", with: "\\u003E")
    }

    // MARK: - Content security policy

    static func policy(providerURL: String?) throws(Refused) -> String {
        [
            "default-src 'none'",
            "style-src '\(try source(style))'",
            "script-src '\(try source(script))'",
            (["connect-src 'self'"] + (providerURL.map { [$0] } ?? [])).joined(separator: " "),
            "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
        ].joined(separator: "; ")
    }

    /// Returns a hash source of Content Security Policy Level 3: the hash of the exact content of the element.
    static func source(_ text: String) throws(Refused) -> String {
        guard let hash = SHA256Hasher()?.hash(Array(text.utf8)) else { throw Refused("libcrypto has no SHA-256") }
        return "sha256-" + Data(hash.bytes).base64EncodedString()
    }
}
