import CivilCalendar
import GatewayCore
import TextCoding

/// The sign-in page of a configuration. It renders one document for each request, without external resources and
/// without inline scripts and styles.
package struct SignInPage: Sendable {
    /// The address of the page.
    static let path = "/.gatehouse/"

    /// The fields of each response with the page. The policy permits only the page's own files and the gateway's own
    /// calls, not files and calls of services behind the gateway.
    package let fields: [(name: String, value: String)]
    /// The files that the page loads.
    package let assets: [PageAsset]
    private let title: String?
    private let texts: PageTexts
    private let providers: [String]
    private let style: PageAsset
    private let script: PageAsset
    private let logo: PageAsset?

    /// Creates the page.
    ///
    /// - Parameters:
    ///   - origin: The gateway's public origin.
    ///   - providers: The IDs of the providers with an authorization-code flow.
    ///   - style: The style sheet of the operator.
    ///   - logo: The image above the page. Content of another type than SVG and PNG is not shown.
    package init(
        origin: String, title: String?, providers: [String], texts: PageTexts, style: [UInt8] = [],
        logo: [UInt8]? = nil
    ) {
        let (files, calls) = ("\(origin)/.gatehouse/assets/", "\(origin)\(Self.path)")
        let policy =
            "default-src 'none'; script-src \(files); style-src \(files); img-src \(files); connect-src \(calls); "
            + "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        fields = [
            ("Content-Security-Policy", policy), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
        ]
        self.title = title
        self.providers = providers
        self.texts = texts
        self.style = PageAsset(
            name: "page.css", contentType: "text/css; charset=utf-8", body: PackageResources.page_css + style)
        script = PageAsset(
            name: "page.js", contentType: "text/javascript; charset=utf-8", body: PackageResources.page_js)
        self.logo = logo.flatMap { image in
            PageAsset.imageType(of: image).map { PageAsset(name: "logo", contentType: $0, body: image) }
        }
        assets = [self.style, script] + (self.logo.map { [$0] } ?? [])
    }

    /// The facts about one request that the page shows.
    package struct Content: Sendable {
        /// `Accept-Language`. `nil` if absent.
        var languages: String?
        /// The error with which a flow of this browser ended. It is shown as a text of the page's own.
        var error: String?
        /// The address of this page with its parameters, to which a sign-in returns.
        var address = SignInPage.path
        /// The permitted page to which the user continues. `nil` without one.
        var target: String?
        /// The signed-in user. `nil` if signed out.
        var account: Account?
        /// Whether the user must sign in again before continuing.
        var needsSignIn = false
    }

    /// A signed-in user.
    struct Account: Sendable {
        let uid: String
        let name: String?
        let email: String?
        /// The linked providers, in order.
        let providers: [String]
        /// The provider for a new sign-in. `nil` if no linked provider has a flow.
        let reauthenticatesAt: String?
        /// Whether the gateway created the account and can delete it.
        let isDeletable: Bool
        /// The sessions of the user, the latest use first.
        var sessions: [Session] = []
    }

    /// A session of a user.
    struct Session: Sendable {
        let id: String
        /// The provider that began it. `nil` for one of Firebase.
        let provider: String?
        let userAgent: String?
        let lastUsedAt: UnixTime
        let isCurrent: Bool
    }

    /// Returns the document.
    package func render(_ content: Content) -> [UInt8] {
        guard let language = texts.language(for: LanguagePreferences(content.languages)) else { return [] }
        let heading = content.account == nil ? language[.signIn] : language[.account]
        let body = content.account.map { account($0, content, language) } ?? signIn(content, language)
        let code = content.error.map { PageText(error: $0) }
        let error = code.map { language[$0] } ?? ""
        let document: HTML = """
            <!doctype html>
            <html lang="\(language.tag)" dir="\(language.direction)">
            <head>
            <meta charset="utf-8">
            <title>\(title.map { "\(heading) · \($0)" } ?? heading)</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="stylesheet" href="\(style.address)">
            \(icon)<script src="\(script.address)" defer></script>
            </head>
            <body>
            <main aria-busy="false">
            \(brand)<h1>\(heading)</h1>
            <p id="error" class="message" role="alert" data-code="\(code?.rawValue ?? "")">\(error)</p>
            <p id="status" class="message" role="status"></p>
            \(body)
            </main>
            <script id="texts" type="application/json">\(json: language.script)</script>
            </body>
            </html>

            """
        return Array(document.text.utf8)
    }

    private var icon: HTML {
        logo.map { "<link rel=\"icon\" href=\"\($0.address)\">\n" } ?? ""
    }

    private var brand: HTML {
        let image: HTML = logo.map { "<img class=\"logo\" src=\"\($0.address)\" alt=\"\">\n" } ?? ""
        let name: HTML = title.map { "<p class=\"title\">\($0)</p>\n" } ?? ""
        return "\(image)\(name)"
    }

    // MARK: - Signed out

    private func signIn(_ content: Content, _ language: PageLanguage) -> HTML {
        let items = providers.map { provider -> HTML in
            var address = Array("\(Self.path)sign-in/\(provider)?".utf8)
            FormEncoding.append("return_to", content.address.utf8, to: &address)
            let link = String(decoding: address, as: UTF8.self)
            return """
                <li><a class="button provider" href="\(link)">\(language.text(.signInWith, of: provider))</a></li>

                """
        }
        return "<ul>\n\(items)</ul>"
    }

    // MARK: - Signed in

    private func account(_ account: Account, _ content: Content, _ language: PageLanguage) -> HTML {
        """
        <noscript><p>\(language[.needsScript])</p></noscript>
        \(onward(account, content, language))<dl>
        \(fact(language[.name], account.name))\(fact(language[.email], account.email))\
        \(fact(language[.uid], account.uid))</dl>
        <div id="account" data-reauthenticate="\(account.reauthenticatesAt ?? "")">
        <section aria-labelledby="methods">
        <h2 id="methods">\(language[.methods])</h2>
        <ul>
        \(methods(account, language))</ul>
        </section>
        \(sessions(account, language))<section aria-labelledby="session">
        <h2 id="session">\(language[.session])</h2>
        <div class="buttons">
        \(button("sign-out", language[.signOut]))\
        \(button("everywhere", language[.everywhere], asking: language[.confirmEverywhere]))</div>
        </section>
        \(deletion(account, language))</div>
        <dialog id="confirm" aria-labelledby="confirm-title" aria-describedby="confirm-text">
        <h2 id="confirm-title"></h2>
        <p id="confirm-text"></p>
        <div class="buttons">
        <button type="button" id="confirm-no" class="button">\(language[.cancel])</button>
        <button type="button" id="confirm-yes" class="button danger"></button>
        </div>
        </dialog>
        """
    }

    private func onward(_ account: Account, _ content: Content, _ language: PageLanguage) -> HTML {
        if !content.needsSignIn {
            return content.target.map { "<p><a class=\"button\" href=\"\($0)\">\(language[.continue])</a></p>\n" } ?? ""
        }
        guard let provider = account.reauthenticatesAt else { return "<p>\(language[.signInAgain])</p>\n" }
        return """
            <p>\(language[.needsConfirmation])</p>
            \(button("confirm", language.text(.confirm, of: provider), of: provider))
            """
    }

    private func fact(_ name: String, _ value: String?) -> HTML {
        value.map { "<div><dt>\(name)</dt><dd><bdi>\($0)</bdi></dd></div>\n" } ?? ""
    }

    /// Returns the linked providers, then those that can be linked. The last link stays if the gateway created the
    /// account.
    private func methods(_ account: Account, _ language: PageLanguage) -> [HTML] {
        let linked = account.providers.map { provider -> HTML in
            let confirmation = language.text(.confirmUnlink, of: provider)
            let action = button("unlink", language.text(.unlink, of: provider), of: provider, asking: confirmation)
            return """
                <li class="method"><span>\(language.name(of: provider))</span>
                \(account.providers.count > 1 || !account.isDeletable ? action : "")</li>

                """
        }
        let others = providers.filter { !account.providers.contains($0) }.map { provider -> HTML in
            "<li>\(button("link", language.text(.link, of: provider), of: provider))</li>\n"
        }
        return linked + others
    }

    /// Returns the list of the user's sessions. The script writes the times in the user's language.
    private func sessions(_ account: Account, _ language: PageLanguage) -> HTML {
        guard !account.sessions.isEmpty else { return "" }
        let items = account.sessions.map { session -> HTML in
            let device = DeviceName.text(of: session.userAgent) ?? language[.unknownDevice]
            let provider = session.provider.map { language.name(of: $0) } ?? "Firebase"
            let (machine, person) = Self.moment(session.lastUsedAt)
            let note: HTML =
                session.isCurrent
                ? "\(language[.thisSession])"
                : "\(language[.lastUsed]) <time datetime=\"\(machine)\">\(person)</time>"
            let action = button(
                "end", "\(language[.endSession]): \(device)", session: session.id, asking: language[.confirmEnd])
            return """
                <li class="method"><span>\(device)<br><small>\(provider) · \(note)</small></span>
                \(session.isCurrent ? "" : action)</li>

                """
        }
        return """
            <section aria-labelledby="sessions">
            <h2 id="sessions">\(language[.sessions])</h2>
            <ul>
            \(items)</ul>
            </section>

            """
    }

    /// Returns a time for `datetime`, and for readers without the script.
    private static func moment(_ time: UnixTime) -> (machine: String, person: String) {
        let text = RFC3339.text(time.seconds)
        return (text, text.replacing("T", with: " ").replacing("Z", with: " UTC"))
    }

    private func deletion(_ account: Account, _ language: PageLanguage) -> HTML {
        guard account.isDeletable else { return "" }
        return """
            <section aria-labelledby="deletion">
            <h2 id="deletion">\(language[.deletion])</h2>
            \(button("delete", language[.delete], asking: language[.confirmDelete], isDangerous: true))</section>

            """
    }

    /// Returns the button of a call. The script shows it. `confirmation` is what the user confirms first.
    private func button(
        _ call: String, _ text: String, of provider: String? = nil, session: String? = nil,
        asking confirmation: String? = nil, isDangerous: Bool = false
    ) -> HTML {
        let style = isDangerous ? "button danger" : "button"
        let provider: HTML = provider.map { " data-provider=\"\($0)\"" } ?? ""
        let session: HTML = session.map { " data-session=\"\($0)\"" } ?? ""
        let confirmation: HTML = confirmation.map { " data-confirm=\"\($0)\"" } ?? ""
        return """
            <button type="button" class="\(style)" data-call="\(call)"\(provider)\(session)\(confirmation) hidden>\(text)</button>

            """
    }
}
