extension Configuration {
    /// Whose tokens count (`identity`).
    public struct Identity: Sendable, Equatable {
        /// How far `iat`, `nbf` and `auth_time` may lie in the future (`clock_skew`), 0 to 60 s. Never prolongs `exp`.
        /// Default: 5 s.
        public var clockSkew = Duration.seconds(5)
        /// Firebase Authentication (`firebase`). Default: nil, not used.
        public var firebase: Firebase?
        /// Providers whose tokens are taken as they are (`providers`), in the order of the file, each id once, at most 64.
        public var providers: [Provider] = []
        /// How key sets are kept (`keys`).
        public var keys = KeyPolicy()
        /// Where a request carries its credential (`credentials`).
        public var credentials = Credentials()

        /// The defaults.
        public init() {}
    }
}
