import Testing

@testable import JOSE

struct HMACSHA256Tests {
    /// The cases 1, 2 and 6 of RFC 4231, and an empty key as Python's `hmac` computes it.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ), ([], "abc", "fd7adb152c05ef80dccf50a1fa4c05d5a3ec6da95575fc312ae7c5d091836351"),
    ])
    func `the code of a message is that of the standard`(secret: [UInt8], message: String, code: String) {
        #expect(HMACSHA256.authenticate(Array(message.utf8), secret: secret).map(hexadecimal) == code)
    }

    /// The first 32 bytes of the cases 1 and 3 of RFC 5869.
    @Test func `a derived key is that of the standard`() {
        let material = [UInt8](repeating: 0x0B, count: 22)
        #expect(
            derive(from: material, salt: Array(0...12), info: Array(0xF0...0xF9)).map(hexadecimal)
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
        #expect(
            derive(from: material, salt: [], info: []).map(hexadecimal)
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
    }

    private func derive(from material: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8]? {
        HKDFSHA256.extract(from: material, salt: salt).flatMap { HKDFSHA256.expand($0, info: info) }
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

struct SealingKeyTests {
    private let key: SealingKey
    private let value = Array("a sealed välue".utf8)
    private let context = Array("context".utf8)

    init() throws { key = try Self.key() }

    private static func key(_ label: String = "label") throws -> SealingKey {
        let pem = Array(SigningVectors.sec1.utf8)
        return try SealingKey(derivedFrom: try SigningKey(pem: pem, algorithm: .es256, keyID: "k"), label: label)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 65_536])
    func `a sealed value opens, and each seal has its own nonce`(size: Int) throws {
        let value = [UInt8](repeating: UInt8(ascii: "v"), count: size)
        let (first, second) = (key.seal(value, context: context), key.seal(value, context: context))
        let sealed = try #require(first)
        #expect(sealed.count == size + SealingKey.overhead && first != second)
        #expect(sealed.prefix(12) != second?.prefix(12))
        #expect(key.open(sealed, context: context) == value)
        #expect(key.open(try #require(key.seal(value, context: [])), context: []) == value)
    }

    /// The key was derived, and the value sealed, with Python's `cryptography`.
    @Test func `a value that another implementation sealed opens`() throws {
        let sealed = try #require(Base64URL.decode("AAECAwQFBgcICQoLiaX0H_alPwkjed9sGpOF-rG_CfsvMIF_Pw2JlYP8Ig"))
        #expect(key.open(sealed, context: context) == value)
    }

    @Test func `another key, another label and another context open nothing`() throws {
        let sealed = try #require(key.seal(value, context: context))
        let other = try SealingKey(derivedFrom: .generate(.es256, keyID: "k"), label: "label")
        #expect(other.open(sealed, context: context) == nil)
        #expect(try Self.key("label ").open(sealed, context: context) == nil)
        for context in [[], Array("contex".utf8), Array("context ".utf8), Array("Context".utf8)] {
            #expect(key.open(sealed, context: context) == nil)
        }
        #expect(try Self.key().open(sealed, context: context) == value, "the key is derived, not random")
    }

    @Test func `O-31: each context has its own key, also with equal associated data`() throws {
        let keys = try [[], [0], context, context + [0], Array("other".utf8)].map { try #require(key.key(for: $0)) }
        #expect(Set(keys.map(\.bytes)).count == keys.count)
        for (place, one) in keys.enumerated() {
            let sealed = try #require(one.seal(value, associatedData: context))
            for (other, key) in keys.enumerated() {
                let opened = key.open(sealed, associatedData: context)
                #expect(opened == (place == other ? value : nil), "\(place) \(other)")
            }
        }
        #expect(key.open(try #require(keys[2].seal(value, associatedData: context)), context: context) == value)
        #expect(try Self.key("label").key(for: context)?.bytes == keys[2].bytes)
        #expect(try Self.key("labe").key(for: Array("l".utf8))?.bytes != key.key(for: [])?.bytes)
    }

    @Test func `a value with a changed bit, or cut or extended, does not open`() throws {
        let sealed = try #require(key.seal(value, context: context))
        for place in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[place] ^= 1 << UInt8(bit)
                #expect(key.open(changed, context: context) == nil, "bit \(bit) of byte \(place)")
            }
            #expect(key.open(Array(sealed[..<place]), context: context) == nil, "\(place) bytes")
            #expect(key.open(Array(sealed[(place + 1)...]), context: context) == nil)
        }
        #expect(key.open(sealed + [0], context: context) == nil)
    }

    @Test func `a key of a secret opens what the same secret sealed`() throws {
        let secret = [UInt8](repeating: 7, count: 32)
        let sealed = try #require(SealingKey(secret: secret, label: "label")?.seal(value, context: context))
        #expect(SealingKey(secret: secret, label: "label")?.open(sealed, context: context) == value)
        #expect(SealingKey(secret: secret, label: "other")?.open(sealed, context: context) == nil)
        #expect(SealingKey(secret: secret + [7], label: "label")?.open(sealed, context: context) == nil)
    }

    @Test func `a private key without a number on a curve derives no key`() throws {
        let key = try SigningKey.generate(.edDSA, keyID: "k")
        #expect(throws: SigningKeyError.self) { try SealingKey(derivedFrom: key, label: "label") }
    }

    @Test func `a key does not show its bytes`() {
        var shown = "\(key) \(String(reflecting: key)) "
        dump(key, to: &shown)
        #expect(!shown.contains("bytes") && !shown.contains("32 elements"), "\(shown)")
    }
}
