import Foundation
internal import Synchronization
package import DevelopmentIdentity

extension EchoUpstream {
    /// Starts an echo server that follows the instructions in queries (``EchoInstructions``).
    package static func startInstructed(
        port: Int = 0, keeping: Int = 1024
    ) async throws(DevelopmentIdentityError) -> EchoUpstream {
        let echo = try await start(port: port, keeping: keeping)
        _ = echo.instructed
        return echo
    }

    /// Opens the gates of all current and later responses with `hold=NAME` and bodies with `unread=NAME`.
    package func release(_ name: String) { instructed?.gate(name).open() }

    /// Waits for the heads of `count` requests, or the cancellation of the task.
    package func waitForHeads(_ count: Int) async { await instructed?.heads.wait(for: count) }

    private var instructed: InstructedEcho? { interceptor(orInstall: InstructedEcho()) as? InstructedEcho }
}

/// Replaces the responses of the echo server according to the instructions.
private final class InstructedEcho: ResponseInterceptor {
    let heads = RequestLog(capacity: 1)
    private let gates = Mutex<[String: Gate]>([:])

    func gate(_ name: String) -> Gate {
        gates.withLock { gates in
            let gate = gates[name] ?? Gate()
            gates[name] = gate
            return gate
        }
    }

    func begin(_ head: ReceivedRequest) -> [ResponseStep]? {
        heads.record(head)
        let instructions = EchoInstructions(head)
        var steps: [ResponseStep] = []
        if let name = instructions.unread { steps += [.reading(false), .hold(gate(name)), .reading(true)] }
        if head.wantsContinue, !instructions.isHasty { steps.append(Self.interim(100)) }
        steps += instructions.interim.map(Self.interim)
        if instructions.isHasty { steps += self.steps(instructions, .json(head.report), to: head) }
        return steps
    }

    func respond(to request: ReceivedRequest, insteadOf response: Response) -> [ResponseStep]? {
        let instructions = EchoInstructions(request)
        guard !instructions.isHasty else { return [] }
        guard response.status == 101 else { return steps(instructions, response, to: request) }
        // A WebSocket request gets a 101 response unless it requests another status.
        return instructions.status.map { _ in steps(instructions, .json(request.report), to: request) }
    }

    private static func interim(_ status: Int) -> ResponseStep {
        let fields = status == 103 ? [(name: "Link", value: "</style.css>; rel=preload")] : []
        return .send(Response(status: status, fields: fields).head())
    }

    /// The response of the instructions, with the steps before and after it.
    private func steps(
        _ instructions: EchoInstructions, _ response: Response, to request: ReceivedRequest
    ) -> [ResponseStep] {
        var steps: [ResponseStep] = []
        if let delay = instructions.delay { steps.append(.wait(delay)) }
        if let name = instructions.hold { steps.append(.hold(gate(name))) }
        if instructions.drops { return steps + [.close] }
        if instructions.resets { return steps + [.reset] }
        if let raw = instructions.raw { return steps + [.send(raw.bytes)] + (raw.keepsOpen ? [] : [.close]) }
        steps += InstructedResponse(instructions, response, to: request).steps
        return steps + (instructions.closes ? [.close] : [])
    }
}

/// Returns the response of the server with the changes of the instructions.
private struct InstructedResponse {
    private let instructions: EchoInstructions
    private let request: ReceivedRequest
    private var response: Response

    init(_ instructions: EchoInstructions, _ response: Response, to request: ReceivedRequest) {
        self.instructions = instructions
        self.request = request
        self.response = response
        self.response.status = instructions.status ?? response.status
        let type =
            response.stream == nil ? instructions.bytes.map { _ in "application/octet-stream" } : instructions.type
        if let type { self.response.fields[0] = ("Content-Type", type) }
        self.response.fields += instructions.fields
    }

    var steps: [ResponseStep] {
        guard response.stream == nil else { return response.steps(for: request) }
        let head = response.head(adding: framing)
        guard response.allowsBody(for: request.method) else { return sending(head) }
        guard instructions.isChunked else { return sending(head) + body }
        let last = Array("0\r\nX-Trailer: echo\r\n\r\n".utf8)
        guard length > 0 else { return sending(head) + sending(last) }
        // One chunk of any length.
        let size = Array("\(String(length, radix: 16))\r\n".utf8)
        return sending(head) + sending(size) + body + sending(Array("\r\n".utf8) + last)
    }

    private var length: Int { instructions.bytes ?? response.body.count }

    private var framing: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if instructions.isChunked {
            fields += [("Transfer-Encoding", "chunked"), ("Trailer", "X-Trailer")]
        } else if response.status != 204 {
            fields.append(("Content-Length", "\(length)"))
        }
        if instructions.closes || !request.keepAlive { fields.append(("Connection", "close")) }
        return fields
    }

    /// If dripped, a long body is limited to its first 4096 bytes, a multiple of the length of the pattern.
    private var body: [ResponseStep] {
        guard let count = instructions.bytes else { return sending(response.body) }
        guard instructions.drip != nil else { return [.fill(count)] }
        return sending(BodyPattern.bytes(min(count, 4096))) + [.fill(max(0, count - 4096))]
    }

    private func sending(_ bytes: [UInt8]) -> [ResponseStep] {
        instructions.drip.map { [.drip(bytes[...], interval: $0)] } ?? [.send(bytes)]
    }
}

/// The instructions for the echo server in the query of a request.
///
/// | name | value |
/// | --- | --- |
/// | `status` | the status code, 200 to 599 |
/// | `delay` | milliseconds before the response |
/// | `hold` | a name: the response waits until `release` is called with the name |
/// | `bytes` | the number of bytes of `BodyPattern` that replace the JSON body |
/// | `chunked` | `1`: the body is chunked, and a trailer field follows |
/// | `close` | `1`: closes after the response, with `Connection: close` |
/// | `drop`, `reset` | `1`: closes, or resets, without a response |
/// | `early` | `100`, `103`, or `1` for both: interim responses first |
/// | `hasty` | `1`: responds to the head of the request, before its body |
/// | `unread` | a name: the request body is not read until `release` is called with the name |
/// | `drip` | milliseconds after each byte of the response, or `1` for 1 ms |
/// | `field` | `Name:value`, an additional field of the response; may be repeated |
/// | `raw` | the name of a `RawResponse` |
/// | `type` | the type of an event stream |
///
/// Names that are not in the table are ignored. An invalid value counts as absent.
struct EchoInstructions: Equatable {
    private var values: [String: [String]] = [:]

    init(_ request: ReceivedRequest) {
        for pair in request.target.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            values[parts[0], default: []].append(parts.count > 1 ? parts[1].removingPercentEncoding ?? parts[1] : "1")
        }
    }

    private func first(_ name: String) -> String? { values[name]?.first }
    private func number(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        first(name).flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
    }
    private func isOn(_ name: String) -> Bool { first(name) == "1" }
    private func milliseconds(_ name: String) -> Duration? { number(name, 1...3_600_000).map { .milliseconds($0) } }

    var status: Int? { number("status", 200...599) }
    var type: String? { first("type") }
    var delay: Duration? { milliseconds("delay") }
    var hold: String? { first("hold") }
    var bytes: Int? { number("bytes", 0...(1 << 40)) }
    var isChunked: Bool { isOn("chunked") }
    var closes: Bool { isOn("close") }
    var drops: Bool { isOn("drop") }
    var resets: Bool { isOn("reset") }
    var interim: [Int] {
        switch first("early") {
        case "1": [100, 103]
        case "100": [100]
        case "103": [103]
        default: []
        }
    }
    var isHasty: Bool { isOn("hasty") }
    var unread: String? { first("unread") }
    var drip: Duration? { milliseconds("drip") }
    var raw: RawResponse? { first("raw").flatMap(RawResponse.init(rawValue:)) }
    var fields: [(name: String, value: String)] {
        (values["field"] ?? []).compactMap { text in
            guard let colon = text.firstIndex(of: ":") else { return nil }
            return (String(text[..<colon]), String(text[colon...].dropFirst()))
        }
    }
}
