import GatewayCore

extension Configuration.Admin {
    /// A token with fewer bytes is warned about.
    private static let goodTokenLength = 16

    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&address, "address") { $0.portAddress() }
        mapping.set(&token, "token") { Self.token($0) }
    }

    private static func token(_ value: ConfigurationValue) -> Secret? {
        guard let text = value.scalar("a text")?.text else { return nil }
        guard text.utf8.count <= 1_024 else { return value.fail("admin.token is longer than 1024 bytes", "shorten it") }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return value.fail(
                "admin.token has characters that a header cannot carry", "use visible ASCII without spaces")
        }
        if text.utf8.count < goodTokenLength {
            value.context.warn(
                value.location, "admin.token has fewer than \(goodTokenLength) characters and may be guessed",
                "use a random one")
        }
        return Secret(text)
    }
}
