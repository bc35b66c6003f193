import HTTPWire
import Testing

@Suite struct ConnectionTests {
    struct Reuse: Sendable {
        var minor: Int
        var value: String?
        var keepAlive: Bool

        init(_ minor: Int, _ value: String?, _ keepAlive: Bool) {
            (self.minor, self.value, self.keepAlive) = (minor, value, keepAlive)
        }

        static let table = [
            Reuse(1, nil, true), Reuse(1, "close", false), Reuse(1, "Close", false), Reuse(1, "keep-alive", true),
            Reuse(1, "keep-alive, close", false), Reuse(1, ",, x ,\tCLOSE,", false), Reuse(1, "closed", true),
            Reuse(1, "", true), Reuse(0, nil, false), Reuse(0, "close", false), Reuse(0, "keep-alive", true),
            Reuse(0, "Keep-Alive", true), Reuse(0, "keep-alive, close", false), Reuse(0, "x", false),
        ]
    }

    @Test(arguments: Reuse.table)
    func aRequestSaysWhetherItsConnectionMayServeAnother(reuse: Reuse) throws {
        let line = reuse.value.map { "Connection: \($0)\r\n" } ?? ""
        let request = try ParsedRequest("GET / HTTP/1.\(reuse.minor)\r\nHost: a\r\n\(line)\r\n")
        #expect(request.head.keepAlive == reuse.keepAlive)
    }

    @Test(arguments: Reuse.table)
    func aResponseSaysWhetherItsConnectionMayServeAnother(reuse: Reuse) throws {
        let line = reuse.value.map { "Connection: \($0)\r\n" } ?? ""
        let response = try ParsedResponse("HTTP/1.\(reuse.minor) 200 OK\r\nContent-Length: 0\r\n\(line)\r\n")
        #expect(response.head.keepAlive == reuse.keepAlive)
    }

    @Test func severalConnectionFieldsCountAsOne() throws {
        #expect(try !ParsedRequest(get("Connection: keep-alive", "X: y", "Connection: close")).head.keepAlive)
    }

    @Test func connectionFieldsAreBounded() throws {
        let longest = String(repeating: ",", count: 4096)
        _ = try ParsedRequest(get("Connection: \(longest)"))
        #expect(throws: HeadError.malformed(reason: "too long Connection fields")) {
            try ParsedRequest(get("Connection: \(longest)", "Connection: ,"))
        }
    }

    @Test(
        "A-16: fields that Connection names are marked, in whatever case",
        arguments: [
            "X-Auth-Uid, x-forwarded-for", "x-auth-uid,X-FORWARDED-FOR", "close , X-AUTH-UID\t, ,x-Forwarded-For",
        ])
    func namedFieldsAreMarked(value: String) throws {
        let lines = ["X-Auth-Uid: a", "X-Forwarded-For: b", "X-Auth: c", "x-auth-uid: d"]
        let request = try ParsedRequest(get("Connection: \(value)", lines[0], lines[1], lines[2], lines[3]))
        let named = (0..<request.fields.count).filter { request.fields[$0].isNamedByConnection }
        #expect(named == [2, 3, 5])
        #expect(request.head.hasConnectionOptions)
    }

    @Test("A-16: any name can be asked for, as trailers need it")
    func anyNameCanBeAsked() throws {
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
    func optionsThatNameNoOtherFieldNeedNoLook(value: String) throws {
        #expect(try !ParsedRequest(get("Connection: \(value)")).head.hasConnectionOptions)
    }

    @Test(arguments: ["a b", "\"x\"", "x;y", "x=y", "@", "\u{e9}", "Host", "content-length"])
    func anOptionThatIsNoTokenOrFramesOrRoutesIsMalformed(value: String) {
        #expect(refusal(get("Connection: \(value)")) == .malformed(reason: "invalid Connection option"))
    }

    @Test func aMalformedOptionOfAResponseEndsTheConnectionOnly() throws {
        #expect(try !ParsedResponse(answer(200, "Content-Length: 0", "Connection: a b")).head.keepAlive)
        let response = try ParsedResponse(answer(200, "Content-Length: 0", "Connection: content-length"))
        #expect(!response.head.keepAlive)
        #expect(!response.fields[0].isNamedByConnection)
    }

    @Test func optionsAreBounded() {
        let most = Array(repeating: "x", count: 64).joined(separator: ",")
        #expect(refusal(get("Connection: \(most)")) == nil)
        #expect(
            refusal(get("Connection: \(most)", "Connection: y")) == .malformed(reason: "too many Connection options"))
    }

    @Test("A-17: an upgrade needs HTTP/1.1, the field, and its name in Connection")
    func upgrade() throws {
        #expect(try ParsedRequest(get("Connection: upgrade, X-Auth-Uid", "Upgrade: websocket")).head.hasUpgrade)
        #expect(try !ParsedRequest(get("Upgrade: websocket")).head.hasUpgrade)
        #expect(try !ParsedRequest(get("Connection: upgrade")).head.hasUpgrade)
        let old = "GET / HTTP/1.0\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
        #expect(try !ParsedRequest(old).head.hasUpgrade)
    }

    @Test func hopByHopFieldsAreToldByKindAndByName() throws {
        let request = try ParsedRequest(
            get("Connection: X-Mine", "Keep-Alive: 5", "TE: trailers", "X-Mine: y", "Accept: */*"))
        #expect(
            (0..<request.fields.count).map { request.fields[$0].isHopByHop } == [false, true, true, true, true, false])
    }
}
