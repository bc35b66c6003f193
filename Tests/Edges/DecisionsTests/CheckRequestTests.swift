import GatewayCore
import HTTPServer
import HTTPWire
import Routing
import Testing

@testable import Decisions

/// Messages of Envoy's filter over gRPC. DecisionCheckTests calls the same code with Google's implementation.
struct CheckRequestTests {
    static func message(_ fields: (UInt8, [UInt8])...) -> [UInt8] {
        var writer = ProtobufWriter()
        for (number, value) in fields { writer.add(number, value) }
        return writer.bytes
    }

    /// A message of Envoy.
    ///
    /// - Parameter isSeparate: Whether the fields are sent as a `HeaderMap`.
    static func body(
        _ headers: [(String, String)] = [("x-forwarded-proto", "https")], address: String = "192.0.2.7",
        isSeparate: Bool = false
    ) -> [UInt8] {
        var http = ProtobufWriter()
        for (number, text) in [(UInt8(2), "GET"), (4, "/a"), (5, "example.com")] { http.add(number, text.utf8) }
        let entries = headers.map { message((1, Array($0.0.utf8)), (2, Array($0.1.utf8))) }
        if isSeparate {
            var map = ProtobufWriter()
            for entry in entries { map.add(1, entry) }
            http.add(13, map.bytes)
        } else {
            for entry in entries { http.add(3, entry) }
        }
        let peer = message((1, message((1, message((2, Array(address.utf8)))))))
        let request = message((1, message((1, peer), (4, message((2, http.bytes))))))
        return [0] + withUnsafeBytes(of: UInt32(request.count).bigEndian) { Array($0) } + request
    }

    static func read(_ body: [UInt8]) throws -> OriginalRequest {
        try OriginalRequestReader(AskedRequest.names, scratch: PathScratch()).read(try CheckRequest(body: body))
    }

    @Test func `the client is the peer of Envoy, and its own list is for trusted proxies to confirm`() throws {
        let lists = [
            ("192.0.2.7", ""), ("10.0.0.1, 192.0.2.7", "10.0.0.1"), ("10.0.0.1", "10.0.0.1"),
            ("192.0.2.7, 10.0.0.1", "192.0.2.7, 10.0.0.1"),
        ]
        for (list, earlier) in lists {
            let original = try Self.read(Self.body([("x-forwarded-proto", "https"), ("x-forwarded-for", list)]))
            #expect(original.client.text == "192.0.2.7" && original.client.isSecure)
            let text = String(decoding: original.bytes, as: UTF8.self)
            #expect(text.contains("X-Forwarded-For") == !earlier.isEmpty)
            #expect(earlier.isEmpty || text.contains("X-Forwarded-For: \(earlier)\r\n"), "\(text)")
        }
    }

    @Test(arguments: ["evil", "10.0.0.256", "unknown, 1.1.1.1"])
    func `J-33: an address that is none is a denial`(_ address: String) {
        #expect(throws: DescriptionError("attributes.source.address is not an address")) {
            try Self.read(Self.body(address: address))
        }
    }

    @Test(arguments: [("a\r\nb", "c"), ("a", "b\r\nc: d"), ("", "a"), ("a b", "c"), ("a:b", "c"), ("a", "\u{0}")])
    func `J-24: no field ends its line`(_ name: String, _ value: String) {
        #expect(throws: DescriptionError.self) {
            try Self.read(Self.body([("x-forwarded-proto", "https"), (name, value)]))
        }
    }

    @Test func `J-24: every prefix of a message, and every change of a byte, is an error or another message`() throws {
        let body = Self.body([("x-forwarded-proto", "https"), ("authorization", "Bearer a")])
        for length in 0..<body.count {
            #expect(throws: ProtobufError.self) { try CheckRequest(body: Array(body[..<length])) }
        }
        var random = SystemRandomNumberGenerator()
        for index in body.indices {
            var changed = body
            changed[index] = UInt8.random(in: 0...255, using: &random)
            // It returns or throws.
            _ = try? Self.read(changed)
        }
    }

    @Test func `J-24: the number of fields is bounded`() {
        let many = (0..<CheckRequest.fieldLimit).map { ("a\($0)", "b") }
        #expect(throws: ProtobufError("the request has too many fields")) {
            try CheckRequest(body: Self.body(many + [("x-forwarded-proto", "https")]))
        }
    }

    @Test(arguments: DecisionCode.allCases)
    func `J-23: a denial has a status that is not zero`(_ code: DecisionCode) throws {
        let status = DecisionStatus.status(of: code)
        let problem = ProblemResponse(denial: Denial(code), status: status, record: RequestRecord(), closes: false)
        let bytes = CheckResponse.denying(problem, status: status)
        var reader = ProtobufReader(bytes[...])
        let first = try #require(try reader.next())
        var nested = ProtobufReader(try first.value.bytes(of: "status"))
        let rpc = try #require(try nested.next())
        #expect(first.number == 1 && rpc.number == 1 && rpc.value == .varint(CheckResponse.code(of: status)))
        #expect(CheckResponse.code(of: status) != 0)
        let second = try #require(try reader.next())
        #expect(second.number == 2)
    }

    @Test func `J-20, J-21: a permit sets or removes each field, also an anonymous one`() throws {
        let sent = [("x-forwarded-proto", "https"), ("X-Auth-Uid", "root"), ("x-auth-other", "root")]
        let check = try CheckRequest(body: Self.body(sent))
        let renderer = PermittingResponse(AskedRequest.names, isCompact: true, limit: 4096)
        for identity in ["", "X-Auth-Uid: u\r\nX-Role: a\r\n"] {
            let message = try #require(renderer.render(identity: Array(identity.utf8), auth: nil, for: check))
            #expect(message.prefix(2) == [0x0A, 0], "an explicit status")
            let text = String(decoding: message, as: UTF8.self)
            #expect(text.contains("x-auth-other") && text.contains("x_auth_uid"))
        }
        let long = "X-Auth-Uid: \(String(repeating: "a", count: 5_000))\r\n"
        #expect(renderer.render(identity: Array(long.utf8), auth: nil, for: check) == nil)
    }
}
