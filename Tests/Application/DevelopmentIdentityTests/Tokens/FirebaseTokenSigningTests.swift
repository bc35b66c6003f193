import DevelopmentIdentity
import JOSE
import Testing

@Suite struct FirebaseTokenSigningTests {
    private let key: SigningKey
    private let published: PublicKey
    private let token = FirebaseToken.idToken(for: .ada, now: noon)

    init() throws {
        key = try #require(try DevelopmentKeys.shared().current(for: .idToken))
        let set = try KeySet(jwkSet: Array("{\"keys\":[\(key.jwk)]}".utf8))
        published = try #require(set.keys.first)
    }

    private func verifies(_ text: String) -> Bool {
        (try? UnverifiedJWS(text))?.verify(with: published, algorithm: .rs256) != nil
    }

    @Test func `a signed token verifies and names its key`() throws {
        let text = try token.signed(by: key)
        #expect(verifies(text))
        #expect(try UnverifiedJWS(text).keyID == key.keyID)
        #expect(try UnverifiedJWS(text).type == "JWT")
    }

    @Test func `a custom token names no key`() throws {
        let text = try FirebaseToken.customToken(for: .robot, now: noon).signed(by: key)
        #expect(try UnverifiedJWS(text).keyID == nil)
        #expect(verifies(text))
    }

    @Test func `the header can be changed`() throws {
        let text = try token.settingHeader("alg", to: "HS256").settingHeader("kid", to: 7)
            .settingHeader("crit", to: ["b64"]).removingHeader("typ").signed(by: key)
        let header = try JSONDocument(#require(Base64URL.decode(String(text.prefix { $0 != "." })))).root
        header.expect(["alg": "HS256", "kid": 7])
        #expect(header["crit"]?.count == 1)
        #expect(header["typ"] == nil)
    }

    @Test func `an unsigned token has the form of the emulator's`() throws {
        let jws = try UnverifiedJWS(token.unsigned())
        #expect(jws.algorithmName == "none")
        #expect(jws.keyID == nil)
        #expect(jws.hasEmptySignature)
        #expect(token.unsigned().hasSuffix("."))
    }

    @Test(arguments: Tampering.allCases)
    func `a changed token does not verify`(tampering: Tampering) throws {
        let good = try token.signed(by: key)
        let spoilt = tampering.applied(to: good)
        #expect(spoilt != good)
        #expect(spoilt.split(separator: ".", omittingEmptySubsequences: false).count == 3)
        #expect(!verifies(spoilt))
    }

    @Test func `a changed payload names another user`() throws {
        let spoilt = try UnverifiedJWS(Tampering.payload.applied(to: token.signed(by: key)))
        #expect(spoilt.payload.root["sub"]?.string == "mallory")
    }

    @Test func `text that is not a token stays unchanged`() {
        #expect(Tampering.signatureBit.applied(to: "a.b") == "a.b")
        #expect(Tampering.payload.applied(to: "!.!.!") == "!.!.!")
    }

    /// The signatures were computed with Python's `hmac`.
    @Test(arguments: [
        (
            Base64URL.decode("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"),
            "l4L_PasMXQ9zo9gPMbVWxX6fHkSEZ9u4p3yQaa2caCM"
        ),
        ([UInt8](repeating: UInt8(ascii: "k"), count: 100), "O0w5DPV7OMqrB7d3Vd5jkc9GgTRj2aWwErCLMIIRxYg"),
    ])
    func `a shared secret signs with HMAC`(secret: [UInt8]?, signature: String) throws {
        let text = try FirebaseToken(kind: .legacyCustomToken, claims: ["a": 1]).signed(secret: #require(secret))
        #expect(text == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhIjoxfQ." + signature)
    }
}
