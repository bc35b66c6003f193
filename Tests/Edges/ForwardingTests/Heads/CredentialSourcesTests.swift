import Authentication
import GatewayCore
import HTTPWire
import SecurityRules
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import SystemFixtures

@Suite struct CredentialSourcesTests {
    private static let sources = CredentialSources(parameter: "access_token", takesProtocol: true)
    private static let locator = CredentialLocator(header: "Authorization", cookie: "__session")

    private func offer(_ target: String, _ lines: [String] = [], method: String = "GET") throws -> String {
        try withRequest("\(method) \(target) HTTP/1.1\r\nHost: a\r\n" + lines.map { "\($0)\r\n" }.joined() + "\r\n") {
            request in
            var found = Self.locator.find(in: request)
            Self.sources.find(in: request, &found)
            return switch found.offer(in: request.bytes) {
            case .none: "none"
            case .unsupported: "unsupported"
            case .ambiguous: "ambiguous"
            case .text(let bytes): "text \(String(decoding: bytes, as: UTF8.self))"
            case .token(let range, let kind):
                "\(kind) \(String(decoding: range.bytes(in: request.bytes), as: UTF8.self))"
            }
        }
    }

    @Test(arguments: [
        ("/", "none"), ("/?", "none"), ("/?a=b", "none"), ("/?access_token=a.b.c", "text a.b.c"),
        ("/?x=1&access_token=a.b.c&y", "text a.b.c"), ("/?access%5Ftoken=a%2eb.c", "text a.b.c"),
        ("/?%61ccess_token=x", "text x"), ("/?access_token", "text "), ("/?access_token=", "text "),
        ("/?access_token=%zz", "text "), ("/?access_token=a=b", "text a=b"), ("/?Access_Token=a", "none"),
        ("/?access_token=a&access_token=a", "ambiguous"), ("/?access_token=a&access%5ftoken=b", "ambiguous"),
        ("/?access_token%=a", "none"), ("/?a=access_token=b", "none"),
    ])
    func `a token may be in the query`(target: String, expected: String) throws {
        #expect(try offer(target) == expected)
    }

    @Test func `only GET and HEAD carry a token in the query`() throws {
        #expect(try offer("/?access_token=a", method: "HEAD") == "text a")
        #expect(try offer("/?access_token=a", method: "POST") == "none")
    }

    @Test(arguments: [
        (["bearer, a.b.c"], "text a.b.c"), (["bearer,a.b.c, chat"], "text a.b.c"), (["bearer, t", "chat"], "text t"),
        (["bearer"], "text "), (["bearer", "t"], "text "), (["chat, bearer, t"], "ambiguous"),
        (["chat", "bearer, t"], "ambiguous"), (["bearer, t, bearer"], "ambiguous"), (["bearer, bearer"], "text bearer"),
        (["Bearer, t"], "ambiguous"), (["chat, BEARER, t"], "ambiguous"), (["chat", "beareR"], "ambiguous"),
        (["bearer t"], "ambiguous"), (["bearer;t"], "ambiguous"), (["bearer, Bearer"], "text Bearer"),
        (["bearer.chat, t"], "none"), (["bear, t"], "none"), (["chat"], "none"),
    ])
    func `a token may be among the subprotocols`(values: [String], expected: String) throws {
        #expect(try offer("/", values.map { "Sec-WebSocket-Protocol: \($0)" }) == expected)
    }

    @Test func `two different tokens are ambiguous and a repeated token is not`() throws {
        #expect(try offer("/?access_token=a.b.c", ["Authorization: Bearer x.y.z"]) == "ambiguous")
        #expect(try offer("/?access_token=a.b.c", ["Authorization: Bearer a.b.c"]) == "idToken a.b.c")
        #expect(try offer("/?access_token=a.b.c", ["Cookie: __session=eyJ.b.c"]) == "ambiguous")
        #expect(try offer("/?access_token=a", ["Sec-WebSocket-Protocol: bearer, b"]) == "ambiguous")
        #expect(try offer("/?access_token=a", ["Sec-WebSocket-Protocol: bearer, a"]) == "text a")
        #expect(try offer("/?access_token=a", ["Authorization: Basic x"]) == "text a")
    }

    private func forwarded(_ target: String, _ lines: [String] = []) throws -> WireMessage {
        var head = ForwardedHead()
        head.places = Self.sources
        return try head.render(
            "GET \(target) HTTP/1.1\r\nHost: a\r\n" + lines.map { "\($0)\r\n" }.joined() + "\r\n", path: "/p")
    }

    @Test(arguments: [
        ("/p", "/p"), ("/p?", "/p?"), ("/p?a=b&&c", "/p?a=b&&c"), ("/p?access_token=t", "/p"),
        ("/p?a=1&access%5Ftoken=t&b=%zz", "/p?a=1&b=%zz"), ("/p?access_token=t&access_token=u&b", "/p?b"),
        ("/p?b&access_token", "/p?b"), ("/p?access_tokens=1", "/p?access_tokens=1"),
    ])
    func `the parameter is not forwarded`(target: String, expected: String) throws {
        #expect(try forwarded(target).start == "GET \(expected) HTTP/1.1")
    }

    @Test(arguments: [(["bearer, t"], []), (["bearer, t, chat,v2"], ["chat,v2"]), (["bearer, t", "chat"], ["chat"])])
    func `the token among the subprotocols is not forwarded`(values: [String], expected: [String]) throws {
        let lines = values.map { "Sec-WebSocket-Protocol: \($0)" }
        #expect(try forwarded("/", lines).values("Sec-WebSocket-Protocol") == expected)
    }

    @Test(arguments: ["Sec_WebSocket_Protocol", "sec_websocket-protocol", "Sec-WebSocket_Protocol"])
    func `another spelling of the field is neither read nor forwarded`(name: String) throws {
        #expect(try offer("/", ["\(name): bearer, t"]) == "none")
        #expect(try forwarded("/", ["\(name): bearer, t"]).values(name).isEmpty)
        #expect(try forwarded("/", ["\(name): chat"]).values(name).isEmpty)
    }

    @Test func `any number of subprotocols is forwarded unchanged`() throws {
        let many = [String](repeating: "a", count: 20_000).joined(separator: ",")
        for value in [many, "bearer,t,\(many)"] {
            let lines = ["Sec-WebSocket-Protocol:\(value)"]
            #expect(try forwarded("/", lines).values("Sec-WebSocket-Protocol") == [many])
        }
    }

    /// The number of names in a map of the rules.
    private func count(_ binding: RuleBinding, of bindings: RequestBindings) -> Int? {
        if case .map(let map) = bindings.value(of: binding) { map.count } else { nil }
    }

    @Test func `rules see neither the parameter nor the field`() throws {
        let bindings = RequestBindings { _, _ in true }
        try withRequest(
            "GET /?a=b&access_token=secret HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Protocol: bearer, secret\r\n\r\n"
        ) { request in
            bindings.begin(request, hiding: Self.sources)
            #expect([count(.query, of: bindings), count(.headers, of: bindings)] == [1, 1])
            bindings.begin(request)
            #expect([count(.query, of: bindings), count(.headers, of: bindings)] == [2, 2])
            bindings.end()
        }
    }
}
