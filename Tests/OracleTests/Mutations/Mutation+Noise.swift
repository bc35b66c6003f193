@testable import SystemFixtures

extension Mutation {
    /// Bytes that mean something to JSON or base64url.
    private static let telling: [UInt8] =
        Array("{}[]\":,\\/u0123456789eE+-._= \n\ttfnNaI".utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xA9, 0xED, 0xF4, 0xFF]

    /// One to three bytes changed, put in or taken out, in some step of a token's making.
    static func noise(_ random: inout SeededRandom) -> Mutation {
        let changes = (0...random.index(of: 0..<3)).map { _ in Change(&random) }
        let edit: TokenDraft.Edit = { bytes in changes.reduce(bytes) { $1.apply(to: $0) } }
        let step = steps[random.index(of: steps)]
        return Mutation("noise in \(step.name): \(changes)") { step.add(&$0, edit) }
    }

    private struct Step {
        let name: String
        let add: @Sendable (inout TokenDraft, @escaping TokenDraft.Edit) -> Void
    }

    /// JSON more often: noise elsewhere seldom leaves anything to compare.
    private static let steps = [
        Step(name: "payload's JSON") { $0.payloadJSON.append($1) },
        Step(name: "payload's JSON") { $0.payloadJSON.append($1) },
        Step(name: "payload's JSON") { $0.payloadJSON.append($1) },
        Step(name: "header's JSON") { $0.headerJSON.append($1) },
        Step(name: "header's JSON") { $0.headerJSON.append($1) },
        Step(name: "header's text") { $0.encodedHeader.append($1) },
        Step(name: "payload's text") { $0.encodedPayload.append($1) },
        Step(name: "signature's text") { $0.encodedSignature.append($1) },
        Step(name: "signature") { $0.signature.append($1) }, Step(name: "token") { $0.token.append($1) },
    ]

    private struct Change: CustomStringConvertible {
        private let kind: Int
        private let place: Int
        private let byte: UInt8

        init(_ random: inout SeededRandom) {
            kind = random.index(of: 0..<4)
            place = Int.random(in: 0..<1 << 20, using: &random)
            byte = telling[random.index(of: telling)]
        }

        func apply(to bytes: [UInt8]) -> [UInt8] {
            guard !bytes.isEmpty else { return [byte] }
            var bytes = bytes
            let index = place % bytes.count
            switch kind {
            case 0: bytes[index] = byte
            case 1: bytes.insert(byte, at: index)
            case 2: bytes.remove(at: index)
            default: bytes[index] ^= 1 << UInt8(place % 8)
            }
            return bytes
        }

        var description: String { "\(["put", "insert", "remove", "flip"][kind]) \(byte) at \(place)" }
    }
}

extension SeededRandom {
    /// A random index of a collection that is not empty.
    mutating func index(of list: some Collection) -> Int { Int(next() % UInt64(list.count)) }
}
