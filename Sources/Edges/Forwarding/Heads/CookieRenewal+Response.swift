import GatewayCore
import HTTPServer
import HTTPWire

extension CookieRenewal {
    /// Returns the field lines to add to a response of an upstream. `nil` if the response keeps the cookie as it is.
    ///
    /// The renewed cookie must not enter a shared cache, from which other users would receive it: neither with a
    /// response that states its freshness, nor with a 304 response, whose fields replace those of a stored response
    /// (RFC 9111 section 3.2). A cookie of that name from the upstream has precedence.
    func lines(
        with head: ResponseHead, bytes: UnsafeRawBufferPointer, fields: FieldTable, additions: ResponseFieldPolicy?
    ) -> [UInt8]? {
        guard head.status != 304 else { return nil }
        var caching = additions?.caching ?? ResponseCaching()
        for index in 0..<fields.count {
            let field = fields[index]
            let name = field.name.bytes(in: bytes)
            if let removed = additions?.removed, removed.matches(name) { continue }
            let value = field.value.bytes(in: bytes)
            if field.kind == .setCookie, concerns(value) { return nil }
            caching.read(name, value)
        }
        guard caching.permitsCookie, let lines = lines() else { return nil }
        return caching.isStated ? lines : lines + Self.privateLine
    }

    /// No shared cache may store a response with a session cookie (RFC 9111 section 7.3).
    private static let privateLine = Array("Cache-Control: private\r\n".utf8)

    /// Returns whether a `Set-Cookie` value sets or clears the cookie.
    private func concerns(_ value: UnsafeRawBufferPointer) -> Bool {
        var name = value.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
        while let last = name.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { name.removeLast() }
        return names.contains { $0.utf8.elementsEqual(name) }
    }
}
