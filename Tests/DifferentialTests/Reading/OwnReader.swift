import HTTPWire

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
