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
            mapping.context.fail(
                mapping.location(of: "source"), "revocation.source: firebase without a Firebase project",
                "add identity.firebase.project, or remove it")
        }
        if tenant == .any {
            mapping.context.fail(
                mapping.location(of: "source"),
                "revocation.source: firebase with tokens of any tenant: a uid may be another account in each",
                "name one tenant in identity.firebase.tenant, or remove it")
        }
        firebase = Configuration.FirebaseAccounts(mapping)
    }

    private static func refuseLookup(_ mapping: MappingReader) {
        for key in ["service_account", "lookup_url", "lookup_timeout"] where mapping.value(key) != nil {
            mapping.context.fail(
                mapping.location(of: key), "revocation.\(key) without source: firebase",
                "add source: firebase, or remove it")
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
