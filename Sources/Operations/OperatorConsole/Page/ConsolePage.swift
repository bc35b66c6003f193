import TextCoding

/// The page of the console. Apart from the provider of the sign-in, it has no data of the gateway, and it is the same
/// for every client: its scripts sign in and read the admin API.
package enum ConsolePage {
    /// The fields of the page. Scripts and styles come from the listener only, requests go to it only, and no script
    /// can make markup of text (`trusted-types`).
    package static let fields: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; "
                + "frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
    ]

    /// The fields of the other files.
    package static let fileFields: [(name: String, value: String)] = [
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Referrer-Policy", "no-referrer"),
    ]

    /// Returns the document.
    ///
    /// - Parameters:
    ///   - languages: The client's `Accept-Language`. `nil` if absent.
    ///   - provider: The ID of the provider at which operators sign in. `nil` if they only have tokens.
    package static func render(languages: String?, provider: String? = nil) -> [UInt8] {
        guard let language = ConsoleTexts.builtin.language(for: LanguagePreferences(languages)) else { return [] }
        let document: HTML = """
            <!doctype html>
            <html lang="\(language.tag)">
            <head>
            <meta charset="utf-8">
            <title>Gatehouse</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="stylesheet" href="assets/\(ConsoleFile.style.rawValue)">
            <script type="module" src="assets/\(ConsoleFile.script.rawValue)"></script>
            </head>
            <body>
            <a class="skip" href="#main">\(language["skip"])</a>
            <header>
            <p class="brand">Gatehouse</p>
            <nav id="pages" aria-label="\(language["pages"])" hidden></nav>
            <div id="operator" hidden></div>
            </header>
            <main id="main" tabindex="-1" aria-busy="true">
            <h1 id="title">\(language["console"])</h1>
            <p id="error" class="message" role="alert"></p>
            <p id="status" class="message" role="status"></p>
            <div id="view" data-provider="\(provider ?? "")"></div>
            <noscript><p>\(language["needs_script"])</p></noscript>
            </main>
            <dialog id="confirm" aria-labelledby="confirm-title" aria-describedby="confirm-text">
            <h2 id="confirm-title"></h2>
            <p id="confirm-text"></p>
            <div class="buttons">
            <button type="button" id="confirm-no" class="button">\(language["cancel"])</button>
            <button type="button" id="confirm-yes" class="button danger"></button>
            </div>
            </dialog>
            <script id="texts" type="application/json">\(json: language.json)</script>
            </body>
            </html>

            """
        return Array(document.text.utf8)
    }
}
