import Testing

@testable import HTTPWire

struct WebSocketKeyTests {
    private func accept(_ key: String) -> String {
        Array(key.utf8).withUnsafeBytes { String(decoding: WebSocketKey.accept($0), as: UTF8.self) }
    }

    private func isValid(_ key: String) -> Bool { Array(key.utf8).withUnsafeBytes { WebSocketKey.isValid($0) } }

    @Test("RFC 6455 section 1.3") func theSpecificationsExample() {
        #expect(accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(isValid("dGhlIHNhbXBsZSBub25jZQ=="))
    }

    @Test(arguments: [
        "", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ=A", "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25j",
        "dGhlIHNhbXBsZSBub25j-_==", "dGhlIHNhbXBsZSBub25jZQ== ", "dGhlIHNhbXBsZSBub25jZGhlZGhl",
        "====================AA==",
    ])
    func whatIsNotTheBase64Of16BytesIsNoKey(key: String) {
        #expect(!isValid(key))
    }

    @Test(
        "FIPS 180 examples",
        arguments: [
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"), ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
        ])
    func hashes(message: String, hash: String) {
        let digest = SHA1.digest(of: Array(message.utf8))
        #expect(digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == hash)
    }
}
