import Testing

@testable import JOSE

@Suite("the examples of RFC 7520")
struct RFC7520Tests {
    static let signed: [(Algorithm, String, String)] = [
        (.rs256, RFC7520.rsaPublicJWK, RFC7520.rs256), (.ps384, RFC7520.rsaPublicJWK, RFC7520.ps384),
        (.es512, RFC7520.ecPublicJWK, RFC7520.es512),
    ]

    @Test("the public keys of 3.1 and 3.3 are taken")
    func publicKeys() throws {
        #expect(try Keys.key(RFC7520.ecPublicJWK).kind == .ec(.p521))
        #expect(try Keys.key(RFC7520.rsaPublicJWK).kind == .rsa(bits: 2048))
        #expect(try Keys.key(RFC7520.rsaPublicJWK).keyID == "bilbo.baggins@hobbiton.example")
    }

    @Test(
        "the private keys and secrets of 3.2 and 3.4 to 3.6 are skipped",
        arguments: [
            (RFC7520.ecPrivateJWK, #"has the private member "d""#),
            (RFC7520.rsaPrivateJWK, #"has the private member "d""#),
            (RFC7520.macJWK, #"has the private member "k""#), (RFC7520.encryptionJWK, #""use" is not sig"#),
        ])
    func otherKeys(jwk: String, reason: String) throws {
        #expect(try Keys.refusal(of: jwk) == reason)
    }

    @Test("4.1 (RS256), 4.2 (PS384) and 4.3 (ES512) are right signatures", arguments: signed)
    func signatures(algorithm: Algorithm, jwk: String, token: String) throws {
        #expect(try Tokens.isSigned(token, with: jwk, algorithm))
    }

    @Test("they are right by no other algorithm", arguments: signed)
    func otherAlgorithms(algorithm: Algorithm, jwk: String, token: String) throws {
        for other in Algorithm.allCases where other != algorithm {
            #expect(try !Tokens.isSigned(token, with: jwk, other))
        }
    }

    @Test("two signatures of 4.8 are right, the second over an empty header")
    func several() throws {
        #expect(try Tokens.isSigned(RFC7520.firstOfSeveral, with: RFC7520.rsaPublicJWK, .rs256))
        #expect(try Tokens.isSigned(RFC7520.secondOfSeveral, with: RFC7520.ecPublicJWK, .es512))
    }

    @Test(
        "none is a token, since the payload is no JSON or the serialization not compact",
        arguments: [
            (RFC7520.rs256, .invalidPayloadJSON), (RFC7520.ps384, .invalidPayloadJSON),
            (RFC7520.es512, .invalidPayloadJSON), (RFC7520.hs256, .invalidPayloadJSON),
            (RFC7520.rs256General, .wrongPartCount), (RFC7520.rs256Flattened, .wrongPartCount),
            (RFC7520.detached, .invalidPayloadEncoding), (RFC7520.detachedGeneral, .wrongPartCount),
            (RFC7520.detachedFlattened, .wrongPartCount), (RFC7520.someUnprotectedGeneral, .wrongPartCount),
            (RFC7520.someUnprotectedFlattened, .wrongPartCount), (RFC7520.unprotectedGeneral, .wrongPartCount),
            (RFC7520.unprotectedFlattened, .wrongPartCount), (RFC7520.firstOfSeveral, .invalidPayloadJSON),
            (RFC7520.secondOfSeveral, .invalidHeaderEncoding),
            // Its two e-mail addresses have four dots.
            (RFC7520.severalSignatures, .encrypted),
        ] as [(String, JWSError.Code)])
    func refused(text: String, code: JWSError.Code) {
        #expect(Tokens.refusal(of: text) == code)
    }
}
