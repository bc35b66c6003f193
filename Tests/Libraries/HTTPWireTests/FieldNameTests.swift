import HTTPWire
import Testing

struct FieldNameTests {
    static let names: [(FieldKind, String)] = [
        (.host, "Host"), (.connection, "Connection"), (.contentLength, "Content-Length"),
        (.transferEncoding, "Transfer-Encoding"), (.authorization, "Authorization"), (.cookie, "Cookie"),
        (.expect, "Expect"), (.upgrade, "Upgrade"), (.te, "TE"), (.trailer, "Trailer"), (.keepAlive, "Keep-Alive"),
        (.proxyConnection, "Proxy-Connection"), (.proxyAuthorization, "Proxy-Authorization"),
        (.proxyAuthenticate, "Proxy-Authenticate"), (.proxyAuthenticationInfo, "Proxy-Authentication-Info"),
        (.http2Settings, "HTTP2-Settings"), (.date, "Date"), (.server, "Server"), (.via, "Via"), (.origin, "Origin"),
        (.accept, "Accept"), (.location, "Location"), (.contentType, "Content-Type"), (.setCookie, "Set-Cookie"),
        (.userAgent, "User-Agent"), (.retryAfter, "Retry-After"), (.wwwAuthenticate, "WWW-Authenticate"),
        (.secFetchSite, "Sec-Fetch-Site"), (.secWebSocketKey, "Sec-WebSocket-Key"), (.forwarded, "Forwarded"),
        (.forwardedFor, "X-Forwarded-For"), (.forwardedProto, "X-Forwarded-Proto"),
        (.forwardedHost, "X-Forwarded-Host"), (.requestID, "X-Request-Id"), (.traceparent, "traceparent"),
        (.tracestate, "tracestate"), (.grpcTimeout, "grpc-timeout"),
    ]

    private func kind(_ name: some Sequence<UInt8>) -> FieldKind {
        Array(name).withUnsafeBytes { FieldNameClassifier.kind(of: $0) }
    }

    @Test func `every kind except other has a name`() {
        #expect(Set(FieldNameTests.names.map(\.0)) == Set(FieldKind.allCases).subtracting([.other]))
    }

    @Test(arguments: names) func `a name is known in any case`(expected: FieldKind, name: String) {
        #expect(kind(name.utf8) == expected)
        #expect(kind(name.lowercased().utf8) == expected)
        #expect(kind(name.uppercased().utf8) == expected)
    }

    @Test(arguments: names) func `a name that differs in one byte is another name`(expected: FieldKind, name: String) {
        let original = Array(name.utf8)
        for place in original.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = original
                changed[place] = byte
                let same = String(decoding: changed, as: UTF8.self).lowercased() == name.lowercased()
                #expect((kind(changed) == expected) == same, "byte \(byte) at \(place)")
            }
        }
    }

    @Test(arguments: names) func `a longer or shorter name is another name`(expected: FieldKind, name: String) {
        #expect(kind(name.utf8.dropLast()) != expected)
        #expect(kind(name.utf8.dropFirst()) != expected)
        #expect(kind((name + "s").utf8) != expected)
        #expect(kind((name.replacing("-", with: "_") + "_").utf8) != expected)
    }

    @Test func `the empty name is of the other kind`() {
        #expect(FieldNameClassifier.kind(of: UnsafeRawBufferPointer(start: nil, count: 0)) == .other)
        #expect(kind([]) == .other)
    }

    @Test func `comparison ignores the case of ASCII letters only`() {
        func equal(_ left: String, _ right: String) -> Bool {
            Array(left.utf8).withUnsafeBytes { ASCII.equals($0, Array(right.utf8)) }
        }
        #expect(equal("", "") && equal("aZ-09", "Az-09"))
        #expect(!equal("@", "`") && !equal("[", "{") && !equal("a", "ab") && !equal("\u{c9}", "\u{e9}"))
        #expect(!equal("-", "\r") && !equal("_", "\u{7f}"))
        #expect(Array("KEEP-alive".utf8).withUnsafeBytes { ASCII.equals($0, "keep-Alive") })
    }
}
