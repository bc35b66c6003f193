import TextCoding

/// The page after a sign-in at a provider that did not succeed. It says why and what to do.
package enum SignInMessage: Sendable, Equatable {
    /// The browser has no open flow for the response.
    case expired
    /// The user refused at the provider.
    case cancelled
    /// The provider or the store cannot serve the flow now.
    case unavailable
    /// The response, or a token in it, is not acceptable.
    case rejected
    /// Too many responses without an open flow.
    case limited
    /// The provider proves no address of the user.
    case unverified
    /// The configuration does not list the address.
    case notListed(address: String)

    /// The fields of the page.
    package static let fields: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        ),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
    ]

    /// Returns the document.
    ///
    /// - Parameter languages: The client's `Accept-Language`. `nil` if absent.
    package func render(languages: String?) -> [UInt8] {
        guard let language = ConsoleTexts.builtin.language(for: LanguagePreferences(languages)) else { return [] }
        let document: HTML = """
            <!doctype html>
            <html lang="\(language.tag)">
            <head>
            <meta charset="utf-8">
            <title>\(language["refused_title"]) · Gatehouse</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="stylesheet" href="assets/\(ConsoleFile.style.rawValue)">
            </head>
            <body>
            <header><p class="brand">Gatehouse</p></header>
            <main id="main">
            <h1>\(language["refused_title"])</h1>
            <p id="refusal" role="alert">\(text(in: language))</p>
            <p><a class="button primary" href="./">\(language["refused_back"])</a></p>
            </main>
            </body>
            </html>

            """
        return Array(document.text.utf8)
    }

    private func text(in language: ConsoleTexts.Language) -> String {
        guard case .notListed(let address) = self else { return language["refused:\(name)"] }
        return language["refused:\(name)"].replacing("{address}", with: address)
    }

    /// The name of the text.
    private var name: String {
        switch self {
        case .expired: "expired"
        case .cancelled: "cancelled"
        case .unavailable: "unavailable"
        case .rejected: "rejected"
        case .limited: "limited"
        case .unverified: "unverified"
        case .notListed: "not_listed"
        }
    }
}
