package import GatewayCore

extension Configuration {
    /// A URL at which an app receives the end of a sign-in flow (`accounts.apps`; RFC 8252 section 7).
    package struct AppURL: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            /// A scheme of the app, in the form of a reversed domain name (section 7.1).
            case privateScheme
            /// An `https` URL that the operating system passes to the app, because the app proved its domain (section
            /// 7.2).
            case claimedLink
            /// A port of the device, on which the app listens during one flow (section 7.3).
            case loopback
        }

        /// The maximum size, in bytes.
        static let maximumSize = 512
        private static let loopbackOrigins = ["http://127.0.0.1", "http://[::1]"]

        /// The exact URL. That of a loopback URL has no port.
        package let text: String
        package let kind: Kind

        /// Parses the URL of a configuration.
        package init(parsing text: String) throws(HTTPURL.Failure) {
            self.text = text
            guard let colon = text.firstIndex(of: ":") else {
                throw HTTPURL.Failure(
                    what: "no URL", remedy: "write com.example.app:/PATH, https://HOST/PATH or http://127.0.0.1/PATH")
            }
            switch text[..<colon].lowercased() {
            case "https":
                kind = .claimedLink
                try Self.checkLink(text)
            case "http":
                kind = .loopback
                try Self.checkLoopback(text)
            case let scheme:
                kind = .privateScheme
                try Self.checkScheme(scheme, spelling: text[..<colon])
                try Self.checkPath(text[colon...].dropFirst())
            }
        }

        /// Returns whether a URL is this one. A loopback URL may have any port.
        package func matches(_ url: String) -> Bool {
            if url.utf8.elementsEqual(text.utf8) { return true }
            guard kind == .loopback, let origin = Self.loopbackOrigins.first(where: { text.hasPrefix($0 + "/") }),
                url.utf8.starts(with: (origin + ":").utf8)
            else { return false }
            let rest = url.utf8.dropFirst(origin.utf8.count + 1)
            let port = rest.prefix { (0x30...0x39).contains($0) }
            guard let number = WholeNumber.parse(String(decoding: port, as: UTF8.self)), (1...65_535).contains(number)
            else { return false }
            return rest.dropFirst(port.count).elementsEqual(text.utf8.dropFirst(origin.utf8.count))
        }
    }
}

extension Configuration.AppURL {
    private static func checkLink(_ text: String) throws(HTTPURL.Failure) {
        let target = try HTTPURL(parsing: text).target
        let origin = try BrowserOrigin.spelling(of: text)
        guard text.utf8.elementsEqual((origin + target).utf8) else {
            throw HTTPURL.Failure(what: "a URL that browsers write differently", remedy: "write \(origin)\(target)")
        }
        try checkPath(target[...])
        guard !target.lowercased().hasPrefix("/.gatehouse") else {
            throw HTTPURL.Failure(what: "a path of the gateway", remedy: "write a path of the app")
        }
    }

    private static func checkLoopback(_ text: String) throws(HTTPURL.Failure) {
        guard let origin = loopbackOrigins.first(where: { text.hasPrefix($0) }) else {
            throw HTTPURL.Failure(
                what: "an http:// URL of another host than 127.0.0.1 and [::1]",
                remedy: "use https://, or http://127.0.0.1/PATH for an app that listens on its device")
        }
        let path = text.dropFirst(origin.count)
        guard path.first != ":" else {
            throw HTTPURL.Failure(what: "a loopback URL with a port", remedy: "remove the port; apps may use any")
        }
        try checkPath(path)
    }

    private static func checkScheme(_ scheme: String, spelling: Substring) throws(HTTPURL.Failure) {
        let labels = scheme.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy { byte in
                    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "+-".utf8.contains(byte)
                }
        }
        guard isName, labels.count > 1, let first = scheme.utf8.first, (0x61...0x7A).contains(first) else {
            throw HTTPURL.Failure(
                what: "a URL whose scheme is no reversed domain name",
                remedy: "use a scheme with a dot, as in com.example.app:/PATH (RFC 8252 section 7.1)")
        }
        guard spelling.utf8.elementsEqual(scheme.utf8) else {
            throw HTTPURL.Failure(what: "a URL with a scheme in capitals", remedy: "write \(scheme):/PATH")
        }
    }

    /// Checks a path, which is compared byte for byte: it has one spelling only.
    private static func checkPath(_ path: Substring) throws(HTTPURL.Failure) {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = path.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~/".utf8.contains(byte)
        }
        guard isPlain, path.first == "/", segments.dropFirst().dropLast().allSatisfy({ !$0.isEmpty }),
            segments.allSatisfy({ $0 != "." && $0 != ".." })
        else {
            throw HTTPURL.Failure(
                what: "a URL without a plain path",
                remedy: "write a path of letters, digits, '-', '.', '_', '~' and single slashes, without a query")
        }
    }
}

extension ConfigurationValue {
    /// Returns the URL of an app.
    func appURL() -> Configuration.AppURL? {
        guard let text = string(atMost: Configuration.AppURL.maximumSize) else { return nil }
        do {
            return try Configuration.AppURL(parsing: text)
        } catch {
            return fail("\(name) is \(error.what)", error.remedy)
        }
    }
}
