extension Configuration {
    /// A JWT of the gateway's own that tells the upstream who is asking (`headers.assertion`).
    public struct Assertion: Sendable, Hashable {
        /// The file with the private key that signs, PEM, P-256 (`key`); required.
        public var key: String
        /// Files with keys that signed before and stay published (`previous_keys`), at most 8. Default: none.
        public var previousKeys: [String] = []
        /// How long an assertion is valid (`lifetime`), 10 s to 1 h. Default: 1 min.
        public var lifetime = Duration.seconds(60)
        /// Its `iss` (`issuer`), at most 1,024 bytes. Default: `gatehouse`.
        public var issuer = "gatehouse"
        /// Where its files are named.
        public var location = SourceLocation(origin: "headers.assertion")

        /// With the defaults of everything else.
        public init(key: String) {
            self.key = key
        }
    }
}
