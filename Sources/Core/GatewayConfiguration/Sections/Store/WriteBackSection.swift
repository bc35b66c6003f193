extension Configuration {
    /// The targets to which changes of Firebase's users are written back (`revocation.write_back`).
    package struct WriteBack: Sendable, Hashable {
        /// The default update URL.
        package static let defaultUpdateURL =
            "https://identitytoolkit.googleapis.com/v1/projects/{project}/accounts:update"
        /// The permitted maximum numbers of queued changes.
        static let queues = 1_000...1_000_000

        /// The credential, lookup URL and timeout of the calls, as of lookups.
        package var accounts: FirebaseAccounts
        /// The update URL (`update_url`). `{project}` is replaced as in the lookup URL.
        package var updateURL = defaultUpdateURL
        /// The maximum number of queued changes (`queue`), 1,000 to 1,000,000. Default: 100,000.
        package var queue = 100_000

        /// Creates a write-back with default settings.
        package init(_ accounts: FirebaseAccounts) {
            self.accounts = accounts
        }
    }
}

/// The section `revocation.write_back`, before the settings that it shares with lookups.
struct WriteBackSection {
    /// Whether changes are written to Identity Toolkit (`identity_toolkit`). Default: false.
    private(set) var isOn = false
    private var updateURL: String?
    private var queue: Int?

    /// Reads the section, which may be absent.
    ///
    /// - Parameter project: The Firebase project. `nil` without one, or with errors.
    init(_ revocation: MappingReader, hasFirebase: Bool, project: Configuration.Firebase?) {
        guard let mapping = revocation.value("write_back")?.mapping(.writeBack) else { return }
        mapping.set(&isOn, "identity_toolkit") { $0.boolean() }
        mapping.set(&queue, "queue") { $0.integer(in: Configuration.WriteBack.queues) }
        mapping.set(&updateURL, "update_url") {
            $0.trustedURL(allowsPlainHTTP: false, .readSecrets, remedy: "use https://, or http:// to this machine")
        }
        project?.checkPlaceholder(updateURL, of: "update_url", in: "revocation.write_back", mapping)
        if isOn, !hasFirebase {
            mapping.fail(
                "identity_toolkit", "revocation.write_back without a Firebase project",
                "add identity.firebase.project, or remove it")
        }
        if let emulator = project?.emulatorHost {
            if updateURL != nil {
                mapping.fail(
                    "update_url", "revocation.write_back.update_url beside \(Configuration.Firebase.emulatorVariable)",
                    "unset the variable, or remove the key: accounts are updated at the emulator")
            }
            updateURL = "http://\(emulator)/identitytoolkit.googleapis.com/v1/projects/{project}/accounts:update"
        }
    }

    /// Returns the settings. `nil` if nothing is written back.
    func settings(_ accounts: Configuration.FirebaseAccounts) -> Configuration.WriteBack? {
        guard isOn else { return nil }
        var settings = Configuration.WriteBack(accounts)
        if let updateURL { settings.updateURL = updateURL }
        if let queue { settings.queue = queue }
        return settings
    }
}
