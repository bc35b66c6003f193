import Testing

@testable import JOSE

struct RFC7518Tests {
    @Test func `the algorithms of section 3.1 are known, except none and those with a shared secret`() {
        let signing = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"]
        #expect(Set(Algorithm.allCases.map(\.rawValue)) == Set(signing + ["EdDSA"]))
        for name in ["HS256", "HS384", "HS512", "none"] { #expect(Algorithm(rawValue: name) == nil) }
    }

    @Test func `the private keys of appendix C are skipped`() throws {
        #expect(try Keys.refusal(of: RFC7518.ephemeralJWK) == #"has the private member "d""#)
        #expect(try Keys.refusal(of: RFC7518.bobJWK) == #"has the private member "d""#)
    }

    @Test func `the public key of appendix C is skipped if it states another purpose`() throws {
        #expect(try Keys.key(RFC7518.ephemeralPublicJWK).algorithms == [.es256])
        let members = [
            #""use":"enc""#: #""use" is not sig"#, #""key_ops":["deriveKey"]"#: #""key_ops" lacks verify"#,
            #""alg":"ECDH-ES""#: #""alg" is not a supported algorithm"#,
        ]
        for (member, reason) in members {
            let jwk = RFC7518.ephemeralPublicJWK.dropLast() + "," + member + "}"
            #expect(try Keys.refusal(of: String(jwk)) == reason)
        }
    }
}
