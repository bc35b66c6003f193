import Authentication
import GatewayCore
import HTTPWire
import Testing

@testable import CoreFixtures

@Suite struct CredentialLocatorTests {
    private func offer(
        _ lines: [String], target: String = "/",
        locator: CredentialLocator = CredentialLocator(header: "Authorization", cookie: "__session")
    ) throws -> String {
        let fields = lines.map { "\($0)\r\n" }.joined()
        return try withRequest("GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n") { request in
            switch locator.find(in: request).offer(in: request.bytes) {
            case .none: "none"
            case .text(let token): "text \(String(decoding: token, as: UTF8.self))"
            case .unsupported: "unsupported"
            case .ambiguous: "ambiguous"
            case .token(let range, let kind):
                "\(kind) \(String(decoding: range.bytes(in: request.bytes), as: UTF8.self))"
            }
        }
    }

    @Test(arguments: ["Bearer", "bearer", "BEARER", "bEaReR"])
    func `D-18: the scheme is case-insensitive`(scheme: String) throws {
        #expect(try offer(["Authorization: \(scheme) a.b.c"]) == "idToken a.b.c")
    }

    /// Each value differs from `a.b.c`, the token without additional characters.
    @Test(arguments: [
        ("Bearer  a.b.c", "idToken  a.b.c"), ("Bearer\ta.b.c", "idToken \ta.b.c"), ("Bearer a.b.c,", "idToken a.b.c,"),
        ("Bearer", "idToken "), ("Bearer a, Bearer b", "idToken a, Bearer b"),
    ])
    func `D-18: a value that is not one space and a token is invalid`(value: String, expected: String) throws {
        #expect(try offer(["Authorization: \(value)"]) == expected)
    }

    @Test(arguments: ["Bearera.b.c", "Basic YQ==", "", "Bear a", "Digest x"])
    func `D-18: another scheme is unsupported`(value: String) throws {
        #expect(try offer(["Authorization: \(value)"]) == "unsupported")
    }

    @Test(arguments: [
        ["Authorization: Bearer a.b.c", "Authorization: Bearer a.b.c"],
        ["Authorization: Bearer a.b.c", "authorization: Basic x"],
        ["Authorization: Bearer eyJ.b.c", "Cookie: __session=eyJ.b.d"],
        ["Cookie: __session=eyJ.b.c; __session=eyJ.b.d"],
        ["Cookie: __session=eyJ.b.c", "Cookie: __session=eyJ.b.d"],
    ])
    func `D-17: two different credentials are ambiguous`(lines: [String]) throws {
        #expect(try offer(lines) == "ambiguous")
    }

    @Test(arguments: [
        ([], "none"), (["Authorization: Bearer eyJ.b.c", "Cookie: __session=eyJ.b.c"], "idToken eyJ.b.c"),
        (["Cookie: __session=eyJ.b.c; __session=eyJ.b.c"], "sessionCookie eyJ.b.c"),
        (["Cookie: a=b; __session=eyJ.b.c; c=d"], "sessionCookie eyJ.b.c"),
        (["Authorization: Basic x", "Cookie: __session=eyJ.b.c"], "sessionCookie eyJ.b.c"),
    ])
    func `one credential is used, also with another scheme of the service`(lines: [String], expected: String) throws {
        #expect(try offer(lines) == expected)
    }

    @Test(arguments: ["opaque", "", "example.com.x", "eyJ.b", "eyJ.b.c.d", "abc.def.ghi", "eyJ"])
    func `a cookie that is not a JWT belongs to the service`(value: String) throws {
        #expect(try offer(["Cookie: __session=\(value)"]) == "none")
    }

    /// The current name decides alone: another host of the domain can set cookies of an unprotected name.
    @Test(arguments: [
        ("__Host-Http-session=eyJ.b.c", "sessionCookie eyJ.b.c"), ("__session=eyJ.b.d", "sessionCookie eyJ.b.d"),
        ("__session=eyJ.b.d; __Host-Http-session=eyJ.b.c", "sessionCookie eyJ.b.c"),
        ("__Host-Http-session=eyJ.b.c; __session=eyJ.b.d", "sessionCookie eyJ.b.c"),
        ("__session=eyJ.b.d; __session=eyJ.b.e; __Host-Http-session=eyJ.b.c", "sessionCookie eyJ.b.c"),
        ("__session=eyJ.b.d; __session=eyJ.b.e", "ambiguous"),
        ("__session=eyJ.b.d; __older=eyJ.b.e", "ambiguous"),
        ("__Host-Http-session=eyJ.b.c; __Host-Http-session=eyJ.b.d", "ambiguous"),
        ("__Host-Http-session=opaque; __session=eyJ.b.d", "sessionCookie eyJ.b.d"),
        ("__host-http-session=eyJ.b.c", "none"),
    ])
    func `an earlier name of the cookie counts without the current one`(cookies: String, expected: String) throws {
        let locator = CredentialLocator(
            header: "Authorization", cookie: "__Host-Http-session", previousCookies: ["__session", "__older"])
        #expect(try offer(["Cookie: \(cookies)"], locator: locator) == expected)
    }

    @Test func `D-19: a token in the query is ignored`() throws {
        #expect(try offer([], target: "/?access_token=eyJ.b.c") == "none")
    }

    @Test func `only the configured field and cookie carry a credential`() throws {
        let other = CredentialLocator(header: "X-Token", cookie: nil)
        let tokens = ["x-token: Bearer a.b.c", "Authorization: Bearer d.e.f", "Cookie: __session=eyJ.b.c"]
        #expect(try offer(tokens, locator: other) == "idToken a.b.c")
        #expect(try offer(Array(tokens.dropFirst()), locator: other) == "none")
        #expect(try offer(tokens, locator: CredentialLocator(header: nil, cookie: nil)) == "none")
    }
}
