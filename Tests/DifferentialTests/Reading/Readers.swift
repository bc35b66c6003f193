@testable import SystemFixtures

/// Both readers, side by side.
struct Readers {
    private let own = OwnReader()
    private let nio: NIOReader

    init() throws { nio = try NIOReader() }

    /// Reads `stream` in pieces of random sizes with each.
    func compare(_ stream: Stream, _ random: inout SeededRandom) -> Comparison {
        let mine = own.read(stream, cuts: Cuts.random(stream.bytes.count, &random))
        var cuts = Cuts.random(stream.bytes.count, &random)
        // NIO tells of a message's end when the piece was decoded that holds it. A piece of our last byte alone shows
        // whether it is the same byte; otherwise, what follows must be the same.
        if random.once(in: 4) { cuts = Readers.exact(mine, cuts) }
        return Comparison(mine, nio.read(stream, cuts: cuts), of: stream)
    }

    /// Reads `stream` with each: ours in one piece, NIO so that its messages must end at the same bytes.
    func compare(_ stream: Stream) -> Comparison { Comparison(readByUs(stream), readByNIO(stream), of: stream) }

    func readByUs(_ stream: Stream) -> Reading { own.read(stream, cuts: []) }

    func readByNIO(_ stream: Stream) -> Reading { nio.read(stream, cuts: Readers.exact(readByUs(stream), [])) }

    private static func exact(_ reading: Reading, _ cuts: [Int]) -> [Int] {
        (cuts + reading.messages.compactMap(\.end).flatMap { [$0.lowerBound - 1, $0.lowerBound] }).sorted()
    }
}
