package import GatewayCore

extension Configuration.Accounts {
    /// The sign-in page (`accounts.pages: true`), with the settings of `accounts.page`.
    package struct Page: Sendable, Hashable {
        /// A file that the page shows. The reader of the file checks its content.
        package struct File: Sendable, Hashable {
            /// The file's path.
            package var path: String
            /// The location of the setting.
            package var location: SourceLocation

            /// Creates a reference to a file.
            package init(path: String, location: SourceLocation) {
                self.path = path
                self.location = location
            }
        }

        /// The name of the application above the page (`title`), at most 256 bytes. Default: none.
        package var title: String?
        /// The style sheet after the page's own (`css`). Default: none.
        package var style: File?
        /// The image above the page (`logo`), SVG or PNG. Default: none.
        package var logo: File?
        /// The texts in further languages, or in place of the page's own (`translations`). Default: none.
        package var translations: File?

        /// Creates the defaults.
        package init() {}
    }
}

extension Configuration.Accounts.Page {
    /// Reads `pages` and `page`. `nil` if the page is not served.
    static func read(_ mapping: MappingReader) -> Self? {
        var isServed = false
        mapping.set(&isServed, "pages") { $0.boolean() }
        let page = mapping.value("page")?.mapping(.accountsPage).map { Self($0) }
        guard isServed else {
            if mapping.value("page") != nil {
                mapping.fail(
                    "page", "accounts.page has no effect without pages: true", "add pages: true, or remove it")
            }
            return nil
        }
        return page ?? Self()
    }

    private init(_ section: MappingReader) {
        self.init()
        section.set(&title, "title") { $0.string(atMost: 256) }
        section.set(&style, "css") { $0.pageFile() }
        section.set(&logo, "logo") { $0.pageFile() }
        section.set(&translations, "translations") { $0.pageFile() }
    }
}

extension ConfigurationValue {
    fileprivate func pageFile() -> Configuration.Accounts.Page.File? {
        path().map { Configuration.Accounts.Page.File(path: $0, location: location) }
    }
}

extension Configuration.Accounts {
    /// Reports a sign-in page without a provider to sign in with.
    func checkPage(_ mapping: MappingReader, _ others: Configuration) {
        if publicURL == nil {
            mapping.fail(
                "pages", "accounts.pages needs public_url, which the sign-ins of the page return to",
                "add public_url: https://HOST, the origin at which browsers reach the gateway")
        } else if !others.identity.providers.contains(where: { $0.codeFlow != nil }) {
            mapping.fail(
                "pages", "accounts.pages needs a provider with a client credential, and identity.providers has none",
                "add client_id and client_secret to a provider, or remove pages")
        }
    }
}
