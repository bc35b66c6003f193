import GatewayCore

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
        /// Whether changes are written to Identity Toolkit (`identity_toolkit`).
        package var writesAccounts = true
        /// The update URL (`update_url`). `{project}` is replaced as in the lookup URL.
        package var updateURL = defaultUpdateURL
        /// The URL of the Realtime Database (`realtime_database`). `{project}` is replaced by the project's id. `nil`
        /// if revocations are not written there.
        package var databaseURL: String?
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
    private var writesAccounts = false
    private var databaseURL: String?
    private var updateURL: String?
    private var queue: Int?

    /// Reads the section, which may be absent.
    ///
    /// - Parameter project: The Firebase project. `nil` without one, or with errors.
    init(_ revocation: MappingReader, hasFirebase: Bool, project: Configuration.Firebase?) {
        guard let mapping = revocation.value("write_back")?.mapping(.writeBack) else { return }
        mapping.set(&writesAccounts, "identity_toolkit") { $0.boolean() }
        mapping.set(&databaseURL, "realtime_database") { $0.databaseURL(emulator: project?.emulatorHost) }
        mapping.set(&queue, "queue") { $0.integer(in: Configuration.WriteBack.queues) }
        mapping.set(&updateURL, "update_url") {
            $0.trustedURL(allowsPlainHTTP: false, .readSecrets, remedy: "use https://, or http:// to this machine")
        }
        project?.checkPlaceholder(updateURL, of: "update_url", in: "revocation.write_back", mapping)
        if let databaseURL, project?.hasSeveralProjects == true, !databaseURL.contains("{project}") {
            mapping.fail(
                "realtime_database",
                "revocation.write_back.realtime_database has no {project}, but identity.firebase has several projects",
                "write {project} in place of the project's id")
        }
        if isOn, !hasFirebase {
            mapping.fail(
                writesAccounts ? "identity_toolkit" : "realtime_database",
                "revocation.write_back without a Firebase project",
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

    /// Whether changes are written to a destination.
    var isOn: Bool { writesAccounts || databaseURL != nil }

    /// Returns the settings. `nil` if nothing is written back.
    func settings(_ accounts: Configuration.FirebaseAccounts) -> Configuration.WriteBack? {
        guard isOn else { return nil }
        var settings = Configuration.WriteBack(accounts)
        (settings.writesAccounts, settings.databaseURL) = (writesAccounts, databaseURL)
        if let updateURL { settings.updateURL = updateURL }
        if let queue { settings.queue = queue }
        return settings
    }
}

extension ConfigurationValue {
    /// Returns the URL of a Realtime Database, whose host may contain `{project}`.
    ///
    /// - Parameter emulator: The address of the Auth emulator. With it, the URL is that of the Database emulator, so
    ///   that a test writes nothing to a real project.
    fileprivate func databaseURL(emulator: String?) -> String? {
        guard let text = string(atMost: 2_048) else { return nil }
        let sample = text.split(separator: "{project}", omittingEmptySubsequences: false).joined(separator: "project")
        let url: HTTPURL
        do {
            url = try HTTPURL.trusted(
                sample, allowsPlainHTTP: emulator != nil, .readSecrets,
                remedy: "use https://, or http:// to this machine")
        } catch {
            return fail("\(name) is \(error.what)", error.remedy)
        }
        guard emulator == nil || !url.isSecure else {
            return fail(
                "\(name) is not the Database emulator, but \(Configuration.Firebase.emulatorVariable) is set",
                "write its address, as in http://127.0.0.1:9000/?ns=PROJECT-default-rtdb")
        }
        return text
    }
}
