import GatewayCore

extension ConfigurationValue {
    /// A secret of 1 to 4,096 bytes; messages never show it.
    func secret() -> Secret? {
        guard let text = scalar("a text")?.text else { return nil }
        guard text.utf8.count <= 4_096 else { return fail("\(name) is longer than 4096 bytes", "shorten it") }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            return fail("\(name) contains a control character", "keep it on one line, without tabs")
        }
        return Secret(text)
    }
}
