package import GatewayCore

extension Configuration {
    /// The apps whose App Check tokens are accepted (`identity.firebase.app_check`).
    package struct AppCheck: Sendable, Hashable {
        /// An app of the project.
        package struct App: Sendable, Hashable {
            /// The App ID: 1 to 128 letters, digits, `:`, `_`, `-` and `.`.
            package var id: String
            /// The name in routes, rules, logs and metrics. Several App IDs may have the same name.
            package var name: String

            package init(id: String, name: String) {
                self.id = id
                self.name = name
            }
        }

        /// The default key set URL.
        package static let defaultKeysURL = "https://firebaseappcheck.googleapis.com/v1/jwks"
        /// The default URL that consumes a token.
        package static let defaultConsumeURL =
            "https://firebaseappcheck.googleapis.com/v1beta/projects/{project}:verifyAppCheckToken"
        /// The maximum number of apps.
        package static let maximumApps = 64

        /// The project's number (`project_number`), which is part of the issuer. Required.
        package var projectNumber: String
        /// The accepted apps (`apps`), in the order of the file. At least one is required.
        package var apps: [App]
        /// The key set (`keys_url`).
        package var keysURL = defaultKeysURL
        /// The API key that is sent with requests of the key set (`api_key`). Default: `nil`, none.
        package var apiKey: Secret?
        /// Whether the client's token is forwarded (`forward_token`). Default: false.
        package var forwardsToken = false
        /// The URL that consumes a token (`consume_url`). `{project}` is replaced by the project number.
        package var consumeURL = defaultConsumeURL
        /// The timeout of a call that consumes a token (`consume_timeout`), 10 ms to 5 s. Default: 2 s.
        package var consumeTimeout = Duration.seconds(2)
        /// The file with the credential of these calls (`service_account`). `nil` for that of `revocation`, or the
        /// default credentials.
        package var serviceAccount: String?

        package init(projectNumber: String, apps: [App]) {
            self.projectNumber = projectNumber
            self.apps = apps
        }

        /// The exact `iss`.
        package var issuer: String { "https://firebaseappcheck.googleapis.com/\(projectNumber)" }
    }

    /// The handling of App Check tokens on a route.
    package enum AppCheckMode: String, Sendable, Hashable, CaseIterable {
        /// Tokens are not checked.
        case off
        /// Tokens are checked and counted; no request is denied.
        case monitor
        /// Requests without a valid token are denied.
        case enforce
    }
}

extension Configuration.AppCheck {
    /// Reads the section. `nil` without a valid project number and at least one app.
    init?(_ mapping: MappingReader, allowsPlainHTTP: Bool) {
        let number = mapping.required(
            "project_number", "add the project number of the Firebase console, as in project_number: 123456789012")
        let apps = mapping.required("apps", "add the App IDs, as in apps: { \"1:123456789012:web:abc\": web }")
        self.init(projectNumber: number.flatMap(Self.number) ?? "", apps: apps.flatMap(Self.apps) ?? [])
        mapping.set(&keysURL, "keys_url") { $0.trustedURL(allowsPlainHTTP: allowsPlainHTTP, .replacedKeys) }
        mapping.set(&apiKey, "api_key") { $0.secret() }
        mapping.set(&forwardsToken, "forward_token") { $0.boolean() }
        mapping.set(&consumeURL, "consume_url") {
            $0.trustedURL(allowsPlainHTTP: false, .readSecrets, remedy: "use https://, or http:// to this machine")
        }
        mapping.set(&consumeTimeout, "consume_timeout") { $0.duration(in: .milliseconds(10) ... .seconds(5)) }
        serviceAccount = mapping.value("service_account").flatMap { $0.path() }
        if projectNumber.isEmpty || self.apps.isEmpty { return nil }
    }

    private static func number(_ value: ConfigurationValue) -> String? {
        guard let text = value.scalar("a project number")?.text else { return nil }
        guard (1...20).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return value.fail(
                "\(value.name) is \(value.shown), not a project number",
                "write the digits of the project number, not the project id")
        }
        return text
    }

    private static func apps(_ value: ConfigurationValue) -> [App]? {
        guard let entries = value.entries().flatMap({ value.bounded($0, maximumApps, of: "apps") }) else { return nil }
        return entries.compactMap { entry in
            guard (1...128).contains(entry.key.utf8.count),
                entry.key.utf8.allSatisfy({ ClaimPathParser.continuesName($0) || ":-.".utf8.contains($0) })
            else {
                entry.fail(
                    "\(Quoted(entry.key)) is not an App ID", "write it as in \"1:123456789012:web:abc\", in quotes")
                return nil
            }
            return name(entry.value).map { App(id: entry.key, name: $0) }
        }
    }

    /// Returns the name of an app, as in the file or in a route.
    static func name(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 64) else { return nil }
        guard text.utf8.allSatisfy({ ClaimPathParser.continuesName($0) || "-.".utf8.contains($0) }) else {
            return value.fail(
                "\(value.name) is \(value.shown), not a name", "write letters, digits, '_', '-' or '.', as in web")
        }
        return text
    }
}

extension Configuration {
    /// Whether any route consumes App Check tokens.
    package var consumesAppTokens: Bool { routes.contains(where: \.consumesAppToken) }
}

extension ConfigurationValue {
    /// Whether the section configures App Check, even with errors.
    var hasAppCheck: Bool { hasMember("firebase", "app_check") }
}

extension Configuration.Route {
    mutating func readAppCheck(_ mapping: MappingReader, _ surroundings: RouteSurroundings) {
        let configured = surroundings.identity.firebase?.appCheck
        mapping.set(&appCheck, "app_check") { value in
            guard case .scalar(let scalar) = value.content, scalar.text == "false" else { return value.choice() }
            return value.fail(
                "\(value.name) cannot be \(value.shown)",
                "write \"off\" in quotes, or remove it; tools that read YAML 1.1 rewrite off as false")
        }
        mapping.set(&apps, "apps") { value in
            value.list(atMost: Configuration.AppCheck.maximumApps, of: "apps") {
                Self.app($0, configured)
            }
        }
        mapping.set(&consumesAppToken, "app_check_consume") { $0.boolean() }
        if consumesAppToken, appCheck != .enforce {
            mapping.fail(
                "app_check_consume", "app_check_consume can never apply without app_check: enforce",
                "add app_check: enforce, or remove it")
        }
        if appCheck != .off, !surroundings.hasAppCheck {
            mapping.fail(
                "app_check", "the route checks App Check tokens, but identity.firebase.app_check is not configured",
                "add identity.firebase.app_check with project_number and apps, or remove it")
        }
        if appCheck == .off, apps != nil {
            mapping.fail(
                "apps", "apps can never apply without app_check", "add app_check: enforce, or remove it")
        }
    }

    private static func app(_ value: ConfigurationValue, _ configured: Configuration.AppCheck?) -> String? {
        guard let name = Configuration.AppCheck.name(value) else { return nil }
        guard let configured, !configured.apps.contains(where: { $0.name == name }) else { return name }
        let names = configured.apps.map(\.name)
        return value.fail(
            "no app of identity.firebase.app_check is named \(value.shown)",
            Spelling.suggestion(for: name, among: names).map { "did you mean '\($0)'?" }
                ?? "write one of \(names.joined(separator: ", "))")
    }
}
