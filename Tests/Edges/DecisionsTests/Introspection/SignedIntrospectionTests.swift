import GatewayCore
import HTTPWire
import JOSE
import Testing

@testable import Decisions

/// Signed introspection responses (RFC 9701).
struct SignedIntrospectionTests {
    private static let jwt = "application/token-introspection+jwt"

    private func form(_ accept: String..., canSign: Bool = true) throws -> IntrospectionForm? {
        let text = "POST /introspect HTTP/1.1\r\nHost: a\r\n\(accept.map { "Accept: \($0)\r\n" }.joined())\r\n"
        let table = FieldTable(capacity: 64)
        return try Array(text.utf8).withUnsafeBytes { bytes in
            let head = try RequestParser.parse(bytes, fields: table)
            return IntrospectionForm(
                acceptedBy: RequestView(head: head, bytes: bytes, fields: table), canSign: canSign)
        }
    }

    @Test(arguments: [
        Self.jwt, "APPLICATION/Token-Introspection+JWT", "text/html, \(Self.jwt)", "*/*;q=0.5, \(Self.jwt)",
        "\(Self.jwt), application/json",
        "application/json;q=0.5,\(Self.jwt);q=0.5", "\(Self.jwt) ; q=0.1", "\(Self.jwt);q=1.000",
        "*/*, \(Self.jwt);q=0.2",
    ])
    func `a response is signed if the request names the type`(_ accept: String) throws {
        #expect(try form(accept) == .jwt)
        #expect(try form("text/html", accept) == .jwt)
    }

    @Test(arguments: [
        "*/*", "application/*", "application/json", "application/jwt", "text/html", "", ",;=", "\(Self.jwt);q=0",
        "\(Self.jwt);q=0.000", "\(Self.jwt);q=2", "\(Self.jwt);q=0.9999", "\(Self.jwt);q=x",
        "application/json, \(Self.jwt);q=0.9",
        "\(Self.jwt)x", "x\(Self.jwt)",
    ])
    func `other responses are plain JSON`(_ accept: String) throws {
        #expect(try form(accept) == .json)
    }

    @Test func `without Accept, the response is plain JSON`() throws {
        #expect(try form() == .json)
        #expect(try form(canSign: false) == .json)
    }

    @Test func `without a key, a request that accepts nothing else is not acceptable`() throws {
        for accept in [Self.jwt, "text/html, \(Self.jwt)", "application/json;q=0, \(Self.jwt)"] {
            #expect(try form(accept, canSign: false) == nil, "\(accept)")
        }
        for accept in ["\(Self.jwt), application/json;q=0.1", "\(Self.jwt), */*", "\(Self.jwt);q=0", "text/html"] {
            #expect(try form(accept, canSign: false) == .json, "\(accept)")
        }
    }

    @Test func `RFC 9701 section 5: the JWT has its type, issuer, audience, time and the response`() throws {
        let key = try SigningKey.generate(.es256, keyID: "k-1")
        let signer = IntrospectionSigner(key: key, issuer: "https://as.example.com/")
        let now: UnixTime = 1_514_797_892
        let response = Array(#"{"active":true,"sub":"a\"b"}"#.utf8)
        let bytes = try #require(signer.jwt(of: response, for: "billing", now: now))
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        let header = try #require(Base64URL.decode(Array(parts[0])))
        let claims = try #require(Base64URL.decode(Array(parts[1])))
        #expect(
            String(decoding: header, as: UTF8.self)
                == #"{"alg":"ES256","kid":"k-1","typ":"token-introspection+jwt"}"#)
        // It has neither `sub` nor `exp` of its own.
        #expect(
            String(decoding: claims, as: UTF8.self) == """
                {"iss":"https://as.example.com/","aud":"billing","iat":1514797892,\
                "token_introspection":{"active":true,"sub":"a\\"b"}}
                """)
        #expect(signer.algorithm == "ES256")
    }

    @Test func `the metadata names the algorithm and the keys only if responses are signed`() {
        let signed = metadata(signingBy: "ES256")
        #expect(signed.contains(#""introspection_signing_alg_values_supported":["ES256"]"#))
        #expect(signed.contains(#""jwks_uri":"https://a/.gatehouse/jwks.json""#))
        let plain = metadata(signingBy: nil)
        #expect(!plain.contains("signing") && !plain.contains("jwks_uri"))
    }
    private func metadata(signingBy algorithm: String?) -> String {
        let document = IntrospectionMetadata.document(
            at: "https://a", methods: ["client_secret_basic"], signingBy: algorithm)
        return String(decoding: document, as: UTF8.self)
    }
}
