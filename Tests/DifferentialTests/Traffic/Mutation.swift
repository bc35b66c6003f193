@testable import SystemFixtures

/// Damage to a stream's bytes.
enum Mutation {
    /// Changes, inserts, removes or repeats something somewhere.
    static func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard !bytes.isEmpty else { return }
        let place = random.below(bytes.count)
        switch random.below(7) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes[place] ^= 1 << UInt8(random.below(8))
        case 2: bytes[place] = telling[random.below(telling.count)]
        case 3: bytes.insert(telling[random.below(telling.count)], at: place)
        case 4: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(4)))
        case 5: bytes.insert(contentsOf: line(around: place, in: bytes), at: line(around: place, in: bytes).startIndex)
        default: bytes.removeSubrange(line(around: place, in: bytes).indices)
        }
    }

    /// The beginning of one stream and the end of another.
    static func splice(_ first: [UInt8], _ second: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        Array(first[..<random.below(first.count + 1)] + second[random.below(second.count + 1)...])
    }

    /// The bytes that divide messages, lines, names and values.
    private static let telling = Array("\r\n\r\n :\t,;=\"\\0159afAG/?#*%@-_\u{0}\u{7f}\u{b}\u{e9}".utf8)

    private static func line(around place: Int, in bytes: [UInt8]) -> ArraySlice<UInt8> {
        let start = bytes[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let end = bytes[place...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
        return bytes[start..<end]
    }
}
