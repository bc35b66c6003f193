extension Configuration {
    /// Where revocations and sessions are kept (`store`).
    package enum StoreLocation: Sendable, Equatable, CustomStringConvertible {
        /// `sqlite:PATH`; a relative path starts at the working directory.
        case sqlite(path: String)
        /// `sqlite::memory:`; gone with the process.
        case sqliteMemory
        /// `redis://`, `rediss://`, `redis+sentinel://` or `rediss+sentinel://`.
        case redis(RedisLocation)

        /// The value as it is written in a file, without any password.
        package var description: String {
            switch self {
            case .sqlite(let path): "sqlite:\(path)"
            case .sqliteMemory: "sqlite::memory:"
            case .redis(let location): location.description
            }
        }
    }

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
}

extension Configuration {
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
