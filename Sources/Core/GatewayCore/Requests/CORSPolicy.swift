import HTTPWire

/// The CORS policy of a route (Fetch, section 3.3), with its response fields rendered in advance.
package final class CORSPolicy: Sendable {
    /// A listed origin and the field lines of responses to it.
    private struct Listed: Sendable {
        let origin: [UInt8]
        let lines: [UInt8]
    }

    /// The fields that scripts can always read: the step-up challenge and the retry delay.
    static let alwaysExposed = ["WWW-Authenticate", "Retry-After"]
    /// The index for an absent or unlisted origin.
    package static let nowhere = -1

    private let listed: [Listed]
    /// The field lines of responses to other origins.
    private let otherLines: [UInt8]
    private let allowsAll: Bool
    /// Whether requests with cookies are permitted, and their responses readable.
    let allowsCredentials: Bool
    /// `Access-Control-Allow-Methods` with its CRLF. `nil` to permit the requested method.
    private let methodsLine: [UInt8]?
    /// `Access-Control-Allow-Headers` with its CRLF. `nil` to permit the requested fields.
    private let headersLine: [UInt8]?
    private let maximumAgeLine: [UInt8]

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - origins: Origins as browsers send them; only `*` for all.
    ///   - methods: The permitted methods. Empty for all.
    ///   - headers: The permitted fields. `nil` for all.
    ///   - maximumAge: The lifetime of preflight responses, in seconds.
    package init(
        origins: [String], methods: [String], headers: [String]?, expose: [String], credentials: Bool, maximumAge: Int64
    ) {
        allowsAll = origins == ["*"]
        allowsCredentials = credentials && !allowsAll
        let always = "Access-Control-Expose-Headers: \((Self.alwaysExposed + expose).joined(separator: ", "))\r\n"
        let rest = (credentials ? "Access-Control-Allow-Credentials: true\r\n" : "") + always
        listed =
            allowsAll
            ? []
            : origins.map { origin in
                Listed(
                    origin: Array(origin.utf8),
                    lines: Array("Access-Control-Allow-Origin: \(origin)\r\n\(rest)Vary: Origin\r\n".utf8))
            }
        otherLines = Array((allowsAll ? "Access-Control-Allow-Origin: *\r\n\(always)" : "Vary: Origin\r\n").utf8)
        methodsLine = methods.isEmpty ? nil : Self.line("Access-Control-Allow-Methods", methods)
        headersLine = headers.map { Self.line("Access-Control-Allow-Headers", $0) }
        maximumAgeLine = Self.line("Access-Control-Max-Age", ["\(maximumAge)"])
    }

    private static func line(_ name: String, _ members: [String]) -> [UInt8] {
        Array("\(name): \(members.joined(separator: ", "))\r\n".utf8)
    }

    /// Returns the index of the only origin that a request names. `nowhere` if it is absent, repeated or not listed.
    package func place(of request: RequestView) -> Int {
        guard !listed.isEmpty, request.fields.count(of: .origin) == 1, let field = request.fields.first(.origin) else {
            return Self.nowhere
        }
        let origin = field.value.bytes(in: request.bytes)
        for index in listed.indices where ASCII.equals(origin, listed[index].origin) { return index }
        return Self.nowhere
    }

    /// Returns whether pages of the origin with this index can read responses.
    package func allows(_ place: Int) -> Bool { allowsAll || listed.indices.contains(place) }

    /// Returns whether the request is from a page that the configuration lists for requests with credentials. Such a
    /// page is exempt from the cross-site checks of WebSocket handshakes and of unsafe methods with the session cookie.
    package func allowsCredentials(of request: RequestView) -> Bool {
        allowsCredentials && request.fields.count(of: .secFetchSite) <= 1 && place(of: request) != Self.nowhere
    }

    /// Returns the field lines of a response to the origin with this index.
    @inline(__always)
    package func lines(to place: Int) -> [UInt8] {
        listed.indices.contains(place) ? listed[place].lines : otherLines
    }

    /// Returns the additional field lines of a preflight response.
    package func lines(answering preflight: Preflight, in head: UnsafeRawBufferPointer) -> [UInt8] {
        var lines = methodsLine ?? Self.line("Access-Control-Allow-Methods", [preflight.methodName(in: head)])
        if let headersLine {
            lines += headersLine
        } else if !preflight.headers.isEmpty {
            lines += Self.line("Access-Control-Allow-Headers", preflight.headers)
        }
        return lines + maximumAgeLine
    }
}

extension CORSPolicy {
    /// The request fields that a preflight response depends on, for caches.
    package static let preflightVary = Array(
        "Vary: Access-Control-Request-Method, Access-Control-Request-Headers\r\n".utf8)
}
