import GatewayCore
import HTTPWire

/// The request of a proxy.
struct AskingRequest {
    let view: RequestView

    init(_ view: RequestView) {
        self.view = view
    }

    /// Returns the value of the only field with this name, which is not empty.
    func only(_ name: StaticString) throws(DescriptionError) -> UnsafeRawBufferPointer {
        var found: UnsafeRawBufferPointer?
        for index in 0..<view.fields.count {
            let field = view.fields[index]
            guard ASCII.equals(field.name.bytes(in: view.bytes), name) else { continue }
            guard found == nil else { throw DescriptionError("\(name) occurs twice") }
            found = field.value.bytes(in: view.bytes)
        }
        guard let found else { throw DescriptionError("\(name) is missing") }
        guard !found.isEmpty else { throw DescriptionError("\(name) is empty") }
        return found
    }

    /// Returns whether there is a field with this name.
    func has(_ name: StaticString) -> Bool {
        (0..<view.fields.count).contains { ASCII.equals(view.fields[$0].name.bytes(in: view.bytes), name) }
    }
}

/// Method, target, host and scheme of the original request, in the form of one family of proxies.
struct DescribedTarget {
    let method: UnsafeRawBufferPointer
    /// The path and the query.
    let target: UnsafeRawBufferPointer
    let host: UnsafeRawBufferPointer
    let isSecure: Bool

    init(_ asked: AskingRequest, _ family: ProxyFamily) throws(DescriptionError) {
        switch family {
        case .forward: try self.init(forward: asked)
        case .original: try self.init(original: asked)
        case .envoy: try self.init(envoy: asked)
        }
    }

    private init(forward asked: AskingRequest) throws(DescriptionError) {
        method = try Self.method(asked, "X-Forwarded-Method")
        target = try asked.only("X-Forwarded-Uri")
        host = try asked.only("X-Forwarded-Host")
        isSecure = try Self.isSecure(try asked.only("X-Forwarded-Proto"), "X-Forwarded-Proto")
        try Self.check(target, of: "X-Forwarded-Uri")
        try Self.check(host: host, of: "X-Forwarded-Host")
    }

    private init(original asked: AskingRequest) throws(DescriptionError) {
        method = try Self.method(asked, "X-Original-Method")
        let url = try asked.only("X-Original-URL")
        let name: StaticString = "X-Original-URL"
        guard let colon = url.firstIndex(of: UInt8(ascii: ":")), url[colon...].starts(with: "://".utf8),
            let slash = url[(colon + 3)...].firstIndex(of: UInt8(ascii: "/"))
        else { throw DescriptionError("\(name) is not a URL with a path") }
        isSecure = try Self.isSecure(UnsafeRawBufferPointer(rebasing: url[..<colon]), name)
        host = UnsafeRawBufferPointer(rebasing: url[(colon + 3)..<slash])
        target = UnsafeRawBufferPointer(rebasing: url[slash...])
        try Self.check(target, of: name)
        try Self.check(host: host, of: name)
    }

    private init(envoy asked: AskingRequest) throws(DescriptionError) {
        try self.init(asked, after: ProxyFamily.envoy.path.utf8CodeUnitCount)
    }

    /// The head that ``CheckRequest`` describes. Envoy sets `X-Forwarded-Proto`; the scheme of a request over HTTP/2 is
    /// the client's own.
    init(check asked: AskingRequest) throws(DescriptionError) {
        try self.init(asked, after: 0)
    }

    private init(_ asked: AskingRequest, after prefix: Int) throws(DescriptionError) {
        let (head, bytes) = (asked.view.head, asked.view.bytes)
        method = head.methodRange.bytes(in: bytes)
        let whole = head.target.bytes(in: bytes)
        guard head.targetForm == .origin else { throw DescriptionError("the request target has no path") }
        target = UnsafeRawBufferPointer(rebasing: whole[prefix...])
        host = head.host.bytes(in: bytes)
        isSecure = try Self.isSecure(try asked.only("X-Forwarded-Proto"), "X-Forwarded-Proto")
        try Self.check(host: host, of: "Host")
    }

    private static func method(
        _ asked: AskingRequest, _ name: StaticString
    ) throws(DescriptionError) -> UnsafeRawBufferPointer {
        let method = try asked.only(name)
        guard ASCII.isToken(method), method.count <= HTTPWire.Method.maximumLength else {
            throw DescriptionError("\(name) is not a method")
        }
        return method
    }

    /// Only the two spellings that proxies write.
    private static func isSecure(
        _ scheme: UnsafeRawBufferPointer, _ name: StaticString
    ) throws(DescriptionError) -> Bool {
        if scheme.elementsEqual("https".utf8) { return true }
        guard scheme.elementsEqual("http".utf8) else { throw DescriptionError("\(name) is neither http nor https") }
        return false
    }

    private static func check(_ target: UnsafeRawBufferPointer, of name: StaticString) throws(DescriptionError) {
        guard target.first == UInt8(ascii: "/") else { throw DescriptionError("\(name) does not begin with a path") }
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        for index in path.indices.dropLast()
        where path[index] == UInt8(ascii: ",") && path[index + 1] == UInt8(ascii: "/") {
            throw DescriptionError("\(name) is a list")
        }
    }

    private static func check(host: UnsafeRawBufferPointer, of name: StaticString) throws(DescriptionError) {
        let range = ByteRange(start: 0, length: UInt32(truncatingIfNeeded: host.count))
        guard Authority(range, in: host) != nil else { throw DescriptionError("\(name) has no valid host") }
    }
}
