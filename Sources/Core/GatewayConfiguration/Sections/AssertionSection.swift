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
        let files = oneOrList { value -> String? in
            guard let file = value.string() else { return nil }
            guard file != key else { return value.fail("\(value.name) is the key that signs", "remove it here") }
            return file
        }
        guard let files, files.count <= maximum else {
            return files.flatMap { _ in fail("\(name) has more than \(maximum) files", "remove the oldest") }
        }
        return files
    }
}
