package import GatewayCore
package import SecurityRules

extension Configuration {
    /// The sign-in to the operators' console at a provider (`admin.console.sign_in`).
    package struct ConsoleSignIn: Sendable, Hashable {
        /// The ID of the provider (`provider`), one of `identity.providers` with a client credential.
        package var provider: String
        /// The address below which browsers reach `/console/` (`public_url`): the origin, and the path of a proxy. It
        /// has no final slash. Default: `admin.public_url`.
        package var publicURL: String
        /// The addresses of operators (`operators`), normalized, at most 256. Default: none.
        package var operators: [String] = []
        /// The addresses of viewers (`viewers`), normalized, at most 256. Default: none.
        package var viewers: [String] = []
        /// A condition that permits further operators (`operator_if`). Default: `nil`, none.
        package var operatorCondition: UserCondition?
        /// A condition that permits further viewers (`viewer_if`). Default: `nil`, none.
        package var viewerCondition: UserCondition?
        /// The location of the provider.
        package var location = SourceLocation(origin: "admin.console.sign_in")

        /// Creates a sign-in without addresses.
        package init(provider: String, publicURL: String) {
            self.provider = provider
            self.publicURL = publicURL
        }

        /// The redirect URI of the flow. It depends on the configuration only, never on a request.
        package var redirectURI: String { publicURL + "/console/callback" }

        /// The path of the console in browsers.
        package var path: String {
            let afterScheme = publicURL.firstRange(of: "://").map { publicURL[$0.upperBound...] } ?? ""
            return afterScheme.drop { $0 != "/" } + "/console/"
        }
    }
}

extension Configuration {
    /// A compiled condition over the `auth` variable of a user.
    package struct UserCondition: Sendable, Hashable {
        /// The condition as written.
        package let expression: RulesExpression
        package let compiled: RuleValueExpression
        package let warnings: [RuleProblem]

        package init(_ expression: RulesExpression) throws(RuleProblems) {
            let source = RuleSource(expression.text, name: expression.label)
            (compiled, warnings) = try RuleValueExpression.condition(source)
            self.expression = expression
        }

        package static func == (one: Self, other: Self) -> Bool { one.expression == other.expression }

        package func hash(into hasher: inout Hasher) { hasher.combine(expression) }
    }
}

extension ConfigurationValue {
    /// Returns a compiled condition over the `auth` variable, and reports its errors and warnings.
    fileprivate func userCondition() -> Configuration.UserCondition? {
        guard let expression = rulesExpression() else { return nil }
        do throws(RuleProblems) {
            let condition = try Configuration.UserCondition(expression)
            warn(condition.warnings)
            return condition
        } catch {
            report(error)
            return nil
        }
    }
}

extension Configuration.Admin {
    /// Reads `console`: a boolean, or a mapping that also serves the console.
    mutating func readConsole(_ value: ConfigurationValue) {
        guard case .mapping = value.content else {
            if let isServed = value.boolean() { console = isServed }
            return
        }
        console = true
        let origin = publicURL
        value.mapping(.console)?.set(&signIn, "sign_in") { value in
            value.mapping(.consoleSignIn).flatMap { Configuration.ConsoleSignIn.read($0, origin: origin) }
        }
    }
}

extension Configuration.ConsoleSignIn {
    private static let maximumAddresses = 256

    /// - Parameter origin: The value of `admin.public_url`. `nil` if absent.
    static func read(_ mapping: MappingReader, origin: String?) -> Self? {
        let provider = mapping.required("provider", "add provider: ID, one of identity.providers")?.string(atMost: 128)
        var address = origin
        mapping.set(&address, "public_url") { $0.consoleAddress(at: origin) }
        if address == nil, !mapping.hasValue("public_url") {
            mapping.fail(
                "public_url", "admin.console.sign_in needs the address at which browsers reach the console",
                "add public_url: https://HOST to sign_in, or http://127.0.0.1:PORT on this machine")
        }
        var signIn = Self(provider: provider ?? "", publicURL: address ?? "")
        signIn.location = mapping.location(of: "provider")
        mapping.set(&signIn.operators, "operators", addresses)
        mapping.set(&signIn.viewers, "viewers", addresses)
        mapping.set(&signIn.operatorCondition, "operator_if") { $0.userCondition() }
        mapping.set(&signIn.viewerCondition, "viewer_if") { $0.userCondition() }
        guard provider != nil, address != nil else { return nil }
        let hasCondition = mapping.hasValue("operator_if") || mapping.hasValue("viewer_if")
        if signIn.operators.isEmpty, signIn.viewers.isEmpty, !hasCondition {
            mapping.warn(
                "operators", "admin.console.sign_in has neither addresses nor a condition, so it refuses every user",
                "add operators: [NAME@HOST] or operator_if, or remove sign_in")
        }
        if let address = signIn.viewers.first(where: signIn.operators.contains) {
            mapping.warn(
                "viewers", "\(Quoted(address)) is in operators and in viewers, and is an operator",
                "remove it from one of them")
        }
        return signIn
    }

    private static func addresses(_ value: ConfigurationValue) -> [String]? {
        value.oneOrList(atMost: maximumAddresses, of: "addresses") { $0.emailAddress() }
    }
}

extension ConfigurationValue {
    /// Returns a complete e-mail address, normalized.
    fileprivate func emailAddress() -> String? {
        guard let text = string(atMost: EmailAddress.maximumSize) else { return nil }
        guard !text.contains("*"), !text.hasPrefix("@") else {
            return fail("\(name) is \(shown), which stands for many addresses", "list each address")
        }
        guard let address = EmailAddress.normalized(text) else {
            return fail("\(name) is \(shown), not an e-mail address", "write NAME@HOST, in visible ASCII characters")
        }
        return address
    }

    /// Returns the address below which browsers reach the console, without a final slash.
    ///
    /// - Parameter origin: The origin that it must have. `nil` for any.
    fileprivate func consoleAddress(at origin: String?) -> String? {
        guard let text = string(atMost: 512) else { return nil }
        let (spelling, url): (String, HTTPURL)
        do {
            (spelling, url) = (try BrowserOrigin.spelling(of: text), try HTTPURL(parsing: text))
        } catch {
            return fail("\(name) is \(error.what)", error.remedy)
        }
        guard url.isSecure || url.isLoopback else {
            return fail("\(name) is \(shown), without TLS", "use https://, or http://127.0.0.1:PORT")
        }
        let path = url.target.hasSuffix("/") ? String(url.target.dropLast()) : url.target
        guard text.hasPrefix(spelling), [url.target, path].contains(String(text.dropFirst(spelling.count))),
            path.isEmpty || path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy(isPlain)
        else {
            return fail(
                "\(name) is \(shown), not in the form that browsers send",
                "write https://HOST, or https://HOST/PATH of letters, digits, and - . _ ~")
        }
        guard origin.map({ $0 == spelling }) ?? true else {
            return fail("\(name) is of another origin than admin.public_url", "write the same origin in both")
        }
        return spelling + path
    }

    /// Returns whether browsers and proxies write a segment of a path unchanged.
    private func isPlain(_ segment: Substring) -> Bool {
        !segment.isEmpty && segment != "." && segment != ".."
            && segment.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-._~".utf8.contains(byte)
            }
    }
}

extension Configuration {
    /// Reports a provider that cannot prove the address of an operator.
    func checkConsoleSignIn(_ context: LoadingContext) {
        guard let signIn = admin.signIn else { return }
        func fail(_ what: String, _ remedy: String) {
            context.fail(signIn.location, "admin.console.sign_in.provider: \(what)", remedy)
        }
        let id = Quoted(signIn.provider)
        guard let provider = identity.providers.first(where: { $0.id == signIn.provider }) else {
            return fail("identity.providers has no \(id)", "add it there, or write one of its entries")
        }
        switch provider.kind {
        case .microsoft, .github:
            fail("\(id) does not prove that a user owns an address now", "use google.com, yahoo.com or an oidc.NAME")
        case .apple, .linkedin:
            fail(
                "the flow of \(id) \(provider.kind == .apple ? "ends with a form" : "has neither PKCE nor a nonce")",
                "use google.com, yahoo.com or an oidc.NAME")
        case .google, .yahoo, .oidc, .facebook, .oauth:
            guard provider.codeFlow == nil else { return }
            fail(
                "\(id) has no client credential", "add client_id and client_secret to identity.providers.\(provider.id)"
            )
        }
    }
}
