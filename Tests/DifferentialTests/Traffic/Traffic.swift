@testable import SystemFixtures

/// The kinds of generated streams. A seed always gives the same streams.
enum Traffic: String, Sendable, CaseIterable {
    case requests, pipelines, chunkedBodies, responses

    /// The next stream: as it was put together, or damaged.
    func stream(_ random: inout SeededRandom) -> Stream {
        // So few oddities in most streams that the others in them are not hidden behind a first one.
        let rarity = random.once(in: 3) ? 16 : 100
        var stream = assembled(&random, rarity: rarity)
        for _ in 0..<Traffic.damages[random.below(Traffic.damages.count)] {
            if random.once(in: 8) {
                stream.bytes = Mutation.splice(stream.bytes, assembled(&random, rarity: rarity).bytes, &random)
            } else {
                Mutation.damage(&stream.bytes, &random)
            }
        }
        return stream
    }

    private static let damages = [0, 0, 0, 1, 1, 2, 3]

    private func assembled(_ random: inout SeededRandom, rarity: Int) -> Stream {
        var writer = MessageWriter(rarity: rarity)
        switch self {
        case .requests:
            writer.request(&random)
            writer.nextRequest(&random)
        case .pipelines:
            for _ in 0..<2 + random.below(3) { writer.request(&random) }
        case .chunkedBodies:
            writer.append("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            writer.chunks(&random)
            writer.nextRequest(&random)
        case .responses:
            let methods = (0..<3).map { _ in Traffic.methods[random.below(Traffic.methods.count)] }
            for method in methods { writer.response(&random, to: method) }
            return Stream(.responses(to: methods), writer.bytes)
        }
        return Stream(.requests, writer.bytes)
    }

    private static let methods: [RequestMethod] = [.get, .get, .get, .get, .get, .get, .get, .head, .head, .connect]
}

/// Where a stream is cut into the pieces in which it arrives.
enum Cuts {
    /// Ascending offsets at random: mostly a few, now and then each one.
    static func random(_ count: Int, _ random: inout SeededRandom) -> [Int] {
        guard count > 1 else { return [] }
        if count < 200, random.once(in: 64) { return Array(1..<count) }
        return (0..<random.below(4)).map { _ in 1 + random.below(count - 1) }.sorted()
    }
}

extension SeededRandom {
    /// A number below `bound`, which is above zero. The standard library's generic way takes longer than the parsers.
    mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(bound)) }

    /// True once in `times`.
    mutating func once(in times: Int) -> Bool { below(times) == 0 }
}
