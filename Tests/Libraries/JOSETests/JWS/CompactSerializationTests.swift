import JOSE
import Testing

struct CompactSerializationTests {
    @Test func `the parts of a token are readable before it is verified, and kid and typ are optional`() throws {
        let token = try UnverifiedJWS(
            Tokens.make(header: #"{"alg":"ES256","kid":"key-1","typ":"JWT"}"#, payload: #"{"sub":"x"}"#))
        #expect(token.algorithmName == "ES256")
        #expect(token.algorithm == .es256)
        #expect(token.keyID == "key-1")
        #expect(token.type == "JWT")
        #expect(token.header.root.count == 3)
        #expect(token.payload.root["sub"]?.string == "x")
        #expect(!token.hasEmptySignature)
        let short = try UnverifiedJWS(Tokens.make(header: #"{"alg":"RS256"}"#))
        #expect(short.keyID == nil && short.type == nil)
    }

    @Test func `a token is read from bytes, from an array and from a string`() throws {
        let bytes = [UInt8](RSAVectors.rs256.utf8)
        #expect(try bytes.withUnsafeBytes { try UnverifiedJWS($0) }.keyID == "k")
        #expect(try UnverifiedJWS(bytes).keyID == "k")
        #expect(try UnverifiedJWS(RSAVectors.rs256).keyID == "k")
    }

    @Test func `the size limit is exact`() {
        let token = RSAVectors.rs256
        #expect(Tokens.refusal(of: token, maximumSize: token.utf8.count) == nil)
        #expect(Tokens.refusal(of: token, maximumSize: token.utf8.count - 1) == .tooLarge)
    }

    @Test func `an error names the defect and not the content of the token`() throws {
        let error = try #require(throws: JWSError.self) { try UnverifiedJWS(Tokens.make(payload: #"{"secret":1,}"#)) }
        #expect(error.description == "invalidPayloadJSON: unexpectedByte at byte 12")
        #expect(error.json?.code == .unexpectedByte)
    }
}
