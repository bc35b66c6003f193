import HTTPWire

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
        // NIO reports the end of a message after the piece that contains it. A piece that is only our last byte shows
        // whether both end at the same byte. Otherwise the following messages must be the same.
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

/// Reads streams with our parsers, strung together as a connection of the gateway does it.
final class OwnReader {
    private let fields = FieldTable(capacity: HeadLimits().fields)

    /// Reads `stream`, of which a piece arrives at each of the ascending `cuts`, then the rest and the end.
    func read(_ stream: Stream, cuts: [Int]) -> Reading {
        stream.bytes.withUnsafeBytes { bytes in
            var pass = OwnPass(stream: stream, bytes: bytes, fields: fields)
            for cut in cuts { pass.receive(upTo: cut) }
            pass.receive(upTo: bytes.count)
            return pass.finish()
        }
    }
}
