import HTTPWire

/// Which pages may read a route's answers, with the lines that tell their browsers so (Fetch, section 3.3), rendered beforehand.
package final class CORSPolicy: Sendable {
    /// A listed origin, and the lines of every answer to it.
    private struct Listed: Sendable {
        let origin: [UInt8]
        let lines: [UInt8]
    }

    /// What scripts may always read: the challenge that asks for a step-up, and when to come again.
    static let alwaysExposed = ["WWW-Authenticate", "Retry-After"]
    /// The place of an origin that is none of the listed ones, or of none.
    package static let nowhere = -1

    private let listed: [Listed]
    /// The lines of answers to all others.
    private let otherLines: [UInt8]
    private let allowsAll: Bool
    /// Whether cookies count, and pages read answers to requests with them.
    let allowsCredentials: Bool
    /// `Access-Control-Allow-Methods` with its line end; nil: the one that is asked for.
    private let methodsLine: [UInt8]?
    /// `Access-Control-Allow-Headers` with its line end; nil: those that are asked for.
    private let headersLine: [UInt8]?
    private let maximumAgeLine: [UInt8]

    /// - Parameters:
    ///   - origins: as browsers send them; `*` alone for all.
    ///   - methods: empty: any.
    ///   - headers: nil: any.
    ///   - maximumAge: in seconds.
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

    /// The place of the one origin that a request names; `nowhere` where it names none, several, or one that is not listed.
    package func place(of request: RequestView) -> Int {
        guard !listed.isEmpty, request.fields.count(of: .origin) == 1, let field = request.fields.first(.origin) else {
            return Self.nowhere
        }
        let origin = field.value.bytes(in: request.bytes)
        for index in listed.indices where ASCII.equals(origin, listed[index].origin) { return index }
        return Self.nowhere
    }

    /// Whether pages of the origin at this place may read answers.
    package func allows(_ place: Int) -> Bool { allowsAll || listed.indices.contains(place) }

    /// Whether a page that the configuration lists for calls with credentials sent the request: no page of a foreign site then, for all
    /// that asks so (a WebSocket handshake, an unsafe method with our cookie).
    package func allowsCredentials(of request: RequestView) -> Bool {
        allowsCredentials && request.fields.count(of: .secFetchSite) <= 1 && place(of: request) != Self.nowhere
    }

    /// The lines of an answer to the origin at this place.
    @inline(__always)
    package func lines(to place: Int) -> [UInt8] {
        listed.indices.contains(place) ? listed[place].lines : otherLines
    }

    /// What a preflight's answer has besides those lines.
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
    /// What every preflight's answer depends on, so that no cache gives it to another.
    package static let preflightVary = Array(
        "Vary: Access-Control-Request-Method, Access-Control-Request-Headers\r\n".utf8)
}
