@testable import SystemFixtures

/// What is generated: from each seed the same streams.
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
