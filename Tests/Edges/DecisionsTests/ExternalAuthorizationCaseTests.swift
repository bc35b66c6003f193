import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore
import Routing
import Testing

@testable import Decisions

/// Cases of external authorization that concern requests of proxies over HTTP and messages of Envoy over gRPC alike.
struct ExternalAuthorizationCaseTests {
    /// A form in which a proxy describes a request for `/a` with further fields.
    enum Form: CaseIterable {
        case forward, original, envoy, check
        /// Envoy's message with repeated fields apart.
        case separate

        func read(_ lines: [String]) throws -> OriginalRequest {
            var asked = AskedRequest()
            switch self {
            case .forward: break
            case .original:
                asked.line = "GET /authz/original HTTP/1.1"
                asked.fields = [
                    "Host: gatehouse", "X-Original-URL: https://example.com/a", "X-Original-Method: GET",
                    "X-Forwarded-For: 192.0.2.7",
                ]
            case .envoy:
                asked.line = "GET /authz/envoy/a HTTP/1.1"
                asked.fields = ["Host: example.com", "X-Forwarded-Proto: https", "X-Forwarded-For: 192.0.2.7"]
            case .check, .separate:
                let fields = (["X-Forwarded-Proto: https"] + lines).map { line in
                    let name = line.prefix { $0 != ":" }
                    return (name.lowercased(), String(line.dropFirst(name.count + 2)))
                }
                return try CheckRequestTests.read(CheckRequestTests.body(fields, isSeparate: self == .separate))
            }
            asked.fields += lines
            let family: ProxyFamily = self == .forward ? .forward : self == .original ? .original : .envoy
            return try asked.read(as: family).get()
        }

        /// The described request as text in lower case.
        func text(_ lines: String...) throws -> String {
            String(decoding: try read(lines).bytes, as: UTF8.self).lowercased()
        }
    }

    // MARK: - Requests

    @Test(arguments: Form.allCases)
    func `J-03: fields of the connection are not part of a described request`(_ form: Form) throws {
        let text = try form.text(
            "Connection: close, X-Hop", "X-Hop: a", "Keep-Alive: timeout=1", "TE: trailers", "Trailer: X-Sum",
            "Proxy-Authorization: Basic eDp5", "Proxy-Connection: close", "HTTP2-Settings: AAMAAABk", "X-Kept: b")
        for name in ["connection", "x-hop", "keep-alive", "te", "trailer", "proxy-authorization", "http2-settings"] {
            #expect(!text.contains("\r\n\(name):"), "\(name): \(text)")
        }
        #expect(text.contains("\r\nx-kept: b\r\n"))
    }

    @Test(arguments: Form.allCases, ["Content-Length: 7", "Transfer-Encoding: chunked", "Expect: 100-continue"])
    func `J-04: a described request has no body`(_ form: Form, _ line: String) throws {
        let (plain, with) = (try form.read([]), try form.read([line]))
        #expect(with.bytes == plain.bytes && with.head.framing == .none && !with.head.expectsContinue)
    }

    @Test(arguments: Form.allCases)
    func `J-05: the upgrade of a call is at most a described WebSocket`(_ form: Form) throws {
        let text = try form.text(
            "Connection: Upgrade, HTTP2-Settings", "Upgrade: websocket", "HTTP2-Settings: AAMAAABk",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
        #expect(text.components(of: "upgrade: ") == ["websocket"], "\(text)")
        #expect(text.components(of: "connection: ") == ["upgrade"], "\(text)")
        #expect(!text.contains("http2-settings"))
        #expect(try !form.text("Connection: close").contains("upgrade"))
        #expect(throws: DescriptionError.self) { try form.read(["Connection: Upgrade", "Upgrade: h2c"]) }
    }

    @Test(arguments: Form.allCases)
    func `J-06: all values of a repeated field are part of the request`(_ form: Form) throws {
        let text = try form.text(
            "Authorization: Bearer a", "Cookie: a=1", "Authorization: Bearer b", "X-Role-Hint: c", "Cookie: d=2")
        #expect(text.components(of: "authorization: ") == ["bearer a", "bearer b"], "\(text)")
        #expect(text.components(of: "cookie: ") == ["a=1", "d=2"], "\(text)")
    }

    @Test func `J-08: described requests share no state`() throws {
        let reader = OriginalRequestReader(AskedRequest.names, scratch: PathScratch())
        let bodies = [
            CheckRequestTests.body([("x-forwarded-proto", "https"), ("authorization", "Bearer a")]),
            CheckRequestTests.body([("x-forwarded-proto", "http")], address: "192.0.2.8"),
            CheckRequestTests.body([("x-forwarded-proto", "https"), ("cookie", "b=c")], isSeparate: true),
        ]
        let alone = try bodies.map { try CheckRequestTests.read($0) }
        // All of them exist at the same time, as requests that wait for lookups do.
        let together = try (0..<3).flatMap { _ in try bodies.map { try reader.read(try CheckRequest(body: $0)) } }
        for (index, request) in together.enumerated() {
            let expected = alone[index % alone.count]
            #expect(request.bytes == expected.bytes && request.client.text == expected.client.text)
            #expect(request.client.isSecure == expected.client.isSecure)
        }
    }

    // MARK: - Responses

    @Test func `J-02: a message for Envoy is bounded by the request and the limit of the identity`() throws {
        let name = String(repeating: "a", count: 900)
        let body = CheckRequestTests.body(
            [("x-forwarded-proto", "https")] + (0..<250).map { ("x-auth-\(name)\($0)", "v") })
        #expect(body.count < CheckRequest.bodyLimit)
        let renderer = PermittingResponse(AskedRequest.names, isCompact: true, limit: 4_096)
        let message = try #require(
            renderer.render(identity: Array("X-Auth-Uid: u\r\n".utf8), auth: nil, for: try CheckRequest(body: body)))
        #expect(message.count < body.count + 8_192)
    }

    @Test(arguments: DecisionCode.allCases)
    func `J-02, J-03, J-06: a denial for Envoy has the fields of one over HTTP, but none of the connection`(
        _ code: DecisionCode
    ) throws {
        var denial = Denial(code, maxAge: 300)
        denial.cookieLine = Array("Set-Cookie: __session=; Max-Age=0\r\n".utf8)
        let additions = ResponseFieldPolicy(
            cors: nil, set: [("Vary", "Cookie"), ("WWW-Authenticate", "Basic realm=\"a\"")], removed: [])
        let status = DecisionStatus.status(of: code)
        let problem = ProblemResponse(
            denial: denial, status: status, record: RequestRecord(), closes: true, additions: additions)
        let message = CheckResponse.denying(problem, status: status)
        #expect(message.count < 8_192)
        var output = ByteBuffer()
        problem.write(into: &output, date: [])
        let head = String(decoding: output.readableBytesView, as: UTF8.self).prefix { $0 != "{" }
        let expected = head.split(separator: "\r\n").dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            return "\(name.lowercased())\(line.dropFirst(name.count))"
        }
        let fields = try Self.fields(ofDenied: message)
        #expect(fields == expected.filter { !$0.hasPrefix("content-length:") && !$0.hasPrefix("connection:") })
        #expect(fields.filter { $0.hasPrefix("set-cookie: ") }.count == 1)
        #expect(fields.contains("www-authenticate: Basic realm=\"a\""))
        for field in fields { #expect(!field.contains { $0.isNewline }) }
    }

    /// The fields of a message for a denied request, as lines. Envoy drops those that are appended.
    private static func fields(ofDenied message: [UInt8]) throws -> [String] {
        var fields: [String] = []
        for denied in try values(of: 2, in: message[...]) {
            for option in try values(of: 2, in: denied) {
                #expect(try values(of: 2, in: option) == [[]])
                for header in try values(of: 1, in: option) {
                    let texts = try (values(of: 1, in: header) + values(of: 2, in: header)).map {
                        String(decoding: $0, as: UTF8.self)
                    }
                    fields.append(texts.joined(separator: ": "))
                }
            }
        }
        return fields
    }

    private static func values(of number: UInt64, in message: ArraySlice<UInt8>) throws -> [ArraySlice<UInt8>] {
        var (found, reader) = ([ArraySlice<UInt8>](), ProtobufReader(message))
        while let field = try reader.next() {
            if field.number == number { found.append(try field.value.bytes(of: "field")) }
        }
        return found
    }
}

extension String {
    /// The values of the field lines with this start.
    fileprivate func components(of start: String) -> [String] {
        split(separator: "\r\n").filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }
}
