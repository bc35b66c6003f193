import GatewayCore

extension ProxyFields {
    init(_ fields: Configuration.ProxyFields) {
        var single: [UInt8]?
        if case .single(let name) = fields.address { single = Array(name.utf8) }
        self.init(
            addresses: fields.address == .forwardedFor, elements: fields.address == .forwarded,
            scheme: fields.setsScheme, single: single)
    }
}
