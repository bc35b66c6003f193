package import DevelopmentIdentity
internal import Synchronization

extension EchoUpstream {
    /// Starts an echo server that does what queries ask for (``EchoInstructions``).
    package static func startInstructed(keeping: Int = 1024) async throws(DevelopmentIdentityError) -> EchoUpstream {
        let echo = try await start(keeping: keeping)
        _ = echo.instructed
        return echo
    }

    /// Opens the gate of every response with `hold=NAME` and every body with `unread=NAME`, now and from now on.
    package func release(_ name: String) { instructed?.gate(name).open() }

    /// Returns once the heads of so many requests were received, their bodies complete or not, or once the task is cancelled.
    package func waitForHeads(_ count: Int) async { await instructed?.heads.wait(for: count) }

    private var instructed: InstructedEcho? { interceptor(orInstall: InstructedEcho()) as? InstructedEcho }
}

/// Replaces the echo server's responses where a request asks for it.
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
        // A request for a WebSocket gets it, unless it asks for another status.
        return instructions.status.map { _ in steps(instructions, .json(request.report), to: request) }
    }

    private static func interim(_ status: Int) -> ResponseStep {
        let fields = status == 103 ? [(name: "Link", value: "</style.css>; rel=preload")] : []
        return .send(Response(status: status, fields: fields).head())
    }

    /// The response that the instructions ask for, with what comes before and after it.
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

/// The server's own response, changed as the instructions say.
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
        // One chunk, whatever its length.
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

    /// Dripped, only the first 4096 bytes of a long body are, which is a multiple of the pattern's length.
    private var body: [ResponseStep] {
        guard let count = instructions.bytes else { return sending(response.body) }
        guard instructions.drip != nil else { return [.fill(count)] }
        return sending(BodyPattern.bytes(min(count, 4096))) + [.fill(max(0, count - 4096))]
    }

    private func sending(_ bytes: [UInt8]) -> [ResponseStep] {
        instructions.drip.map { [.drip(bytes[...], interval: $0)] } ?? [.send(bytes)]
    }
}
