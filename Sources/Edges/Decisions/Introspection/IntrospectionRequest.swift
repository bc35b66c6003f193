import TextCoding

/// The body of an introspection request (RFC 7662 section 2.1).
package struct IntrospectionRequest: Equatable, Sendable {
    /// The maximum size of a body, in bytes.
    package static let bodyLimit = 32_768
    /// The maximum of `max_age`, in seconds: a year.
    private static let longestAge: Int64 = 31_536_000

    /// Visible ASCII.
    package let token: [UInt8]
    /// The maximum age of the sign-in, in seconds. `nil` if it is not asked for.
    package let maxAge: Int64?

    /// Reads a form. `nil` if `token` is missing or repeated, or `max_age` is not a number of seconds up to a year.
    package init?(_ body: [UInt8]) {
        guard let token = FormEncoding.value(of: "token", in: body), !token.isEmpty else { return nil }
        self.token = Array(token.utf8)
        guard Self.has("max_age", body) else {
            maxAge = nil
            return
        }
        guard let text = FormEncoding.value(of: "max_age", in: body), text.utf8.count <= 8,
            text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }), let age = Int64(text),
            age <= Self.longestAge
        else { return nil }
        maxAge = age
    }

    private static func has(_ name: String, _ body: [UInt8]) -> Bool {
        body.split(separator: UInt8(ascii: "&")).contains { field in
            FormEncoding.decoded(field.prefix { $0 != UInt8(ascii: "=") })?.elementsEqual(name.utf8) ?? true
        }
    }

    /// Returns the request that presents the token, in the header or in the cookie of that name. `nil` if the token
    /// has bytes that no such credential has.
    package func presented(in place: CredentialPlace) -> [UInt8]? {
        guard token.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }) else {
            return nil
        }
        var head = Array("GET / HTTP/1.1\r\nHost: introspection\r\n".utf8)
        switch place {
        case .header(let name): head += "\(name): Bearer ".utf8
        case .cookie(let name): head += "Cookie: \(name)=".utf8
        }
        return head + token + Array("\r\n\r\n".utf8)
    }
}

/// A place of a credential in a request.
package enum CredentialPlace: Sendable {
    case header(String)
    case cookie(String)
}
