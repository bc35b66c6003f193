import Testing

@testable import JOSE

/// Section D of the security cases: each must end without a verified token.
@Suite("security cases of parsing and cryptography")
struct SecurityCaseTests {
    private func verifies(_ token: String, with jwk: String, maximumSize: Int = 16_384) throws -> Bool {
        guard let token = try? UnverifiedJWS(token, maximumSize: maximumSize) else { return false }
        let key = try Keys.key(jwk)
        return Algorithm.allCases.contains { token.verify(with: key, algorithm: $0) != nil }
    }

    @Test(
        "D-01: an HMAC keyed with the public key is refused, whatever the header says",
        arguments: [
            RSAVectors.hs256KeyedWithPEM, RSAVectors.hs256KeyedWithDER, RSAVectors.hs256KeyedWithModulus,
            RSAVectors.rs256KeyedWithPEM, RSAVectors.rs256KeyedWithDER, RSAVectors.rs256KeyedWithModulus,
        ])
    func d01(token: String) throws {
        #expect(try !verifies(token, with: RSAVectors.jwk))
    }

    @Test("D-02: an algorithm that is none has no name here", arguments: ["none", "None", "NONE", "nOnE", " none"])
    func d02None(name: String) throws {
        let token = try UnverifiedJWS(Tokens.make(header: #"{"alg":"\#(name)","kid":"k"}"#, signature: []))
        #expect(token.algorithm == nil)
        #expect(try !verifies(Tokens.make(header: #"{"alg":"\#(name)"}"#), with: RSAVectors.jwk))
    }

    @Test(
        "D-02: an alg that is missing, empty or no string is refused",
        arguments: [
            #"{"kid":"k"}"#, #"{"alg":""}"#, #"{"alg":256}"#, #"{"alg":["RS256"]}"#, #"{"alg":null}"#,
            #"{"alg":{"a":"RS256"}}"#, #"{"Alg":"RS256"}"#,
        ])
    func d02Types(header: String) {
        #expect(Tokens.refusal(of: Tokens.make(header: header)) == .invalidAlgorithm)
    }

    @Test(
        "D-03: an unknown algorithm is never skipped",
        arguments: ["XX999", "RS1", "HS256", "ES256K", "rs256", "RS256 "])
    func d03(name: String) throws {
        #expect(try UnverifiedJWS(Tokens.make(header: #"{"alg":"\#(name)"}"#)).algorithm == nil)
        #expect(try !verifies(Tokens.make(header: #"{"alg":"\#(name)"}"#), with: RSAVectors.jwk))
    }

    @Test("D-04: a key of another type does not verify, whatever header and caller say")
    func d04KeyType() throws {
        let token = try UnverifiedJWS(RSAVectors.rs256)
        #expect(token.verify(with: try Keys.key(ECVectors.jwk256), algorithm: .rs256) == nil)
        #expect(token.verify(with: try Keys.key(ECVectors.jwk256), algorithm: .es256) == nil)
        #expect(token.verify(with: try Keys.key(Ed25519Vectors.jwk), algorithm: .rs256) == nil)
    }

    @Test("D-04: a key verifies only what its alg, use and key_ops say")
    func d04Purpose() throws {
        let ps256 = try Keys.key(Keys.rsa(with: #""alg":"PS256""#))
        #expect(try UnverifiedJWS(RSAVectors.rs256).verify(with: ps256, algorithm: .rs256) == nil)
        #expect(try UnverifiedJWS(RSAVectors.ps256).verify(with: ps256, algorithm: .ps256) != nil)
        #expect(try Keys.refusal(of: Keys.rsa(with: #""use":"enc""#)) == #""use" is not sig"#)
        #expect(try Keys.refusal(of: Keys.rsa(with: #""key_ops":["encrypt"]"#)) == #""key_ops" lacks verify"#)
        #expect(try Keys.refusal(of: Keys.rsa(with: #""alg":"ES256""#)) == #""alg" ES256 does not suit the key"#)
    }

    @Test(
        "D-06: critical extensions and unencoded payloads are refused",
        arguments: [
            (#""crit":["foo"],"foo":1"#, .criticalExtension), (#""crit":[]"#, .criticalExtension),
            (#""crit":null"#, .criticalExtension), (#""crit":["b64"],"b64":false"#, .criticalExtension),
            (#""b64":false"#, .unencodedPayload), (#""b64":true"#, .unencodedPayload),
        ] as [(String, JWSError.Code)])
    func d06(members: String, code: JWSError.Code) {
        #expect(Tokens.refusal(of: Tokens.make(header: #"{"alg":"RS256",\#(members)}"#)) == code)
    }

    @Test("D-08: an ES256 signature of 21830 characters is refused, also where the size limit lets it in")
    func d08() throws {
        let signature = String(repeating: "A", count: 21_830)
        let token = ECVectors.es256[..<(try #require(ECVectors.es256.lastIndex(of: ".")))] + "." + signature
        #expect(Tokens.refusal(of: String(token)) == .tooLarge)
        #expect(try !verifies(String(token), with: ECVectors.jwk256, maximumSize: 1 << 20))
    }

    @Test("D-09: 100 KB of dots are refused by their size, and by one pass where the limit lets them in")
    func d09() {
        let dots = String(repeating: ".", count: 100_000)
        #expect(Tokens.refusal(of: dots) == .tooLarge)
        #expect(Tokens.refusal(of: dots, maximumSize: 1 << 20) == .wrongPartCount)
    }

    @Test(
        "D-10: anything but three parts that are not empty is refused",
        arguments: [
            ("", .wrongPartCount), ("a", .wrongPartCount), ("a.b", .wrongPartCount), ("a.b.c.d", .wrongPartCount),
            ("a.b.c.d.e", .encrypted), ("a.b.c.d.e.f", .wrongPartCount), ("..", .invalidHeaderEncoding),
            (".e30.AA", .invalidHeaderEncoding), ("eyJhbGciOiJSUzI1NiJ9..AA", .invalidPayloadEncoding),
        ] as [(String, JWSError.Code)])
    func d10(token: String, code: JWSError.Code) {
        #expect(Tokens.refusal(of: token) == code)
    }

    @Test("D-10: a token above 16 KiB is refused")
    func d10Size() {
        let large = Tokens.make(payload: #"{"a":"\#(String(repeating: "x", count: 12_300))"}"#)
        #expect(Tokens.refusal(of: large) == .tooLarge)
    }

    @Test(
        "D-11: malformed base64url is refused in each part",
        arguments: ["=", "==", "+", "/", " ", "\n", "\t", "%3D", "\u{0}", "é"], [0, 1, 2])
    func d11(junk: String, part: Int) {
        var parts = RSAVectors.rs256.split(separator: ".").map(String.init)
        parts[part] += junk
        let expected: [JWSError.Code] = [.invalidHeaderEncoding, .invalidPayloadEncoding, .invalidSignatureEncoding]
        #expect(Tokens.refusal(of: parts.joined(separator: ".")) == expected[part])
    }

    @Test("D-11: bits past the last byte are refused in each part", arguments: [0, 1, 2])
    func d11Bits(part: Int) {
        var parts = ["eyJhbGciOiJSUzI1NiIgfQ", "eyJhIjogMX0", "AA"]
        #expect(Tokens.refusal(of: parts.joined(separator: ".")) == nil)
        let spoiled = ["eyJhbGciOiJSUzI1NiIgfR", "eyJhIjogMX1", "AB"]
        parts[part] = spoiled[part]
        let expected: [JWSError.Code] = [.invalidHeaderEncoding, .invalidPayloadEncoding, .invalidSignatureEncoding]
        #expect(Tokens.refusal(of: parts.joined(separator: ".")) == expected[part])
    }

    @Test("D-13: a payload nested 100000 deep is refused without recursing", arguments: ["[", #"{"a":"#])
    func d13Depth(opening: String) throws {
        let token = Tokens.make(payload: #"{"a":"# + String(repeating: opening, count: 100_000))
        #expect(Tokens.refusal(of: token) == .tooLarge)
        let error = #expect(throws: JWSError.self) { try UnverifiedJWS(token, maximumSize: 1 << 21) }
        #expect(error?.json?.code == .tooDeep)
    }

    @Test("D-13: a number of a million digits costs no more than its bytes, and is no integer")
    func d13Number() throws {
        let token = Tokens.make(payload: #"{"exp":\#(String(repeating: "9", count: 1_000_000))}"#)
        #expect(Tokens.refusal(of: token) == .tooLarge)
        #expect(try UnverifiedJWS(token, maximumSize: 1 << 21).payload.root["exp"]?.integer == nil)
    }

    @Test("D-13: a payload of nothing but escapes is bounded")
    func d13Escapes() throws {
        let token = Tokens.make(payload: #"{"a":"\#(String(repeating: #"\u0041"#, count: 100_000))"}"#)
        #expect(Tokens.refusal(of: token) == .tooLarge)
        #expect(try UnverifiedJWS(token, maximumSize: 1 << 21).payload.root["a"]?.string?.utf8.count == 100_000)
    }

    @Test(
        "D-14: a kid or typ that is no string is refused",
        arguments: [
            (#""kid":1"#, .invalidKeyID), (#""kid":["k"]"#, .invalidKeyID), (#""kid":null"#, .invalidKeyID),
            (#""kid":{}"#, .invalidKeyID), (#""typ":1"#, .invalidType), (#""typ":["JWT"]"#, .invalidType),
            (#""typ":null"#, .invalidType),
        ] as [(String, JWSError.Code)])
    func d14Types(member: String, code: JWSError.Code) {
        #expect(Tokens.refusal(of: Tokens.make(header: #"{"alg":"RS256",\#(member)}"#)) == code)
    }

    @Test("D-14: a kid of a megabyte is refused, by the token's size or by its own")
    func d14Length() {
        let token = Tokens.make(header: #"{"alg":"RS256","kid":"\#(String(repeating: "k", count: 1 << 20))"}"#)
        #expect(Tokens.refusal(of: token) == .tooLarge)
        #expect(Tokens.refusal(of: token, maximumSize: 1 << 22) == .invalidKeyID)
    }

    @Test(
        "D-14: a kid that looks like a path or has a NUL is only a name",
        arguments: ["../../k", "k%00", #"k\u0000"#, "K"])
    func d14Names(kid: String) throws {
        let token = try UnverifiedJWS(Tokens.make(header: #"{"alg":"RS256","kid":"\#(kid)"}"#))
        #expect(try Keys.set(RSAVectors.jwk).key(id: try #require(token.keyID)) == nil)
    }

    @Test(
        "D-14: a header or payload that is no JSON object is refused",
        arguments: ["[]", "null", "1", #""x""#, "true", #"[{"alg":"RS256"}]"#])
    func d14Objects(text: String) {
        #expect(Tokens.refusal(of: Tokens.make(header: text)) == .headerNotObject)
        #expect(Tokens.refusal(of: Tokens.make(payload: text)) == .payloadNotObject)
    }

    @Test("D-14: a header or payload with a member twice is refused")
    func d14Duplicates() {
        #expect(Tokens.refusal(of: Tokens.make(header: #"{"alg":"RS256","alg":"none"}"#)) == .invalidHeaderJSON)
        #expect(Tokens.refusal(of: Tokens.make(header: #"{"alg":"RS256","al\u0067":"none"}"#)) == .invalidHeaderJSON)
        #expect(Tokens.refusal(of: Tokens.make(payload: #"{"sub":"a","sub":"b"}"#)) == .invalidPayloadJSON)
    }

    @Test(
        "D-15: an encrypted token is refused before its header is read",
        arguments: [
            #"{"alg":"dir","enc":"A256GCM"}"#, #"{"alg":"PBES2-HS256+A128KW","enc":"A128GCM","p2c":1000000000}"#,
            #"{"alg":"RSA-OAEP","enc":"A128GCM","zip":"DEF"}"#, "not JSON",
        ])
    func d15(header: String) {
        let encoded = Base64URL.encode([UInt8](header.utf8))
        #expect(Tokens.refusal(of: "\(encoded)..AAAA.AAAA.AAAA") == .encrypted)
        #expect(Tokens.refusal(of: "\(encoded).\(RSAVectors.rs256).AAAA") == .encrypted)
    }
}
