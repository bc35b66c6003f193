extension Configuration {
    /// Where revocations and sessions are kept (`store`).
    public enum StoreLocation: Sendable, Equatable, CustomStringConvertible {
        /// `sqlite:PATH`; a relative path starts at the working directory.
        case sqlite(path: String)
        /// `sqlite::memory:`; gone with the process.
        case sqliteMemory
        /// `redis://`, `rediss://`, `redis+sentinel://` or `rediss+sentinel://`.
        case redis(RedisLocation)

        /// The value as it is written in a file, without any password.
        public var description: String {
            switch self {
            case .sqlite(let path): "sqlite:\(path)"
            case .sqliteMemory: "sqlite::memory:"
            case .redis(let location): location.description
            }
        }
    }

    /// How fresh revocations must be (`revocation`).
    public struct Revocation: Sendable, Hashable {
        /// The age at which the table no longer answers (`max_staleness`), 1 s to 1 d. Default: 60 s.
        public var maxStaleness = Duration.seconds(60)
        /// How long a `strict` route waits for the store (`strict_timeout`), 1 ms to 10 s. Default: 50 ms.
        public var strictTimeout = Duration.milliseconds(50)

        /// The defaults.
        public init() {}
    }
}
