package import GatewayCore

extension Configuration {
    /// A JWT of the gateway that identifies the user to the upstream (`headers.assertion`).
    package struct Assertion: Sendable, Hashable {
        /// The file with the private signing key, PEM, P-256 (`key`). Required.
        package var key: String
        /// Files with previous keys that remain published (`previous_keys`), at most 8. Default: none.
        package var previousKeys: [String] = []
        /// The lifetime of an assertion (`lifetime`), 10 s to 1 h. Default: 1 min.
        package var lifetime = Duration.seconds(60)
        /// The `iss` of assertions (`issuer`), at most 1,024 bytes. Default: `gatehouse`.
        package var issuer = "gatehouse"
        /// The location of the setting with the key files.
        package var location = SourceLocation(origin: "headers.assertion")

        /// Creates an assertion with default settings.
        package init(key: String) {
            self.key = key
        }
    }
}

extension Configuration.Assertion {
    private static let maximumPreviousKeys = 8

    /// Reads the section. The code that signs with the key files checks their content.
    init(_ mapping: MappingReader) {
        let file = mapping.required("key", "add key: FILE, a private key (PEM, P-256)").flatMap { $0.path() }
        self.init(key: file ?? "")
        location = mapping.location(of: "key")
        mapping.set(&lifetime, "lifetime") { $0.duration(in: .seconds(10) ... .hours(1)) }
        mapping.set(&issuer, "issuer") { $0.string(atMost: 1_024) }
        let key = key
        mapping.set(&previousKeys, "previous_keys") { $0.keyFiles(atMost: Self.maximumPreviousKeys, besides: key) }
    }
}

extension ConfigurationValue {
    /// Returns the files of previous keys.
    func keyFiles(atMost maximum: Int, besides key: String?) -> [String]? {
        oneOrList(atMost: maximum, of: "files", remedy: "remove the oldest") { value in
            guard let file = value.path() else { return nil }
            guard file != key else { return value.fail("\(value.name) is the current signing key", "remove it here") }
            return file
        }
    }
}
