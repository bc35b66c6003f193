/// The host of a request: its `Host` field, with which the authority of the target must agree.
struct RequestHost {
    var value: ByteRange
    var name: Authority

    @inline(__always)
    init(
        _ input: HeadInput, _ fields: FieldTable, _ target: RequestTarget, minorVersion: UInt8
    ) throws(HeadError) {
        guard fields.count(of: .host) <= 1 else { throw .malformed(reason: "more than one Host") }
        guard let field = fields.first(.host) else {
            guard minorVersion == 0 else { throw .malformed(reason: "no Host") }
            try self.init(absent: input, target)
            return
        }
        guard let name = Authority(input.base, field.value) else { throw .malformed(reason: "invalid Host") }
        self.init(value: field.value, name: name)
        if let authority = target.authority { try agree(input, authority, target) }
    }

    private init(value: ByteRange, name: Authority) {
        (self.value, self.name) = (value, name)
    }

    /// In HTTP/1.0 without a `Host`, the authority of the target replaces it, if there is one.
    private init(absent input: HeadInput, _ target: RequestTarget) throws(HeadError) {
        guard let authority = target.authority else {
            self.init(value: .empty, name: .none)
            return
        }
        self.init(value: authority, name: try RequestHost.authorityName(input, authority, target))
    }

    @inline(never)
    private func agree(_ input: HeadInput, _ authority: ByteRange, _ target: RequestTarget) throws(HeadError) {
        let other = try RequestHost.authorityName(input, authority, target)
        guard (name.port ?? target.defaultPort) == (other.port ?? target.defaultPort),
            ASCII.equals(input.bytes(name.name), input.bytes(other.name))
        else {
            throw .malformed(reason: "the target's authority differs from Host")
        }
    }

    private static func authorityName(
        _ input: HeadInput, _ authority: ByteRange, _ target: RequestTarget
    ) throws(HeadError) -> Authority {
        guard let name = Authority(input.base, authority) else {
            throw .malformed(reason: "invalid authority in the request target")
        }
        guard target.form != .authority || name.port != nil else {
            throw .malformed(reason: "the target of CONNECT has no port")
        }
        return name
    }
}
