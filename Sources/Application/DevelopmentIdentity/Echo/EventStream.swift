internal import NIOCore

/// The event stream of the echo server (WHATWG HTML, section 9.2): numbered events with the time of sending.
enum EventStream {
    /// Returns the response for `count` events (default 10; 0 for no end), `every` number of milliseconds (default
    /// 100).
    static func response(to request: ReceivedRequest) -> Response {
        let last = number("count", of: request, atMost: 1_000_000) ?? 10
        let interval = TimeAmount.milliseconds(Int64(number("every", of: request, atMost: 3_600_000) ?? 100))
        return Response(
            fields: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")],
            stream: { channel, next in
                send(1, until: last == 0 ? .max : last, every: interval, on: channel, then: next)
            })
    }

    private static func number(_ name: String, of request: ReceivedRequest, atMost limit: Int) -> Int? {
        request.query?[name].flatMap { Int($0) }.flatMap { (0...limit).contains($0) ? $0 : nil }
    }

    /// Sends an event, and the next one after the interval. After the last one it ends the body.
    private static func send(
        _ number: Int, until last: Int, every interval: TimeAmount, on channel: any Channel,
        then next: @escaping @Sendable () -> Void
    ) {
        guard number <= last else {
            channel.writeAndFlush(ByteBuffer(string: "0\r\n\r\n"), promise: nil)
            return next()
        }
        channel.writeAndFlush(ByteBuffer(bytes: chunk(number))).whenSuccess {
            channel.eventLoop.scheduleTask(in: interval) {
                send(number + 1, until: last, every: interval, on: channel, then: next)
            }
        }
    }

    /// Returns one event as a chunk.
    private static func chunk(_ number: Int) -> [UInt8] {
        let event = "id: \(number)\ndata: {\"n\":\(number),\"at\":\(SystemTime.microseconds())}\n\n"
        return Array("\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n".utf8)
    }
}
