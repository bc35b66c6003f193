import Testing

@testable import JOSE

/// Section D of the security cases. Each case must end without a verified token.
struct SecurityCaseTests {
    private func verifies(_ token: String, with jwk: String, maximumSize: Int = 16_384) throws -> Bool {
        guard let token = try? UnverifiedJWS(token, maximumSize: maximumSize) else { return false }
        let key = try Keys.key(jwk)
        return Algorithm.allCases.contains { token.verify(with: key, algorithm: $0) != nil }
    }

    @Test(arguments: [
        RSAVectors.hs256KeyedWithPEM, RSAVectors.hs256KeyedWithDER, RSAVectors.hs256KeyedWithModulus,
        RSAVectors.rs256KeyedWithPEM, RSAVectors.rs256KeyedWithDER, RSAVectors.rs256KeyedWithModulus,
    ])
    func `D-01: a token whose HMAC key is the public key is invalid`(token: String) throws {
        #expect(try !verifies(token, with: RSAVectors.jwk))
    }

    @Test(arguments: ["none", "None", "NONE", "nOnE", " none"])
    func `D-02: no spelling of none is an algorithm`(name: String) throws {
        let token = try UnverifiedJWS(Tokens.make(header: #"{"alg":"\#(name)","kid":"k"}"#, signature: []))
        #expect(token.algorithm == nil)
        #expect(try !verifies(Tokens.make(header: #"{"alg":"\#(name)"}"#), with: RSAVectors.jwk))
    }

    @Test(arguments: [
        #"{"kid":"k"}"#, #"{"alg":""}"#, #"{"alg":256}"#, #"{"alg":["RS256"]}"#, #"{"alg":null}"#,
        #"{"alg":{"a":"RS256"}}"#, #"{"Alg":"RS256"}"#,
    ])
    func `D-02: an alg that is missing, empty or not a string is rejected`(header: String) {
        #expect(Tokens.refusal(of: Tokens.make(header: header)) == .invalidAlgorithm)
    }

    @Test(arguments: ["XX999", "RS1", "HS256", "ES256K", "rs256", "RS256 "])
    func `D-03: a token of an unknown algorithm is invalid`(name: String) throws {
        #expect(try UnverifiedJWS(Tokens.make(header: #"{"alg":"\#(name)"}"#)).algorithm == nil)
        #expect(try !verifies(Tokens.make(header: #"{"alg":"\#(name)"}"#), with: RSAVectors.jwk))
    }

    @Test func `D-04: a key of another type does not verify`() throws {
        let token = try UnverifiedJWS(RSAVectors.rs256)
        #expect(token.verify(with: try Keys.key(ECVectors.jwk256), algorithm: .rs256) == nil)
        #expect(token.verify(with: try Keys.key(ECVectors.jwk256), algorithm: .es256) == nil)
        #expect(token.verify(with: try Keys.key(Ed25519Vectors.jwk), algorithm: .rs256) == nil)
    }

    @Test func `D-04: a key verifies only for its alg, use and key_ops`() throws {
        let ps256 = try Keys.key(Keys.rsa(with: #""alg":"PS256""#))
        #expect(try UnverifiedJWS(RSAVectors.rs256).verify(with: ps256, algorithm: .rs256) == nil)
        #expect(try UnverifiedJWS(RSAVectors.ps256).verify(with: ps256, algorithm: .ps256) != nil)
        #expect(try Keys.refusal(of: Keys.rsa(with: #""use":"enc""#)) == #""use" is not sig"#)
        #expect(try Keys.refusal(of: Keys.rsa(with: #""key_ops":["encrypt"]"#)) == #""key_ops" lacks verify"#)
        #expect(try Keys.refusal(of: Keys.rsa(with: #""alg":"ES256""#)) == #""alg" ES256 does not match the key type"#)
    }

    @Test(
        arguments: [
            (#""crit":["foo"],"foo":1"#, .criticalExtension), (#""crit":[]"#, .criticalExtension),
            (#""crit":null"#, .criticalExtension), (#""crit":["b64"],"b64":false"#, .criticalExtension),
            (#""b64":false"#, .unencodedPayload), (#""b64":true"#, .unencodedPayload),
        ] as [(String, JWSError.Code)])
    func `D-06: critical extensions and unencoded payloads are rejected`(members: String, code: JWSError.Code) {
        #expect(Tokens.refusal(of: Tokens.make(header: #"{"alg":"RS256",\#(members)}"#)) == code)
    }

    @Test func `D-08: an ES256 signature of 21830 characters is invalid even within the size limit`() throws {
        let signature = String(repeating: "A", count: 21_830)
        let token = ECVectors.es256[..<(try #require(ECVectors.es256.lastIndex(of: ".")))] + "." + signature
        #expect(Tokens.refusal(of: String(token)) == .tooLarge)
        #expect(try !verifies(String(token), with: ECVectors.jwk256, maximumSize: 1 << 20))
    }

    @Test func `D-09: 100 KB of dots are rejected even within the size limit`() {
        let dots = String(repeating: ".", count: 100_000)
        #expect(Tokens.refusal(of: dots) == .tooLarge)
        #expect(Tokens.refusal(of: dots, maximumSize: 1 << 20) == .wrongPartCount)
    }

    @Test(
        arguments: [
            ("", .wrongPartCount), ("a", .wrongPartCount), ("a.b", .wrongPartCount), ("a.b.c.d", .wrongPartCount),
            ("a.b.c.d.e", .encrypted), ("a.b.c.d.e.f", .wrongPartCount), ("..", .invalidHeaderEncoding),
            (".e30.AA", .invalidHeaderEncoding), ("eyJhbGciOiJSUzI1NiJ9..AA", .invalidPayloadEncoding),
        ] as [(String, JWSError.Code)])
    func `D-10: a token without exactly three parts is rejected`(token: String, code: JWSError.Code) {
        #expect(Tokens.refusal(of: token) == code)
    }

    @Test func `D-10: a token above 16 KiB is rejected`() {
        let large = Tokens.make(payload: #"{"a":"\#(String(repeating: "x", count: 12_300))"}"#)
        #expect(Tokens.refusal(of: large) == .tooLarge)
    }

    @Test(arguments: ["=", "==", "+", "/", " ", "\n", "\t", "%3D", "\u{0}", "é"], [0, 1, 2])
    func `D-11: malformed base64url is rejected in each part`(junk: String, part: Int) {
        var parts = RSAVectors.rs256.split(separator: ".").map(String.init)
        parts[part] += junk
        let expected: [JWSError.Code] = [.invalidHeaderEncoding, .invalidPayloadEncoding, .invalidSignatureEncoding]
        #expect(Tokens.refusal(of: parts.joined(separator: ".")) == expected[part])
    }

    @Test(arguments: [0, 1, 2]) func `D-11: bits after the last byte are rejected in each part`(part: Int) {
        var parts = ["eyJhbGciOiJSUzI1NiIgfQ", "eyJhIjogMX0", "AA"]
        #expect(Tokens.refusal(of: parts.joined(separator: ".")) == nil)
        let spoiled = ["eyJhbGciOiJSUzI1NiIgfR", "eyJhIjogMX1", "AB"]
        parts[part] = spoiled[part]
        let expected: [JWSError.Code] = [.invalidHeaderEncoding, .invalidPayloadEncoding, .invalidSignatureEncoding]
        #expect(Tokens.refusal(of: parts.joined(separator: ".")) == expected[part])
    }

    @Test(arguments: ["[", #"{"a":"#])
    func `D-13: a payload of depth 100000 is rejected without recursion`(opening: String) throws {
        let token = Tokens.make(payload: #"{"a":"# + String(repeating: opening, count: 100_000))
        #expect(Tokens.refusal(of: token) == .tooLarge)
        let error = #expect(throws: JWSError.self) { try UnverifiedJWS(token, maximumSize: 1 << 21) }
        #expect(error?.json?.code == .tooDeep)
    }

    @Test func `D-13: a number of a million digits is not an integer`() throws {
        let token = Tokens.make(payload: #"{"exp":\#(String(repeating: "9", count: 1_000_000))}"#)
        #expect(Tokens.refusal(of: token) == .tooLarge)
        #expect(try UnverifiedJWS(token, maximumSize: 1 << 21).payload.root["exp"]?.integer == nil)
    }

    @Test func `D-13: the size of a payload of escapes is bounded`() throws {
        let token = Tokens.make(payload: #"{"a":"\#(String(repeating: #"\u0041"#, count: 100_000))"}"#)
        #expect(Tokens.refusal(of: token) == .tooLarge)
        #expect(try UnverifiedJWS(token, maximumSize: 1 << 21).payload.root["a"]?.string?.utf8.count == 100_000)
    }

    @Test(
        arguments: [
            (#""kid":1"#, .invalidKeyID), (#""kid":["k"]"#, .invalidKeyID), (#""kid":null"#, .invalidKeyID),
            (#""kid":{}"#, .invalidKeyID), (#""typ":1"#, .invalidType), (#""typ":["JWT"]"#, .invalidType),
            (#""typ":null"#, .invalidType),
        ] as [(String, JWSError.Code)])
    func `D-14: a kid or typ that is not a string is rejected`(member: String, code: JWSError.Code) {
        #expect(Tokens.refusal(of: Tokens.make(header: #"{"alg":"RS256",\#(member)}"#)) == code)
    }

    @Test func `D-14: a kid of a megabyte is rejected even within the size limit`() {
        let token = Tokens.make(header: #"{"alg":"RS256","kid":"\#(String(repeating: "k", count: 1 << 20))"}"#)
        #expect(Tokens.refusal(of: token) == .tooLarge)
        #expect(Tokens.refusal(of: token, maximumSize: 1 << 22) == .invalidKeyID)
    }

    @Test(arguments: ["../../k", "k%00", #"k\u0000"#, "K"])
    func `D-14: a kid with a path or a NUL is only a name`(kid: String) throws {
        let token = try UnverifiedJWS(Tokens.make(header: #"{"alg":"RS256","kid":"\#(kid)"}"#))
        #expect(try Keys.set(RSAVectors.jwk).key(id: try #require(token.keyID)) == nil)
    }

    @Test(arguments: ["[]", "null", "1", #""x""#, "true", #"[{"alg":"RS256"}]"#])
    func `D-14: a header or payload that is not a JSON object is rejected`(text: String) {
        #expect(Tokens.refusal(of: Tokens.make(header: text)) == .headerNotObject)
        #expect(Tokens.refusal(of: Tokens.make(payload: text)) == .payloadNotObject)
    }

    @Test func `D-14: a header or payload with a duplicate member is rejected`() {
        #expect(Tokens.refusal(of: Tokens.make(header: #"{"alg":"RS256","alg":"none"}"#)) == .invalidHeaderJSON)
        #expect(Tokens.refusal(of: Tokens.make(header: #"{"alg":"RS256","al\u0067":"none"}"#)) == .invalidHeaderJSON)
        #expect(Tokens.refusal(of: Tokens.make(payload: #"{"sub":"a","sub":"b"}"#)) == .invalidPayloadJSON)
    }

    @Test(arguments: [
        #"{"alg":"dir","enc":"A256GCM"}"#, #"{"alg":"PBES2-HS256+A128KW","enc":"A128GCM","p2c":1000000000}"#,
        #"{"alg":"RSA-OAEP","enc":"A128GCM","zip":"DEF"}"#, "not JSON",
    ])
    func `D-15: an encrypted token is rejected before its header is read`(header: String) {
        let encoded = Base64URL.encode([UInt8](header.utf8))
        #expect(Tokens.refusal(of: "\(encoded)..AAAA.AAAA.AAAA") == .encrypted)
        #expect(Tokens.refusal(of: "\(encoded).\(RSAVectors.rs256).AAAA") == .encrypted)
    }
}
