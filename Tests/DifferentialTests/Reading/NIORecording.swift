import NIOCore
import NIOHTTP1

/// Collects the events of a decoder into a reading.
final class NIORecording {
    /// The offsets of the piece that is being decoded. The current event ends at one of them.
    var piece = 0...0
    /// The bytes that the decoder did not take.
    var leftOver = 0
    private var reading = Reading()
    /// Whether a head was fired whose message has not ended.
    private var isWithin = false
    private var ending: Reading.Ending?

    /// Whether further events are ignored.
    var isDone: Bool { ending != nil }

    func begin() {
        reading = Reading()
        (piece, leftOver, isWithin, ending) = (0...0, 0, false, nil)
    }

    func finish() -> Reading {
        // A decoder that saw an upgrade takes no more bytes and reports no error either.
        reading.ending = ending ?? (isWithin ? .within : leftOver > 0 ? .upgraded : .between)
        return reading
    }

    /// Records an error of the decoder. An error after the last message does not count.
    func refused(_ error: any Error) {
        guard ending == nil else { return }
        let isCutShort = error as? HTTPParserError == .invalidEOFState
        let isUnasked = error as? NIOHTTPDecoderError == .unsolicitedResponse
        ending = isCutShort ? .within : isUnasked ? .closed : .refused("\(error)")
    }

    func record(_ part: HTTPServerRequestPart) {
        switch part {
        case .head(let head):
            // NIO names this one method otherwise than the wire does.
            let method = head.method == .MSEARCH ? "M-SEARCH" : head.method.rawValue
            let start = ReadMessage.Start.request(method: method, target: head.uri)
            begin(start, head.version, head.headers, keepAlive: head.isKeepAlive)
        case .body(let bytes): append(bytes)
        case .end(let trailers): end(trailers)
        }
    }

    func record(_ part: HTTPClientResponsePart) {
        switch part {
        case .head(let head):
            let status = Int(head.status.code)
            begin(.response(status: status), head.version, head.headers, keepAlive: head.isKeepAlive)
            // The decoder fires no end of an interim response.
            if (100..<200).contains(status), status != 101 { endInterim() }
        case .body(let bytes): append(bytes)
        case .end(let trailers): end(trailers)
        }
    }

    private func begin(_ start: ReadMessage.Start, _ version: HTTPVersion, _ fields: HTTPHeaders, keepAlive: Bool) {
        guard ending == nil else { return }
        isWithin = true
        reading.messages.append(
            ReadMessage(
                start: start, minorVersion: version.minor, fields: readFields(fields), keepAlive: keepAlive))
    }

    private func append(_ bytes: ByteBuffer) {
        guard ending == nil else { return }
        reading.messages[reading.messages.count - 1].body.append(contentsOf: bytes.readableBytesView)
    }

    private func end(_ trailers: HTTPHeaders?) {
        guard ending == nil else { return }
        reading.messages[reading.messages.count - 1].trailers = trailers.map(readFields) ?? []
        endInterim()
        if !reading.messages[reading.messages.count - 1].keepAlive { ending = .closed }
    }

    private func endInterim() {
        guard ending == nil else { return }
        reading.messages[reading.messages.count - 1].end = piece
        isWithin = false
    }

    private func readFields(_ fields: HTTPHeaders) -> [ReadField] {
        fields.map { ReadField(name: $0.name, value: $0.value) }
    }
}
