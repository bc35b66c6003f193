import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@testable import SystemFixtures

/// Signed introspection responses (RFC 9701), verified with the keys that the metadata names.
struct SignedResponseTests {
    private static let mediaType = "application/token-introspection+jwt"

    private static func request(_ token: String, accept: String) -> WireRequest {
        .post(
            "/introspect", "Authorization: Bearer billing-secret-0123456789", "Accept: \(accept)",
            "Content-Type: application/x-www-form-urlencoded", body: Array("token=\(token)".utf8))
    }

    @Test func `a service verifies the response with the published keys`() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            String(decoding: SigningKey.generate(.es256, keyID: "").pem(), as: UTF8.self), to: "key.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("key.pem"))
        try await Scenario.run(arrange: { _, _, configuration in
            let key = folder.path("key.pem")
            configuration["headers"] = "{ assertion: { key: '\(key)', issuer: 'https://gw.example' } }"
            configuration["decisions"] = """
                { address: 127.0.0.1:0,
                  introspection: { clients: [{ id: billing, secret: billing-secret-0123456789 }] } }
                """
        }) { scenario in
            let metadata = JSON(parsing: try scenario.ask(.get("/.well-known/oauth-authorization-server")).body)
            #expect(metadata?["introspection_signing_alg_values_supported"] == .array([.string("ES256")]))
            let keys = try KeySet(jwkSet: try scenario.ask(.get("/.gatehouse/jwks.json")).body)
            for (token, isActive) in [(try scenario.token(), true), ("x", false)] {
                let response = try scenario.ask(Self.request(token, accept: Self.mediaType))
                #expect(response.status == 200 && response["Content-Type"] == Self.mediaType, "\(response.text)")
                let jws = try UnverifiedJWS(response.text)
                #expect(jws.type == "token-introspection+jwt")
                let keyID = try #require(jws.keyID)
                let key = try #require(keys.key(id: keyID))
                let claims = try #require(jws.verify(with: key, algorithm: .es256)).payload.root
                #expect(claims["iss"]?.string == "https://gw.example" && claims["aud"]?.string == "billing")
                #expect(claims["iat"]?.integer != nil && claims["sub"] == nil && claims["exp"] == nil)
                let facts = try #require(claims["token_introspection"])
                #expect(facts["active"]?.bool == isActive && (facts["sub"]?.string == "ada") == isActive)
            }
            let plain = try scenario.ask(Self.request("x", accept: "application/json"))
            #expect(plain.text == "{\"active\":false}")
        }
    }
}
