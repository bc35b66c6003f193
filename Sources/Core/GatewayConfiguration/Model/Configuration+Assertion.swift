package import GatewayCore

extension Configuration {
    /// A JWT of the gateway's own that tells the upstream who is asking (`headers.assertion`).
    package struct Assertion: Sendable, Hashable {
        /// The file with the private key that signs, PEM, P-256 (`key`); required.
        package var key: String
        /// Files with keys that signed before and stay published (`previous_keys`), at most 8. Default: none.
        package var previousKeys: [String] = []
        /// How long an assertion is valid (`lifetime`), 10 s to 1 h. Default: 1 min.
        package var lifetime = Duration.seconds(60)
        /// Its `iss` (`issuer`), at most 1,024 bytes. Default: `gatehouse`.
        package var issuer = "gatehouse"
        /// Where its files are named.
        package var location = SourceLocation(origin: "headers.assertion")

        /// With the defaults of everything else.
        package init(key: String) {
            self.key = key
        }
    }
}
