import GatewayCore

extension Configuration {
    /// The Firebase projects whose ID tokens and session cookies are accepted (`identity.firebase`).
    package struct Firebase: Sendable, Hashable {
        /// The default key set URL of ID tokens.
        package static let defaultKeysURL =
            "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        /// The default key set URL of session cookies.
        package static let defaultSessionKeysURL =
            "https://www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys"

        /// The id of the first or only project (`project`), which is the audience of all its tokens. Default: the
        /// environment variable `GOOGLE_CLOUD_PROJECT`.
        package var project: String
        /// The accepted tenants of that project (`tenant`). Default: only tokens without a tenant.
        package var tenant = TenantPolicy.none
        /// The file with the gateway's credential at Google for that project. `nil` for that of `revocation`.
        package var serviceAccount: String?
        /// The further projects (`projects`), at most 31. Default: none.
        package var furtherProjects: [FirebaseProject] = []
        /// The key set of ID tokens (`keys_url`). The environment variable `GATEHOUSE_FIREBASE_KEYS_URL` takes
        /// precedence.
        package var keysURL = defaultKeysURL
        /// The key set of session cookies (`session_keys_url`). The environment variable
        /// `GATEHOUSE_FIREBASE_SESSION_KEYS_URL` takes precedence.
        package var sessionKeysURL = defaultSessionKeysURL
        /// Whether the key URLs may be `http://` to a host other than loopback (`insecure_http`). Default: false.
        package var insecureHTTP = false
        /// Whether the emulator's unsigned tokens are accepted (`insecure_emulator`), with the listeners of
        /// `insecureEmulatorOn` only. Default: false; true for a `demo-*` project with the environment variable
        /// `FIREBASE_AUTH_EMULATOR_HOST`.
        package var insecureEmulator = false
        /// The listeners that the emulator mode permits (`insecure_emulator_on`). Default: loopback listeners.
        package var insecureEmulatorOn = EmulatorListeners.loopback
        /// The emulator's address, HOST:PORT, from the environment variable `FIREBASE_AUTH_EMULATOR_HOST`. `nil`
        /// without the variable or the emulator mode.
        package var emulatorHost: String?
        /// The apps whose App Check tokens are accepted (`app_check`). Default: `nil`, not checked.
        package var appCheck: AppCheck?
        /// Whether Firebase's sign-in helper is served at `/__/auth/` of every host (`auth_helper`). Default: false.
        package var authHelper = false
        /// The hosts that accept credentials of one project or tenant only (`hosts`), at most 1,024, lower-case and
        /// unique. Default: none.
        package var hosts: [FirebaseHost] = []

        /// Creates a project with default settings.
        package init(project: String) {
            self.project = project
        }
    }

    /// The listeners with which the emulator mode is permitted.
    package enum EmulatorListeners: String, Sendable, Hashable, CaseIterable {
        case loopback, any
    }

}

extension Configuration.Firebase {
    /// The environment variable that overrides `keys_url`.
    package static let keysURLVariable = "GATEHOUSE_FIREBASE_KEYS_URL"
    /// The environment variable that overrides `session_keys_url`.
    package static let sessionKeysURLVariable = "GATEHOUSE_FIREBASE_SESSION_KEYS_URL"

    /// Reads the section. `nil` without a valid project.
    init?(_ mapping: MappingReader) {
        let projects = Self.readProjects(mapping)
        self.init(project: projects.first?.id ?? "")
        tenant = projects.first?.tenant ?? Configuration.TenantPolicy.none
        serviceAccount = projects.first?.serviceAccount
        furtherProjects = Array(projects.dropFirst())
        mapping.set(&insecureHTTP, "insecure_http") { $0.boolean() }
        let explicitEmulator = mapping.value("insecure_emulator").flatMap { $0.boolean() }
        insecureEmulator = explicitEmulator ?? false
        mapping.set(&insecureEmulatorOn, "insecure_emulator_on") { $0.choice() }
        if insecureEmulatorOn == .any, !mapping.hasValue("project"), !mapping.hasValue("projects") {
            mapping.fail(
                "insecure_emulator_on", "insecure_emulator_on: any requires project in the file",
                "add the project id, so that the environment alone cannot enable it, as in project: demo-app")
        }
        mapping.set(&keysURL, "keys_url") {
            $0.trustedURL(allowsPlainHTTP: insecureHTTP, .replacedKeys)
        }
        mapping.set(&sessionKeysURL, "session_keys_url") {
            $0.trustedURL(allowsPlainHTTP: insecureHTTP, .replacedKeys)
        }
        let allowsPlainHTTP = insecureHTTP
        mapping.set(&appCheck, "app_check") {
            $0.mapping(.appCheck).flatMap { Configuration.AppCheck($0, allowsPlainHTTP: allowsPlainHTTP) }
        }
        mapping.set(&authHelper, "auth_helper") { $0.boolean() }
        override(from: mapping.context, at: mapping.location)
        guard !project.isEmpty else { return nil }
        if authHelper, !isProjectLabel {
            mapping.fail(
                "auth_helper",
                "auth_helper with the project \(Quoted(self.project)), which is not a label of a host name",
                "remove auth_helper: a project has a host PROJECT.firebaseapp.com only if its id has letters, digits "
                    + "and inner hyphens")
        }
        let firebase = self
        mapping.set(&hosts, "hosts") { firebase.readHosts($0) }
        let finding = adoptEmulator(from: mapping.context.substitution.environment, explicit: explicitEmulator)
        if let finding, finding.isError {
            mapping.context.fail(mapping.location(of: "project"), finding.what, finding.remedy)
        } else if let finding {
            mapping.warn("insecure_emulator", finding.what, finding.remedy)
        }
        warn(mapping)
    }

    /// Returns whether the text is a valid project id. It becomes part of a URL and is compared with the audience.
    package static func isProject(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { ClaimPathParser.continuesName($0) || "-.:".utf8.contains($0) }
    }

    /// Overrides the key URLs by the environment. Returns the errors of the variables.
    mutating func override(from environment: [String: String]) -> [(variable: String, failure: HTTPURL.Failure)] {
        var failures: [(variable: String, failure: HTTPURL.Failure)] = []
        for (variable, target) in [
            (Self.keysURLVariable, \Self.keysURL), (Self.sessionKeysURLVariable, \Self.sessionKeysURL),
        ] {
            guard let text = environment[variable], !text.isEmpty else { continue }
            do {
                _ = try HTTPURL.trusted(text, allowsPlainHTTP: insecureHTTP, .replacedKeys)
                self[keyPath: target] = text
            } catch {
                failures.append((variable, error))
            }
        }
        return failures
    }

    private mutating func override(from context: LoadingContext, at location: SourceLocation) {
        for (variable, failure) in override(from: context.substitution.environment) {
            context.fail(location, "the environment variable \(variable) is \(failure.what)", failure.remedy)
        }
    }

    /// Returns the projects of the section: those of `projects`, or the one of `project`. The first one has an empty id
    /// after an error.
    private static func readProjects(_ mapping: MappingReader) -> [Configuration.FirebaseProject] {
        var only = Configuration.FirebaseProject(id: "")
        guard case .absent = mapping.setting("projects") else {
            for key in ["project", "tenant"] where mapping.hasValue(key) {
                mapping.fail(
                    key, "identity.firebase has both \(key) and projects",
                    "move it into projects, as in projects: [{ project: my-app }, { project: other-app }]")
            }
            return mapping.value("projects").flatMap(projects) ?? [only]
        }
        only.id = project(mapping) ?? ""
        mapping.set(&only.tenant, "tenant") { tenant($0) }
        return [only]
    }

    /// Returns the project id of the section, or of the environment.
    private static func project(_ mapping: MappingReader) -> String? {
        guard case .absent = mapping.setting("project"),
            let text = project(in: mapping.context.substitution.environment)
        else {
            return mapping.required("project", "add the project id, as in project: my-app").flatMap { project($0) }
        }
        guard isProject(text) else {
            mapping.fail(
                "project", "the environment variable \(projectVariable) is not a project id",
                "write the project id from the Firebase console")
            return nil
        }
        return text
    }

    private static func project(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 128) else { return nil }
        guard isProject(text) else {
            return value.fail("\(value.name) is not a project id", "write the project id from the Firebase console")
        }
        return text
    }

    private func warn(_ mapping: MappingReader) {
        if authHelper, insecureEmulator {
            mapping.warn(
                "auth_helper", "the SDKs do not use auth_helper in the emulator mode",
                "test signInWithRedirect with the project itself")
        }
        if let warning = emulatorWarning { mapping.warn("insecure_emulator", warning.what, warning.remedy) }
        if insecureEmulatorOn == .any {
            mapping.warn(
                "insecure_emulator_on", "unsigned tokens are also accepted from other machines",
                "use it only in a network of your own, such as that of a Compose file")
        }
        if insecureHTTP {
            mapping.warn(
                "insecure_http", "keys may be fetched without TLS, where an attacker on the network can replace them",
                "use it only for development or in a trusted network")
        }
    }

    /// The values of `firebase.sign_in_provider`, except `oidc.NAME` and `saml.NAME`.
    static let signInProviders = [
        "anonymous", "apple.com", "custom", "facebook.com", "gc.apple.com", "github.com", "google.com", "linkedin.com",
        "microsoft.com", "password", "phone", "playgames.google.com", "twitter.com", "yahoo.com",
    ]

    /// Returns whether Firebase supports sign-in with that provider.
    static func maySignIn(_ id: String) -> Bool {
        signInProviders.contains(id) || id.hasPrefix("oidc.") || id.hasPrefix("saml.")
    }
}
