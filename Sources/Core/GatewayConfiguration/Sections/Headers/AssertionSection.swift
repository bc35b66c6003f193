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

extension Configuration.Assertion {
    private static let maximumPreviousKeys = 8

    /// What the files hold is checked by who signs with them.
    init(_ mapping: MappingReader) {
        let file = mapping.required("key", "add key: FILE, a private key (PEM, P-256)").flatMap { $0.string() }
        self.init(key: file ?? "")
        location = mapping.location(of: "key")
        mapping.set(&lifetime, "lifetime") { $0.duration(in: .seconds(10) ... .hours(1)) }
        mapping.set(&issuer, "issuer") { $0.string(atMost: 1_024) }
        let key = key
        mapping.set(&previousKeys, "previous_keys") { $0.keyFiles(atMost: Self.maximumPreviousKeys, besides: key) }
    }
}

extension ConfigurationValue {
    /// Files with keys that signed before.
    func keyFiles(atMost maximum: Int, besides key: String?) -> [String]? {
        oneOrList(atMost: maximum, of: "files", remedy: "remove the oldest") { value in
            guard let file = value.string() else { return nil }
            guard file != key else { return value.fail("\(value.name) is the key that signs", "remove it here") }
            return file
        }
    }
}
