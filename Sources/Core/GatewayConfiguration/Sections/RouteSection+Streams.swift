import GatewayCore

extension Configuration.Route {
    /// Reads what the route does about streams: `upgrade`, where a token may stand besides, and the bounds.
    mutating func readStreams(_ mapping: MappingReader) {
        mapping.set(&upgrade, "upgrade") { $0.list(Self.upgrade) }
        mapping.set(&tokenQuery, "token_query", Self.parameter)
        mapping.set(&tokenProtocol, "token_protocol") { $0.boolean() }
        mapping.set(&maxStream, "max_stream") { $0.duration(in: Configuration.Limits.streamTimes) }
        mapping.set(&streamGrace, "stream_grace") { $0.duration(in: Configuration.Limits.graces) }
        mapping.set(&streamIdleTimeout, "stream_idle_timeout") { $0.duration(in: Configuration.Limits.times) }
        checkStreams(mapping)
    }

    private func checkStreams(_ mapping: MappingReader) {
        if tokenProtocol, !upgrade.contains("websocket") {
            mapping.context.fail(
                mapping.location(of: "token_protocol"), "token_protocol is for WebSockets, and the route takes none",
                "add upgrade: [websocket], or remove it")
        }
        guard auth == .none else { return }
        for (key, isAsked) in [("token_query", tokenQuery != nil), ("token_protocol", tokenProtocol)] where isAsked {
            mapping.context.fail(
                mapping.location(of: key), "\(key) can never apply on a route with auth: none",
                "remove it, or remove auth: none")
        }
    }

    /// A protocol of `Upgrade`, but for those that carry further requests: nobody would decide about them.
    private static func upgrade(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 32)?.lowercased() else { return nil }
        guard FieldName.isValid(text) else {
            return value.fail("\(value.name) is \(value.shown), not a protocol", "write a token as in websocket")
        }
        guard text != "h2c", text != "http", text != "tls" else {
            return value.fail(
                "\(value.shown) would carry requests that nobody decides about", "remove it, or write websocket")
        }
        return text
    }

    /// A name that has one spelling in a query but for escapes.
    private static func parameter(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 64) else { return nil }
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isName, !text.isEmpty else {
            return value.fail(
                "\(value.name) is \(value.shown), not a parameter's name", "write letters, digits, '_', '-' or '.'")
        }
        return text
    }
}
