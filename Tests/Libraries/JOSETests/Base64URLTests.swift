import Foundation
import JOSE
import Testing

@testable import SystemFixtures

struct Base64URLTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func `the vectors of RFC 4648 section 10 encode and decode`(plain: String, encoded: String) {
        #expect(Base64URL.encode([UInt8](plain.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == [UInt8](plain.utf8))
    }

    @Test func `the alphabet has a hyphen and an underscore instead of + and /`() {
        #expect(Base64URL.encode([0xFB, 0xFF, 0xBF]) == "-_-_")
        #expect(Base64URL.decode("-_-_") == [0xFB, 0xFF, 0xBF])
    }

    @Test func `every length round-trips and agrees with Foundation`() {
        var generator = SeededRandom(seed: 1)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let reference = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
            #expect(Base64URL.encode(bytes) == reference)
            #expect(Base64URL.decode(reference) == bytes)
        }
    }

    @Test func `encoding appends to the output`() {
        var output: [UInt8] = [UInt8(ascii: "x")]
        Base64URL.encode([1, 2, 3, 4], into: &output)
        #expect(String(decoding: output, as: UTF8.self) == "xAQIDBA")
    }

    @Test(arguments: [
        "Zg==", "Zm8=", "Zm9v=", "=", "A", "AAAAA", "Zm9v Zm9v", " Zm9", "Zm9v\n", "Zm\t8", "+_-_", "/_-_", "Zm9v.",
        "Zm9\u{0}", "Zh", "Zm9", "-_-_+", "Zm9é", "ＡＡＡＡ",
    ])
    func `text that is not canonical is rejected`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `each byte outside the alphabet is rejected in each position`() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for byte in UInt8.min...UInt8.max where !alphabet.contains(byte) {
            for place in 0..<7 {
                var text = [UInt8]("AAAAAAA".utf8)
                text[place] = byte
                #expect(Base64URL.decode(text) == nil, "byte \(byte) at \(place)")
            }
        }
    }

    @Test func `the bits after the last byte must be zero`() {
        let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        #expect(alphabet.count { Base64URL.decode([alphabet[1], $0]) != nil } == 4)
        #expect(alphabet.count { Base64URL.decode([alphabet[1], alphabet[2], $0]) != nil } == 16)
    }
}
