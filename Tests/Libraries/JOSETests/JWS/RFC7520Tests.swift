import Testing

@testable import JOSE

struct RFC7520Tests {
    static let signed: [(Algorithm, String, String)] = [
        (.rs256, RFC7520.rsaPublicJWK, RFC7520.rs256), (.ps384, RFC7520.rsaPublicJWK, RFC7520.ps384),
        (.es512, RFC7520.ecPublicJWK, RFC7520.es512),
    ]

    @Test func `the public keys of 3.1 and 3.3 are accepted`() throws {
        #expect(try Keys.key(RFC7520.ecPublicJWK).kind == .ec(.p521))
        #expect(try Keys.key(RFC7520.rsaPublicJWK).kind == .rsa(bits: 2048))
        #expect(try Keys.key(RFC7520.rsaPublicJWK).keyID == "bilbo.baggins@hobbiton.example")
    }

    @Test(arguments: [
        (RFC7520.ecPrivateJWK, #"has the private member "d""#), (RFC7520.rsaPrivateJWK, #"has the private member "d""#),
        (RFC7520.macJWK, #"has the private member "k""#), (RFC7520.encryptionJWK, #""use" is not sig"#),
    ])
    func `the private keys and secrets of 3.2 and 3.4 to 3.6 are skipped`(jwk: String, reason: String) throws {
        #expect(try Keys.refusal(of: jwk) == reason)
    }

    @Test(arguments: signed)
    func `4.1 (RS256), 4.2 (PS384) and 4.3 (ES512) are valid by their own algorithm only`(
        algorithm: Algorithm, jwk: String, token: String
    ) throws {
        for other in Algorithm.allCases {
            #expect(try Tokens.isSigned(token, with: jwk, other) == (other == algorithm))
        }
    }

    @Test func `two signatures of 4.8 are valid, the second over an empty header`() throws {
        #expect(try Tokens.isSigned(RFC7520.firstOfSeveral, with: RFC7520.rsaPublicJWK, .rs256))
        #expect(try Tokens.isSigned(RFC7520.secondOfSeveral, with: RFC7520.ecPublicJWK, .es512))
    }

    @Test(
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
    func `an example whose payload is not JSON or that is not compact is rejected`(text: String, code: JWSError.Code) {
        #expect(Tokens.refusal(of: text) == code)
    }
}
