/// A difference between NIO's reading and ours that is intended. An unlisted difference fails the run.
enum KnownDifference: String, Sendable, CaseIterable {
    // We accept and NIO refuses.
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
    /// The end of a response to CONNECT: NIO reads the tunnel's bytes, and the body of a refusal, as further responses.
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

    /// The difference for NIO's reason to refuse our current message, or the bytes after the previous one.
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

    /// Whether there is one `Content-Length` of digits, so that NIO can only object to the whitespace around it.
    fileprivate var hasLength: Bool {
        let values = values("content-length")
        return values.count == 1 && values[0].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Whether llhttp does not know the method.
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

extension KnownDifference {
    /// The rule that we follow.
    var section: String {
        switch self {
        case .extensionMethod: "RFC 9110 section 9.1"
        case .tabAfterLength, .whitespaceAfterValue: "RFC 9112 section 5.1"
        case .framingFieldInTrailers, .connectionFieldInTrailers: "RFC 9110 section 6.5.1"
        case .closeOfInterimResponse: "RFC 9112 section 9.6"
        case .refusedTunnel, .acceptedTunnel, .responseToHead: "RFC 9112 section 6.3"
        case .upgradeOfOldVersion, .upgradeToNothing: "RFC 9110 section 7.8"
        case .closeAmongOptions, .keepAliveAmongOptions: "RFC 9112 section 9.3"
        case .proxyConnection: "RFC 9112 appendix C.2.2"
        case .noContentWithLength: "RFC 9110 section 8.6"
        case .brokenConnectionOfResponse: "RFC 9110 section 7.6.1"
        }
    }

    /// The shortest stream that shows it.
    var example: Stream {
        switch self {
        case .extensionMethod: .requests("BREW / HTTP/1.1\r\nHost: a\r\n\r\n")
        case .tabAfterLength: .requests("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\t\r\n\r\nhello")
        case .framingFieldInTrailers: KnownDifference.trailed("Content-Length: 5")
        case .connectionFieldInTrailers: KnownDifference.trailed("Connection: close")
        case .closeOfInterimResponse:
            .responses(to: .get, text: "HTTP/1.1 103 x\r\nConnection: close\r\n\r\nHTTP/1.1 204 x\r\n\r\n")
        case .refusedTunnel: .responses(to: .connect, text: "HTTP/1.1 407 x\r\nContent-Length: 5\r\n\r\nhello")
        case .acceptedTunnel: .responses(to: .connect, text: "HTTP/1.1 200 x\r\n\r\n")
        case .upgradeOfOldVersion:
            .requests("GET / HTTP/1.0\r\nConnection: keep-alive, upgrade\r\nUpgrade: x\r\n\r\nGET / HTTP/1.0\r\n\r\n")
        case .upgradeToNothing:
            .requests(
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade:\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
        case .closeAmongOptions: .requests("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\t\r\n\r\n")
        case .keepAliveAmongOptions: .requests("GET / HTTP/1.0\r\nConnection: keep-alive\t\r\n\r\n")
        case .proxyConnection: .requests("GET / HTTP/1.1\r\nHost: a\r\nProxy-Connection: close\r\n\r\n")
        case .responseToHead: .responses(to: .head, text: "HTTP/1.1 200 x\r\n\r\n")
        case .noContentWithLength: .responses(to: .get, text: "HTTP/1.1 204 x\r\nContent-Length: 5\r\n\r\n")
        case .brokenConnectionOfResponse: .responses(to: .get, text: "HTTP/1.1 204 x\r\nConnection: a b\r\n\r\n")
        case .whitespaceAfterValue: .requests("GET / HTTP/1.1\r\nHost: a \r\n\r\n")
        }
    }

    private static func trailed(_ line: String) -> Stream {
        .requests(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(line)\r\n\r\n"
                + "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    }
}
