import HTTPWire
import Testing

struct ConnectionTests {
    @Test(
        arguments: [
            (1, nil, true), (1, "close", false), (1, "Close", false), (1, "keep-alive", true),
            (1, "keep-alive, close", false), (1, ",, x ,\tCLOSE,", false), (1, "closed", true), (1, "", true),
            (0, nil, false), (0, "close", false), (0, "keep-alive", true), (0, "Keep-Alive", true),
            (0, "keep-alive, close", false), (0, "x", false),
        ] as [(Int, String?, Bool)])
    func `a message states whether its connection is kept alive`(minor: Int, value: String?, isKept: Bool) throws {
        let line = value.map { "Connection: \($0)\r\n" } ?? ""
        let request = try ParsedRequest("GET / HTTP/1.\(minor)\r\nHost: a\r\n\(line)\r\n")
        #expect(request.head.keepAlive == isKept)
        let response = try ParsedResponse("HTTP/1.\(minor) 200 OK\r\nContent-Length: 0\r\n\(line)\r\n")
        #expect(response.head.keepAlive == isKept)
    }

    @Test func `several Connection fields are one list`() throws {
        #expect(try !ParsedRequest(get("Connection: keep-alive", "X: y", "Connection: close")).head.keepAlive)
    }

    @Test func `the total length of Connection fields is limited`() throws {
        let longest = String(repeating: ",", count: 4096)
        _ = try ParsedRequest(get("Connection: \(longest)"))
        #expect(throws: HeadError.malformed(reason: "Connection fields are too long")) {
            try ParsedRequest(get("Connection: \(longest)", "Connection: ,"))
        }
    }

    @Test(arguments: [
        "X-Auth-Uid, x-forwarded-for", "x-auth-uid,X-FORWARDED-FOR", "close , X-AUTH-UID\t, ,x-Forwarded-For",
    ])
    func `A-16: fields that Connection names are marked in any case`(value: String) throws {
        let lines = ["X-Auth-Uid: a", "X-Forwarded-For: b", "X-Auth: c", "x-auth-uid: d"]
        let request = try ParsedRequest(get("Connection: \(value)", lines[0], lines[1], lines[2], lines[3]))
        let named = (0..<request.fields.count).filter { request.fields[$0].isNamedByConnection }
        #expect(named == [2, 3, 5])
        #expect(request.head.hasConnectionOptions)
    }

    @Test func `A-16: trailers are compared with the names in Connection`() throws {
        let request = try ParsedRequest(get("Connection: close, X-One", "X: y", "connection: x-two"))
        func named(_ name: String) -> Bool {
            request.bytes.withUnsafeBytes { head in
                Array(name.utf8).withUnsafeBytes { ConnectionOptions.name($0, in: head, request.fields) }
            }
        }
        #expect(named("X-ONE") && named("x-Two") && named("close"))
        #expect(!named("x-on") && !named("x-onee") && !named("x"))
    }

    @Test(arguments: ["close", "keep-alive", "Upgrade", "TE, close", ""])
    func `options that name no other field are ignored`(value: String) throws {
        #expect(try !ParsedRequest(get("Connection: \(value)")).head.hasConnectionOptions)
    }

    @Test(arguments: ["a b", "\"x\"", "x;y", "x=y", "@", "\u{e9}", "Host", "content-length"])
    func `an option that is not a token or names a framing or routing field is malformed`(value: String) {
        #expect(refusal(get("Connection: \(value)")) == .malformed(reason: "invalid Connection option"))
    }

    @Test func `a malformed option of a response only closes the connection`() throws {
        #expect(try !ParsedResponse(response(200, "Content-Length: 0", "Connection: a b")).head.keepAlive)
        let named = try ParsedResponse(response(200, "Content-Length: 0", "Connection: content-length"))
        #expect(!named.head.keepAlive)
        #expect(!named.fields[0].isNamedByConnection)
    }

    @Test func `the number of options is limited`() {
        let most = Array(repeating: "x", count: 64).joined(separator: ",")
        #expect(refusal(get("Connection: \(most)")) == nil)
        #expect(
            refusal(get("Connection: \(most)", "Connection: y")) == .malformed(reason: "too many Connection options"))
    }

    @Test func `A-17: an upgrade needs HTTP/1.1, the field, and its name in Connection`() throws {
        #expect(try ParsedRequest(get("Connection: upgrade, X-Auth-Uid", "Upgrade: websocket")).head.hasUpgrade)
        #expect(try !ParsedRequest(get("Upgrade: websocket")).head.hasUpgrade)
        #expect(try !ParsedRequest(get("Connection: upgrade")).head.hasUpgrade)
        let old = "GET / HTTP/1.0\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
        #expect(try !ParsedRequest(old).head.hasUpgrade)
    }

    @Test func `hop-by-hop fields are known by kind and by name`() throws {
        let request = try ParsedRequest(
            get("Connection: X-Mine", "Keep-Alive: 5", "TE: trailers", "X-Mine: y", "Accept: */*"))
        #expect(
            (0..<request.fields.count).map { request.fields[$0].isHopByHop } == [false, true, true, true, true, false])
    }
}
