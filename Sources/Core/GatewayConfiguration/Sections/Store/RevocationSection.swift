extension Configuration {
    /// The required freshness of revocations (`revocation`).
    package struct Revocation: Sendable, Hashable {
        /// The maximum age of the table (`max_staleness`), 1 s to 1 d. Default: 60 s.
        package var maxStaleness = Duration.seconds(60)
        /// The timeout of store lookups on a `strict` route (`strict_timeout`), 1 ms to 10 s. Default: 50 ms.
        package var strictTimeout = Duration.milliseconds(50)
        /// Firebase's account records as a further source (`source: firebase`). Default: `nil`, only the store.
        package var firebase: FirebaseAccounts?
        /// The write-back of changes to Firebase (`write_back`). Default: `nil`, none.
        package var writeBack: WriteBack?

        /// Creates the defaults.
        package init() {}
    }

    /// Lookups in Identity Toolkit of whether a Firebase account is disabled, and since when its tokens are valid.
    package struct FirebaseAccounts: Sendable, Hashable {
        /// The default lookup URL.
        package static let defaultLookupURL =
            "https://identitytoolkit.googleapis.com/v1/projects/{project}/accounts:lookup"

        /// The file with the gateway's credential at Google (`service_account`). `nil` for the default credentials.
        package var serviceAccount: String?
        /// Whether the lookups go to the Auth emulator, which takes any caller for the project's owner.
        package var isEmulated = false
        /// The lookup URL (`lookup_url`). `{project}` is replaced by the project's id, followed by `/tenants/` and
        /// the tenant's id for the user of a tenant.
        package var lookupURL = defaultLookupURL
        /// The timeout of a lookup (`lookup_timeout`), 10 ms to 5 s. Default: 2 s.
        package var timeout = Duration.seconds(2)

        /// Returns the settings of a project's lookups, with its own credential.
        package func settings(of project: FirebaseProject) -> Self {
            var copy = self
            if let file = project.serviceAccount { copy.serviceAccount = file }
            return copy
        }

        /// Creates lookups with default settings.
        package init(serviceAccount: String?) {
            self.serviceAccount = serviceAccount
        }
    }
}

extension Configuration.Revocation {
    /// Reads the section.
    ///
    /// - Parameters:
    ///   - hasFirebase: Whether the file configures a Firebase project, even with errors.
    ///   - project: The Firebase project. `nil` without one, or with errors.
    init(_ mapping: MappingReader, hasFirebase: Bool, project: Configuration.Firebase?) {
        self.init()
        mapping.set(&maxStaleness, "max_staleness") { $0.duration(in: .seconds(1) ... .days(1)) }
        mapping.set(&strictTimeout, "strict_timeout") { $0.duration(in: .milliseconds(1) ... .seconds(10)) }
        var source = "store"
        mapping.set(&source, "source") { $0.choice(of: ["store", "firebase"]) }
        let section = WriteBackSection(mapping, hasFirebase: hasFirebase, project: project)
        guard source == "firebase" || section.isOn else {
            Self.refuseLookup(mapping)
            return
        }
        let accounts = Configuration.FirebaseAccounts(mapping, emulator: project?.emulatorHost)
        project?.checkPlaceholder(accounts.lookupURL, of: "lookup_url", in: "revocation", mapping)
        writeBack = section.settings(accounts)
        guard source == "firebase" else { return }
        if !hasFirebase {
            mapping.fail(
                "source", "revocation.source: firebase without a Firebase project",
                "add identity.firebase.project, or remove it")
        }
        firebase = accounts
    }

    private static func refuseLookup(_ mapping: MappingReader) {
        for key in ["service_account", "lookup_url", "lookup_timeout"] where mapping.value(key) != nil {
            mapping.fail(
                key, "revocation.\(key) without source: firebase or write_back",
                "add source: firebase or write_back, or remove it")
        }
    }
}

extension Configuration.FirebaseAccounts {
    /// Reads the keys of `source: firebase`.
    ///
    /// - Parameter emulator: The address of the Auth emulator, HOST:PORT. `nil` for Google.
    fileprivate init(_ mapping: MappingReader, emulator: String?) {
        if let emulator {
            self.init(emulator: emulator)
            Self.refuse(["service_account", "lookup_url"], beside: mapping)
        } else {
            self.init(serviceAccount: mapping.value("service_account").flatMap { $0.path() })
        }
        mapping.set(&lookupURL, "lookup_url") {
            $0.trustedURL(allowsPlainHTTP: false, .readSecrets, remedy: "use https://, or http:// to this machine")
        }
        mapping.set(&timeout, "lookup_timeout") { $0.duration(in: .milliseconds(10) ... .seconds(5)) }
    }

    private init(emulator: String) {
        self.init(serviceAccount: nil)
        isEmulated = true
        lookupURL = "http://\(emulator)/identitytoolkit.googleapis.com/v1/projects/{project}/accounts:lookup"
    }

    private static func refuse(_ keys: [String], beside mapping: MappingReader) {
        for key in keys where mapping.value(key) != nil {
            mapping.fail(
                key, "revocation.\(key) beside \(Configuration.Firebase.emulatorVariable)",
                "unset the variable, or remove the key: accounts are looked up at the emulator")
        }
    }
}
