@testable import SystemFixtures

/// Puts messages together from fragments, one in `rarity` of which is odd.
struct MessageWriter {
    let rarity: Int
    private(set) var bytes: [UInt8] = []

    init(rarity: Int) {
        self.rarity = rarity
        bytes.reserveCapacity(512)
    }

    mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func request(_ random: inout SeededRandom) {
        pick(.start, &random)
        pick(.method, &random)
        append(" ")
        pick(.target, &random)
        pick(.version, &random)
        pick(.host, &random)
        fieldsAndBody(&random)
    }

    /// A request that shows where the one before it ended, mostly.
    mutating func nextRequest(_ random: inout SeededRandom) {
        if !random.once(in: 4) { append("GET /next HTTP/1.1\r\nHost: a\r\n\r\n") }
    }

    mutating func response(_ random: inout SeededRandom, to method: RequestMethod) {
        pick(.statusLine, &random)
        let isBodiless = method == .head || MessageWriter.isBodiless(bytes)
        // A message that must not have a body may still frame one, or even contain one.
        let isFramed = !isBodiless || random.once(in: 8)
        fieldsAndBody(&random, isFramed: isFramed, hasBody: !isBodiless || random.once(in: rarity))
    }

    /// Whether the last status is 1xx, 204 or 304.
    private static func isBodiless(_ bytes: [UInt8]) -> Bool {
        guard let slash = bytes.lastIndex(of: 0x2F), slash + 7 < bytes.count else { return false }
        let status = bytes[(slash + 5)...(slash + 7)]
        return status.first == 0x31 || status.elementsEqual("204".utf8) || status.elementsEqual("304".utf8)
    }

    private mutating func fieldsAndBody(_ random: inout SeededRandom, isFramed: Bool = true, hasBody: Bool = true) {
        for _ in 0..<random.below(3) { pick(.field, &random) }
        pick(.connection, &random)
        let body = isFramed ? framing(&random) : .none
        if random.once(in: 2) { pick(.field, &random) }
        if random.once(in: 4_000) { flood(&random) }
        append("\r\n")
        guard hasBody else { return }
        switch body {
        case .none: break
        case .sized: append("hello")
        case .chunked: chunks(&random)
        }
    }

    private enum Body { case none, sized, chunked }

    private mutating func framing(_ random: inout SeededRandom) -> Body {
        if random.once(in: max(rarity / 3, 2)) {
            bytes += Fragments.oddFraming[random.below(Fragments.oddFraming.count)]
            return random.once(in: 2) ? .sized : .chunked
        }
        switch random.below(4) {
        case 0:
            append("Content-Length: 5\r\n")
            return .sized
        case 1:
            append("Transfer-Encoding: chunked\r\n")
            return .chunked
        default: return .none
        }
    }

    mutating func chunks(_ random: inout SeededRandom) {
        for _ in 0..<random.below(3) {
            pick(.chunkSize, &random)
            pick(.chunkEnd, &random)
            append("hello")
            bytes += Fragments.chunkTail.pick(&random, rarity: rarity * 2)
        }
        append("0")
        pick(.chunkEnd, &random)
        for _ in 0..<random.below(3) { pick(.trailer, &random) }
        append("\r\n")
    }

    /// More than a head may hold: of bytes, or of fields.
    private mutating func flood(_ random: inout SeededRandom) {
        if random.once(in: 2) {
            append("X-Long: ")
            bytes += [UInt8](repeating: 0x61, count: 66_000)
            append("\r\n")
        } else {
            for _ in 0..<129 { append("X: y\r\n") }
        }
    }

    private mutating func pick(_ fragments: Fragments, _ random: inout SeededRandom) {
        bytes += fragments.pick(&random, rarity: rarity)
    }
}
