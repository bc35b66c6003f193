import HTTPServer
import HTTPWire
import NIOCore
import Testing

@Suite struct BodyReaderTests {
    /// The results of a reader for bytes that arrive in parts.
    private func read(_ framing: BodyFraming, _ parts: [String]) -> [String] {
        var reader = BodyReader(framing)
        var inbound = ByteBuffer()
        var seen: [String] = []
        for part in parts {
            inbound.writeString(part)
            reading: while true {
                switch reader.next(from: &inbound) {
                case .needsMore: break reading
                case .data(let data): seen.append(String(buffer: data))
                case .malformed: return seen + ["malformed"]
                case .end(let trailers): return seen + ["end \(trailers.readableBytes) \(inbound.readableBytes)"]
                }
            }
        }
        return seen
    }

    @Test func `an absent body ends immediately`() {
        #expect(!BodyReader(.none).isOpen)
        #expect(!BodyReader(.length(0)).isOpen)
        #expect(read(.none, ["next"]) == ["end 0 4"])
    }

    @Test(
        arguments: [
            (.length(5), ["abc", "defg"], ["abc", "de", "end 0 2"]), (.untilClose, ["abc", "de"], ["abc", "de"]),
            (.chunked, ["3\r\nabc\r\n2;x=y\r", "\nde\r\n0\r\n\r\nnext"], ["abc", "de", "end 0 4"]),
            (.chunked, ["0\r\nA: b\r\n\r\n"], ["end 8 0"]),
        ] as [(BodyFraming, [String], [String])])
    func `a body loses its framing`(framing: BodyFraming, parts: [String], expected: [String]) {
        #expect(read(framing, parts) == expected)
    }

    @Test(arguments: ["x\r\n", "-1\r\n", "\r\n", "1\r\nab", "1\nab", "10000000000000000\r\n", "0\r\nA : b\r\n\r\n"])
    func `malformed chunks are reported`(text: String) {
        #expect(read(.chunked, [text]).last == "malformed")
    }
}
