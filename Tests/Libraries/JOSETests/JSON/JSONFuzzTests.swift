import Foundation
import JOSE
import Testing

@testable import SystemFixtures

struct JSONFuzzTests {
    private static let seeds = [
        #"{"iss":"https://securetoken.google.com/p","aud":"p","auth_time":1700000000,"email_verified":true}"#,
        #"{"firebase":{"identities":{"google.com":["1","2"],"email":["a@b.c"]},"sign_in_provider":"google.com"}}"#,
        #" [ 1.5e-3 , "\u00e9\ud83d\ude00\\" , null , { "a" : [ [ ] , { } ] } , -0 ] "#,
    ]

    /// Bytes with a special meaning in JSON.
    private static let bytes: [UInt8] =
        [UInt8](#"{}[]",:\ue0123456789-+.tfn dDcC89"#.utf8) + [0, 0x1F, 0x80, 0xC3, 0xED, 0xF0, 0xFF]

    private func mutated(_ seed: String, _ generator: inout SeededRandom) -> [UInt8] {
        var text = [UInt8](seed.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let place = Int.random(in: 0..<text.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: text[place] = Self.bytes.randomElement(using: &generator) ?? 0
            case 1: text.insert(Self.bytes.randomElement(using: &generator) ?? 0, at: place)
            default: text.remove(at: place)
            }
        }
        return text
    }

    @Test(arguments: seeds)
    func `Foundation accepts every accepted text, and its compact form round-trips`(seed: String) throws {
        var generator = SeededRandom(seed: UInt64(seed.utf8.count))
        for _ in 0..<Thoroughness.rounds(1000, full: 4000) {
            let text = mutated(seed, &generator)
            guard let document = try? JSONDocument(text) else { continue }
            let compact = document.root.compact
            #expect(try JSONDocument(compact).root.compact == compact)
            #expect((try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)) != nil)
        }
    }
}
