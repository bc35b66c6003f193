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

    /// The shortest of what shows it.
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
