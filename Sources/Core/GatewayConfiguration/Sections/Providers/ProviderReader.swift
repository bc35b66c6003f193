/// Reads what the entries of several kinds have in common.
struct ProviderReader {
    let mapping: MappingReader
    /// What messages call the entry.
    let name: String
    /// Whether URLs may be `http://` to other machines.
    let insecureHTTP: Bool

    init(_ mapping: MappingReader, name: String) {
        self.mapping = mapping
        self.name = name
        var insecureHTTP = false
        mapping.set(&insecureHTTP, "insecure_http") { $0.boolean() }
        self.insecureHTTP = insecureHTTP
    }

    func warn(ofCalls hasCalls: Bool) {
        guard insecureHTTP else { return }
        let risk =
            hasCalls
            ? "tokens and secrets may be sent without TLS and be read on the way"
            : "keys may be fetched without TLS and be replaced on the way"
        mapping.context.warn(
            mapping.location(of: "insecure_http"), risk,
            "only for development, or inside a network that you trust")
    }

    /// A URL that is called; nil where the key is absent or its value refused.
    func url(_ key: String, _ risk: PlainHTTPRisk) -> String? {
        var url: String?
        mapping.set(&url, key) { $0.trustedURL(allowsPlainHTTP: insecureHTTP, risk) }
        return url
    }

    /// 1 to 64 texts, or one alone.
    func audiences(_ remedy: String) -> [String] {
        mapping.required("audiences", remedy).flatMap { value in texts(value, audience) } ?? []
    }

    /// At most 64 different texts, or one alone.
    func texts(_ value: ConfigurationValue, _ read: (ConfigurationValue) -> String?) -> [String]? {
        guard let texts = value.oneOrList(read) else { return nil }
        guard texts.count <= 64 else { return value.fail("\(value.name) has more than 64 entries", "remove some") }
        return texts
    }

    private func audience(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 512) else { return nil }
        guard text != "*" else {
            return value.fail(
                "\(value.name) cannot be '*': tokens that were made for others would count",
                "list the ids of your own apps")
        }
        return text
    }

    /// Visible ASCII, of which the kind's call allows these bytes.
    func clientID(_ key: String, _ remedy: String, where isAllowed: (UInt8) -> Bool = { _ in true }) -> String? {
        guard let value = mapping.required(key, remedy), let text = value.string(atMost: 512) else { return nil }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && isAllowed($0) }) else {
            return value.fail("\(value.name) is \(value.shown), not an id", "write the id that the provider gave you")
        }
        return text
    }

    /// Reports keys that have no effect.
    func refuse(_ keys: [String], _ why: String, _ remedy: String) {
        for key in keys where mapping.value(key) != nil {
            mapping.context.fail(mapping.location(of: key), "\(name).\(key) \(why)", remedy)
        }
    }
}
