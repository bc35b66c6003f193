import JOSE
import Testing

struct SHA256HasherTests {
    private func hexadecimal(_ digest: SHA256Digest?) -> String? {
        digest?.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test func `one hasher computes the vectors of FIPS 180 repeatedly`() throws {
        let hasher = try #require(SHA256Hasher())
        for _ in 0..<2 {
            let abc = hasher.hash([UInt8]("abc".utf8))
            #expect(hexadecimal(abc) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
            let empty = hasher.hash([])
            #expect(hexadecimal(empty) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
            let million = hasher.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
            #expect(hexadecimal(million) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        }
    }

    @Test func `digests are equal if all of their bytes are`() throws {
        let hasher = try #require(SHA256Hasher())
        #expect(hasher.hash([1]) == hasher.hash([1]))
        #expect(hasher.hash([1]) != hasher.hash([2]))
        #expect(Set([hasher.hash([1]), hasher.hash([1]), hasher.hash([2])]).count == 2)
    }
}

struct ConstantTimeTests {
    @Test func `D-24: equal secrets are equal and others are not`() {
        #expect(ConstantTime.equals("secret".utf8, [UInt8]("secret".utf8)))
        #expect(!ConstantTime.equals("secret".utf8, "secreT".utf8))
        #expect(!ConstantTime.equals("secret".utf8, "secret1".utf8))
        #expect(!ConstantTime.equals("secret".utf8, "".utf8))
        #expect(ConstantTime.equals("".utf8, "".utf8))
    }
}
