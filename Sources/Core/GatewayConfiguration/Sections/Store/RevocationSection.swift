extension Configuration {
    /// How fresh revocations must be (`revocation`).
    package struct Revocation: Sendable, Hashable {
        /// The age at which the table no longer answers (`max_staleness`), 1 s to 1 d. Default: 60 s.
        package var maxStaleness = Duration.seconds(60)
        /// How long a `strict` route waits for the store (`strict_timeout`), 1 ms to 10 s. Default: 50 ms.
        package var strictTimeout = Duration.milliseconds(50)
        /// Firebase's own account records as a further source (`source: firebase`). Default: nil, the store alone.
        package var firebase: FirebaseAccounts?

        /// The defaults.
        package init() {}
    }

    /// How Identity Toolkit is asked whether a Firebase account is disabled, and since when its tokens count.
    package struct FirebaseAccounts: Sendable, Hashable {
        /// Where accounts are looked up, unless configured otherwise.
        package static let defaultLookupURL =
            "https://identitytoolkit.googleapis.com/v1/projects/{project}/accounts:lookup"

        /// The service account's key file (`service_account`); required.
        package var serviceAccount: String
        /// Where accounts are looked up (`lookup_url`); the project's id is put in for `{project}`, `/tenants/` and the tenant's behind it where
        /// the tokens of one tenant count.
        package var lookupURL = defaultLookupURL
        /// How long an answer may take (`lookup_timeout`), 10 ms to 5 s. Default: 2 s.
        package var timeout = Duration.seconds(2)

        /// With the defaults of everything else.
        package init(serviceAccount: String) {
            self.serviceAccount = serviceAccount
        }
    }
}

extension Configuration.Revocation {
    /// - Parameters:
    ///   - hasFirebase: whether the file names a Firebase project, be it with errors.
    ///   - tenant: whose tokens count.
    init(_ mapping: MappingReader, hasFirebase: Bool, tenant: Configuration.TenantPolicy?) {
        self.init()
        mapping.set(&maxStaleness, "max_staleness") { $0.duration(in: .seconds(1) ... .days(1)) }
        mapping.set(&strictTimeout, "strict_timeout") { $0.duration(in: .milliseconds(1) ... .seconds(10)) }
        var source = "store"
        mapping.set(&source, "source") { $0.choice(of: ["store", "firebase"]) }
        guard source == "firebase" else {
            Self.refuseLookup(mapping)
            return
        }
        if !hasFirebase {
            mapping.fail(
                "source", "revocation.source: firebase without a Firebase project",
                "add identity.firebase.project, or remove it")
        }
        if tenant == .any {
            mapping.fail(
                "source", "revocation.source: firebase with tokens of any tenant: a uid may be another account in each",
                "name one tenant in identity.firebase.tenant, or remove it")
        }
        firebase = Configuration.FirebaseAccounts(mapping)
    }

    private static func refuseLookup(_ mapping: MappingReader) {
        for key in ["service_account", "lookup_url", "lookup_timeout"] where mapping.value(key) != nil {
            mapping.fail(key, "revocation.\(key) without source: firebase", "add source: firebase, or remove it")
        }
    }
}

extension Configuration.FirebaseAccounts {
    fileprivate init(_ mapping: MappingReader) {
        let file = mapping.required("service_account", "add service_account: FILE, the key file of a service account")
        self.init(serviceAccount: file.flatMap { $0.string() } ?? "")
        mapping.set(&lookupURL, "lookup_url") {
            $0.trustedURL(allowsPlainHTTP: false, .readSecrets, remedy: "use https://, or http:// to this machine")
        }
        mapping.set(&timeout, "lookup_timeout") { $0.duration(in: .milliseconds(10) ... .seconds(5)) }
    }
}
