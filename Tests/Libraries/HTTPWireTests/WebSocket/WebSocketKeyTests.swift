import HTTPWire
import Testing

struct WebSocketKeyTests {
    private func accept(_ key: String) -> String {
        Array(key.utf8).withUnsafeBytes { String(decoding: WebSocketKey.accept($0), as: UTF8.self) }
    }

    private func isValid(_ key: String) -> Bool { Array(key.utf8).withUnsafeBytes { WebSocketKey.isValid($0) } }

    @Test func `the example of RFC 6455 section 1.3 is accepted`() {
        #expect(accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(isValid("dGhlIHNhbXBsZSBub25jZQ=="))
    }

    @Test(arguments: [
        "", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ=A", "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25j",
        "dGhlIHNhbXBsZSBub25j-_==", "dGhlIHNhbXBsZSBub25jZQ== ", "dGhlIHNhbXBsZSBub25jZGhlZGhl",
        "====================AA==",
    ])
    func `a key is the Base64 of 16 bytes`(key: String) {
        #expect(!isValid(key))
    }
}
