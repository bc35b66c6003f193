import Authentication
import Forwarding
import GatewayConfiguration
import HTTPServer
import SecurityRules
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import Diagnostics
@testable import Gatehouse
@testable import GatewayFixtures

@Suite struct RequestBindingsTests {
    /// The value that rules read from a request with `Host: a.example` and these fields.
    private func read(
        _ binding: RuleBinding, _ fields: [String] = [], target: String = "/v1/x", method: String = "GET",
        host: String = "Host: a.example", credentialField: String? = "Authorization", extra: [String] = []
    ) throws -> String {
        let head = "\(method) \(target) HTTP/1.1\r\n" + ([host] + fields).map { "\($0)\r\n" }.joined() + "\r\n"
        let request = try ParsedRequest(Array(head.utf8), limits: ConnectionLimits(Configuration.Limits()))
        let outgoing = OutgoingHead(
            hygiene: HeaderHygiene(prefix: "X-Auth-", extra: extra),
            identity: IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: []),
            locator: CredentialLocator(header: credentialField, cookie: "__session"), forwardsCredential: true)
        let bindings = RequestBindings { outgoing.showsRules($0, of: $1) }
        return request.withView { view in
            bindings.begin(view)
            defer { bindings.end() }
            return bindings.value(of: binding).text
        }
    }

    // MARK: - The request line

    @Test(arguments: ["GET", "POST", "PROPFIND", "get"])
    func `the method is as received`(_ method: String) throws {
        #expect(try read(.method, method: method) == "'\(method)'")
    }

    @Test(arguments: [
        ("Host: A.Example:8080", "'a.example'"), ("Host: a.example.", "'a.example'"), ("Host: [::1]:80", "'[::1]'"),
        ("Host: 127.0.0.1", "'127.0.0.1'"),
    ])
    func `the host is in lower case without a port`(_ line: String, _ host: String) throws {
        #expect(try read(.host, host: line) == host)
    }

    @Test func `the query is a map`() throws {
        #expect(try read(.query, target: "/x?b=2&a=1") == "{'a': '1', 'b': '2'}")
        #expect(try read(.query, target: "/x?") == "{}")
        #expect(try read(.query) == "{}")
    }

    // MARK: - Fields

    @Test(arguments: [
        ("x-role", ["X-Role: admin"], "'admin'"), ("x-role", ["x-ROLE:  admin "], "'admin'"),
        ("x-role", ["X-Role:"], "''"), ("x-role", [], "null"),
        ("x-role", ["X-Roles: admin", "X-Rol: admin", "X_Role: admin"], "null"), ("", ["X-Role: admin"], "null"),
        ("x-role", ["X-Role: a", "Accept: */*", "x-role: b", "X-Role:"], "'a, b, '"),
        ("X-Role", ["X-Role: admin"], "null"), ("x-hop", ["Connection: X-Hop", "X-Hop: 1"], "null"),
    ])
    func `a name in lower case finds the joined fields that are forwarded`(
        name: String, fields: [String], value: String
    ) throws {
        #expect(try read(.header(name), fields) == value)
    }

    @Test func `all fields are a map by names in lower case`() throws {
        let fields = ["X-B: 2", "Accept: */*", "x-b: 3"]
        #expect(try read(.headers, fields) == "{'accept': '*/*', 'host': 'a.example', 'x-b': '2, 3'}")
    }

    @Test func `bytes that are not UTF-8 are unreadable`() throws {
        let head = Array("GET / HTTP/1.1\r\nHost: a\r\nX-Role: ".utf8) + [0xFF] + Array("\r\n\r\n".utf8)
        let request = try ParsedRequest(head, limits: ConnectionLimits(Configuration.Limits()))
        let bindings = RequestBindings { _, _ in true }
        let texts = request.withView { view in
            bindings.begin(view)
            return [bindings.value(of: .header("x-role")).text, bindings.value(of: .headers).text]
        }
        #expect(texts == ["<unreadable>", "{'host': 'a', 'x-role': <unreadable>}"])
    }

    // MARK: - Hidden fields

    @Test(arguments: [
        "Authorization: Bearer x", "Authorization: Basic x", "Cookie: theme=dark", "Cookie: __session=x",
        "Proxy-Authorization: Basic x", "X-Auth-Uid: root", "x_auth_uid: root", "X-Auth: e30",
        "X-Forwarded-For: 1.2.3.4",
        "X-Real-IP: 1.2.3.4", "X-HTTP-Method-Override: DELETE", "Connection: close", "TE: trailers",
        "Keep-Alive: timeout=5", "X-Request-Id: 1", "X-Role: admin", "Trailer: X-Sum", "Proxy: http://evil.example",
        "proxy: x",
    ])
    func `fields that are not forwarded are hidden`(_ line: String) throws {
        let name = String(line.prefix { $0 != ":" }).lowercased()
        #expect(try read(.header(name), [line], extra: ["X-Role"]) == "null")
        #expect(try read(.headers, [line], extra: ["X-Role"]) == "{'host': 'a.example'}")
    }

    @Test func `a configured credential field is hidden, whatever its value`() throws {
        let fields = ["X-Token: Bearer x", "X-Other: 1", "Authorization: Basic x"]
        let text = try read(.headers, fields, credentialField: "X-Token")
        #expect(text == "{'host': 'a.example', 'x-other': '1'}")
    }

    @Test func `a completed request has no values`() {
        let bindings = RequestBindings { _, _ in true }
        #expect(bindings.value(of: .headers).text == "<unreadable>")
        #expect(bindings.value(of: .method).text == "<unreadable>")
        #expect(bindings.value(of: .auth).text == "null")
    }

    // MARK: - The user

    @Test func `the auth variable has the claims of the token`() throws {
        let bindings = RequestBindings { _, _ in true }
        bindings.identity = try TokenDraft.idToken().entry()
        let auth = bindings.value(of: .auth).text
        #expect(auth.hasPrefix("{'project': 'my-app', 'provider': 'google', 'token': {'aud': 'my-app'"))
        bindings.end()
        #expect(bindings.value(of: .auth).text == "null")
    }
}
