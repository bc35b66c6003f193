import JOSE
import Testing

@Suite("reading a compact JWS")
struct CompactSerializationTests {
    @Test("a token's parts can be looked at before it is verified")
    func parts() throws {
        let token = try UnverifiedJWS(
            Tokens.make(header: #"{"alg":"ES256","kid":"key-1","typ":"JWT"}"#, payload: #"{"sub":"x"}"#))
        #expect(token.algorithmName == "ES256")
        #expect(token.algorithm == .es256)
        #expect(token.keyID == "key-1")
        #expect(token.type == "JWT")
        #expect(token.header.root.count == 3)
        #expect(token.payload.root["sub"]?.string == "x")
        #expect(!token.hasEmptySignature)
    }

    @Test("kid and typ may be missing")
    func optionalHeaders() throws {
        let token = try UnverifiedJWS(Tokens.make(header: #"{"alg":"RS256"}"#))
        #expect(token.keyID == nil)
        #expect(token.type == nil)
    }

    @Test("an unsigned token can be looked at and never verifies")
    func unsigned() throws {
        let token = try UnverifiedJWS(Tokens.make(header: #"{"alg":"none"}"#, signature: []))
        #expect(token.hasEmptySignature)
        #expect(token.algorithm == nil)
        let key = try Keys.key(RSAVectors.jwk)
        for algorithm in Algorithm.allCases { #expect(token.verify(with: key, algorithm: algorithm) == nil) }
    }

    @Test("an RS256 token without its signature does not verify")
    func emptySignature() throws {
        let token = try UnverifiedJWS(Tokens.changingSignature(of: RSAVectors.rs256) { $0 = [] })
        #expect(token.hasEmptySignature)
        #expect(token.verify(with: try Keys.key(RSAVectors.jwk), algorithm: .rs256) == nil)
    }

    @Test("the same token is read from bytes, from an array and from a string")
    func initializers() throws {
        let bytes = [UInt8](RSAVectors.rs256.utf8)
        #expect(try bytes.withUnsafeBytes { try UnverifiedJWS($0) }.keyID == "k")
        #expect(try UnverifiedJWS(bytes).keyID == "k")
        #expect(try UnverifiedJWS(RSAVectors.rs256).keyID == "k")
    }

    @Test("the size limit is exact")
    func sizeLimit() {
        let token = RSAVectors.rs256
        #expect(Tokens.refusal(of: token, maximumSize: token.utf8.count) == nil)
        #expect(Tokens.refusal(of: token, maximumSize: token.utf8.count - 1) == .tooLarge)
    }

    @Test("an error tells what is wrong, not what was sent")
    func description() throws {
        let error = try #require(throws: JWSError.self) { try UnverifiedJWS(Tokens.make(payload: #"{"secret":1,}"#)) }
        #expect(error.description == "invalidPayloadJSON: unexpectedByte at byte 12")
        #expect(error.json?.code == .unexpectedByte)
    }
}
