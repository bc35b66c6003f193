extension Configuration {
    /// Whose tokens count (`identity`).
    package struct Identity: Sendable, Equatable {
        /// How far `iat`, `nbf` and `auth_time` may lie in the future (`clock_skew`), 0 to 60 s. Never prolongs `exp`.
        /// Default: 5 s.
        package var clockSkew = Duration.seconds(5)
        /// Firebase Authentication (`firebase`). Default: nil, not used.
        package var firebase: Firebase?
        /// Providers whose tokens are taken as they are (`providers`), in the order of the file, each id once, at most 64.
        package var providers: [Provider] = []
        /// How key sets are kept (`keys`).
        package var keys = KeyPolicy()
        /// Where a request carries its credential (`credentials`).
        package var credentials = Credentials()

        /// The defaults.
        package init() {}
    }
}
