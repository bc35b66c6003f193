/// Where NIO reads a message otherwise and we are right to differ. A way to differ that is not here fails the run.
enum KnownDifference: String, Sendable, CaseIterable {
    // NIO refuses what we accept.
    case extensionMethod
    case tabAfterLength
    case framingFieldInTrailers
    case connectionFieldInTrailers
    case closeOfInterimResponse
    // Both accept, and differ in where the connection's next message begins.
    case refusedTunnel
    case upgradeOfOldVersion
    case upgradeToNothing
    case acceptedTunnel
    // Both accept, and differ in whether the connection has a next message.
    case closeAmongOptions
    case keepAliveAmongOptions
    case proxyConnection
    case responseToHead
    case noContentWithLength
    case brokenConnectionOfResponse
    // Both accept, and differ in nothing but how a value is handed over.
    case whitespaceAfterValue
}

extension KnownDifference {
    /// Where an answer to CONNECT ends: NIO takes the tunnel's bytes as further answers, and a refusal's body too.
    init?(framing mine: ReadMessage, to method: RequestMethod?) {
        guard case .response(let status) = mine.start, method == .connect, !mine.isInterim, status != 101 else {
            return nil
        }
        self = (200..<300).contains(status) ? .acceptedTunnel : .refusedTunnel
    }

    /// Whether the connection is kept alive after a message that was read alike.
    init?(keepAlive mine: ReadMessage, to method: RequestMethod?) {
        let options = mine.values("connection").flatMap(KnownDifference.members)
        if mine.keepAlive {
            guard let difference = KnownDifference(kept: mine, to: method, options) else { return nil }
            self = difference
        } else {
            guard let difference = KnownDifference(closed: mine, to: method, options) else { return nil }
            self = difference
        }
    }

    private init?(kept mine: ReadMessage, to method: RequestMethod?, _ options: [String]) {
        let isFramed = !mine.values("content-length").isEmpty || !mine.values("transfer-encoding").isEmpty
        if method == .head, !isFramed {
            self = .responseToHead
        } else if mine.values("proxy-connection").flatMap(KnownDifference.members).contains("close") {
            self = .proxyConnection
        } else if mine.minorVersion == 0, options.contains("keep-alive") {
            self = .keepAliveAmongOptions
        } else {
            return nil
        }
    }

    private init?(closed mine: ReadMessage, to method: RequestMethod?, _ options: [String]) {
        let isFramed = mine.values("content-length").contains { $0 != "0" } || !mine.values("transfer-encoding").isEmpty
        if options.contains("close") {
            self = .closeAmongOptions
        } else if mine.start == .response(status: 101) {
            self = .acceptedTunnel
        } else if isFramed, method == .head || [.response(status: 204), .response(status: 304)].contains(mine.start) {
            self = .noContentWithLength
        } else if case .response = mine.start, options.contains(where: KnownDifference.isNoOption) {
            self = .brokenConnectionOfResponse
        } else if mine.values("proxy-connection").flatMap(KnownDifference.members).contains("keep-alive") {
            self = .proxyConnection
        } else {
            return nil
        }
    }

    /// Why NIO refuses, for this reason, our message at hand, or what follows the one before it.
    init?(refusedByNIO reason: String, _ mine: ReadMessage?, after previous: ReadMessage?) {
        if let previous, reason.hasPrefix("data received after completed connection") {
            guard let difference = KnownDifference(closedAfter: previous) else { return nil }
            self = difference
        } else if mine?.hasExtensionMethod == true {
            self = .extensionMethod
        } else if mine?.hasTrailer(["content-length", "transfer-encoding"]) == true {
            self = .framingFieldInTrailers
        } else if mine?.hasLength == true, reason == "invalid character in content-length header" {
            self = .tabAfterLength
        } else {
            return nil
        }
    }

    /// Why NIO reads nothing after a message that kept the connection alive by its head.
    private init?(closedAfter previous: ReadMessage) {
        if previous.isInterim {
            self = .closeOfInterimResponse
        } else if previous.hasTrailer(["connection", "proxy-connection"]) {
            self = .connectionFieldInTrailers
        } else if previous.hasTrailer(["transfer-encoding"]) {
            self = .framingFieldInTrailers
        } else {
            return nil
        }
    }

    /// Whether an option is no token, or names a field that every recipient needs.
    private static func isNoOption(_ option: String) -> Bool {
        ["host", "content-length"].contains(option) || !option.utf8.allSatisfy(isToken)
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x7C, 0x7E, 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E: true
        default: false
        }
    }

    /// The members of a comma-separated list, in lower case (RFC 9110 section 5.6.1).
    private static func members(_ value: String) -> [String] {
        value.utf8.split(separator: 0x2C).map { part in
            let text = part.drop { $0 == 0x20 || $0 == 0x09 }.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed()
            return String(decoding: Array(text), as: UTF8.self).lowercased()
        }
    }
}

extension ReadMessage {
    fileprivate func hasTrailer(_ names: [String]) -> Bool {
        trailers.contains { names.contains($0.name.lowercased()) }
    }

    /// Whether there is one `Content-Length` of digits, in which NIO has nothing to object to but what surrounds it.
    fileprivate var hasLength: Bool {
        let values = values("content-length")
        return values.count == 1 && values[0].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Whether the method is none that llhttp knows of HTTP.
    fileprivate var hasExtensionMethod: Bool {
        guard case .request(let method, _) = start else { return false }
        return !ReadMessage.methods.contains(method)
    }

    private static let methods: Set = [
        "DELETE", "GET", "HEAD", "POST", "PUT", "CONNECT", "OPTIONS", "TRACE", "COPY", "LOCK", "MKCOL", "MOVE",
        "PROPFIND", "PROPPATCH", "SEARCH", "UNLOCK", "BIND", "REBIND", "UNBIND", "ACL", "REPORT", "MKACTIVITY",
        "CHECKOUT", "MERGE", "M-SEARCH", "NOTIFY", "SUBSCRIBE", "UNSUBSCRIBE", "PATCH", "PURGE", "MKCALENDAR", "LINK",
        "UNLINK", "SOURCE", "QUERY",
    ]
}
