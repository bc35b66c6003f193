import Authentication
import GatewayCore
import HTTPWire
import Testing

@testable import CoreFixtures

@Suite struct CredentialLocatorTests {
    private func offer(
        _ lines: String..., locator: CredentialLocator = CredentialLocator(header: "Authorization", cookie: "__session")
    ) throws -> String {
        try withRequest("GET / HTTP/1.1\r\nHost: a\r\n" + lines.map { "\($0)\r\n" }.joined() + "\r\n") { request in
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

    @Test func nothingIsNoCredential() throws {
        #expect(try offer() == "none")
    }

    @Test(arguments: ["Bearer", "bearer", "BEARER", "bEaReR"]) func d18TheSchemeHasNoCase(scheme: String) throws {
        #expect(try offer("Authorization: \(scheme) a.b.c") == "idToken a.b.c")
    }

    @Test(arguments: [
        ("Bearer  a.b.c", "idToken  a.b.c"), ("Bearer\ta.b.c", "idToken \ta.b.c"), ("Bearer a.b.c,", "idToken a.b.c,"),
        ("Bearer", "idToken "), ("Bearer a, Bearer b", "idToken a, Bearer b"),
    ])
    func d18WhatIsNotOneSpaceAndATokenIsNoToken(value: String, expected: String) throws {
        let offered = try offer("Authorization: \(value)")
        #expect(offered == expected)
        let token = offered.dropFirst("idToken ".count)
        #expect(token != "a.b.c")
    }

    @Test(arguments: ["Bearera.b.c", "Basic YQ==", "", "Bear a", "Digest x"]) func d18AnotherSchemeIsUnsupported(
        value: String
    ) throws {
        #expect(try offer("Authorization: \(value)") == "unsupported")
    }

    @Test func d17TwoFieldsAreAmbiguous() throws {
        #expect(try offer("Authorization: Bearer a.b.c", "Authorization: Bearer a.b.c") == "ambiguous")
        #expect(try offer("Authorization: Bearer a.b.c", "authorization: Basic x") == "ambiguous")
    }

    @Test func d17ATokenAndAnotherCookieAreAmbiguous() throws {
        #expect(try offer("Authorization: Bearer eyJ.b.c", "Cookie: __session=eyJ.b.d") == "ambiguous")
    }

    @Test func theSameTokenTwiceIsOne() throws {
        #expect(try offer("Authorization: Bearer eyJ.b.c", "Cookie: __session=eyJ.b.c") == "idToken eyJ.b.c")
    }

    @Test func d17TwoDifferentCookiesAreAmbiguous() throws {
        #expect(try offer("Cookie: __session=eyJ.b.c; __session=eyJ.b.d") == "ambiguous")
        #expect(try offer("Cookie: __session=eyJ.b.c", "Cookie: __session=eyJ.b.d") == "ambiguous")
        #expect(try offer("Cookie: __session=eyJ.b.c; __session=eyJ.b.c") == "sessionCookie eyJ.b.c")
    }

    @Test func aCookieCountsAlone() throws {
        #expect(try offer("Cookie: a=b; __session=eyJ.b.c; c=d") == "sessionCookie eyJ.b.c")
    }

    @Test func aCookieCountsBesideAServicesOwnScheme() throws {
        #expect(try offer("Authorization: Basic x", "Cookie: __session=eyJ.b.c") == "sessionCookie eyJ.b.c")
    }

    @Test(arguments: ["opaque", "", "example.com.x", "eyJ.b", "eyJ.b.c.d", "abc.def.ghi", "eyJ"])
    func aCookieThatIsNoJWTIsNotOurs(value: String) throws {
        #expect(try offer("Cookie: __session=\(value)") == "none")
    }

    @Test func d19ATokenInTheQueryIsNone() throws {
        try withRequest("GET /?access_token=eyJ.b.c HTTP/1.1\r\nHost: a\r\n\r\n") { request in
            let found = CredentialLocator(header: "Authorization", cookie: "__session").find(in: request)
            guard case .none = found.offer(in: request.bytes) else {
                Issue.record("a token in the query counted")
                return
            }
        }
    }

    @Test func anotherFieldMayCarryTheToken() throws {
        let locator = CredentialLocator(header: "X-Token", cookie: nil)
        #expect(try offer("x-token: Bearer a.b.c", "Authorization: Bearer d.e.f", locator: locator) == "idToken a.b.c")
        #expect(try offer("Cookie: __session=eyJ.b.c", locator: locator) == "none")
    }

    @Test func switchedOffPlacesCarryNone() throws {
        let locator = CredentialLocator(header: nil, cookie: nil)
        #expect(try offer("Authorization: Bearer a.b.c", "Cookie: __session=eyJ.b.c", locator: locator) == "none")
    }
}
