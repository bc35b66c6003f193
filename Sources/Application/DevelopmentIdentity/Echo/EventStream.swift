internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The event stream of the echo server (WHATWG HTML, section 9.2): numbered events that say when they were sent.
enum EventStream {
    static func steps(_ instructions: EchoInstructions, for request: ReceivedRequest) -> [ScriptStep] {
        let answer = Answer(
            status: instructions.status, fields: [("Content-Type", instructions.eventType)] + instructions.fields)
        let count = instructions.eventCount
        let head = ScriptStep.send(answer.head(adding: [("Transfer-Encoding", "chunked")]))
        guard answer.allowsBody(for: request.method) else { return [head] }
        let events = ScriptStep.events(next: 1, last: count == 0 ? nil : count, every: instructions.eventInterval)
        return [head, events, .send(Array("0\r\n\r\n".utf8))]
    }

    /// One event, as a chunk.
    static func chunk(_ number: Int) -> [UInt8] {
        let event = "id: \(number)\ndata: {\"n\":\(number),\"at\":\(microseconds())}\n\n"
        return Array("\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n".utf8)
    }

    /// Since 1970.
    private static func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
