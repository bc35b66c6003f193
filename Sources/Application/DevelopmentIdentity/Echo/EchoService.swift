internal import Synchronization

/// Answers the echo server's requests.
final class EchoService: LoopbackService {
    static let receivedPath = "/__received"

    let log: RequestLog
    /// What `log` will have once the requests are complete.
    let heads = RequestLog(capacity: 1)
    /// How often what came was not HTTP.
    let malformed = Atomic(0)
    private let gates = Mutex<[String: Gate]>([:])

    init(keeping capacity: Int) {
        log = RequestLog(capacity: capacity)
    }

    /// The gate of that name. There are 1024 of them; any more are open from the start.
    func gate(_ name: String) -> Gate {
        gates.withLock { gates in
            if let gate = gates[name] { return gate }
            let gate = Gate()
            guard gates.count < 1024 else {
                gate.open()
                return gate
            }
            gates[name] = gate
            return gate
        }
    }

    func begin(_ head: ReceivedRequest) -> [ScriptStep] {
        if head.path != Self.receivedPath { heads.record(head) }
        let instructions = EchoInstructions(head)
        var steps: [ScriptStep] = []
        if let name = instructions.unread { steps += [.reading(false), .hold(gate(name)), .reading(true)] }
        if head.wantsContinue, !instructions.isHasty { steps.append(Self.interim(100)) }
        steps += instructions.interim.map(Self.interim)
        if instructions.isHasty { steps += script(instructions, for: head) }
        return steps
    }

    func answer(_ request: ReceivedRequest) -> [ScriptStep] {
        if request.path == Self.receivedPath { return [.send(received(request).bytes(for: request))] }
        log.record(request)
        let instructions = EchoInstructions(request)
        return instructions.isHasty ? [] : script(instructions, for: request)
    }

    /// A path whose last segment is `ws` is a WebSocket, unless a status is asked for.
    func upgrade(_ request: ReceivedRequest) -> Upgrade? {
        guard request.lastSegment == "ws", !EchoInstructions(request).hasStatus,
            request.value(of: "Upgrade")?.lowercased() == "websocket", let key = request.value(of: "Sec-WebSocket-Key")
        else { return nil }
        log.record(request)
        return Upgrade(
            head: WebSocketEcho.head(key: key, protocol: EchoInstructions(request).webSocketProtocol),
            handler: WebSocketEcho())
    }

    func abandon(_ request: ReceivedRequest) { log.record(request) }

    func reject(_ reason: String) -> [ScriptStep] {
        malformed.add(1, ordering: .relaxed)
        let body = JSON.object(["error": .string(reason)]).bytes
        return [.send(Answer(status: 400).head(adding: [("Content-Length", "\(body.count)")]) + body)]
    }

    private func received(_ request: ReceivedRequest) -> Answer {
        if request.method == "DELETE" { log.clear() }
        return .json(.array(log.latest.map(\.report)))
    }

    private static func interim(_ status: Int) -> ScriptStep {
        let fields = status == 103 ? [(name: "Link", value: "</style.css>; rel=preload")] : []
        return .send(Answer(status: status, fields: fields).head())
    }

    /// The answer that the instructions ask for, with what comes before and after it.
    private func script(_ instructions: EchoInstructions, for request: ReceivedRequest) -> [ScriptStep] {
        var steps: [ScriptStep] = []
        if let delay = instructions.delay { steps.append(.wait(delay)) }
        if let name = instructions.hold { steps.append(.hold(gate(name))) }
        if instructions.drops { return steps + [.close] }
        if instructions.resets { return steps + [.reset] }
        if let raw = instructions.raw { return steps + [.send(raw.bytes)] + (raw.keepsOpen ? [] : [.close]) }
        if request.lastSegment == "events" { return steps + EventStream.steps(instructions, for: request) }
        var answer = EchoAnswer(instructions, to: request).steps
        if let interval = instructions.drip { answer = answer.flatMap { $0.dripped(interval) } }
        return steps + answer + (instructions.closes ? [.close] : [])
    }
}

extension ScriptStep {
    /// The step one byte at a time; of a long fill only the first 4096 bytes, which is a multiple of the pattern's length.
    fileprivate func dripped(_ interval: Duration) -> [ScriptStep] {
        switch self {
        case .send(let bytes): [.drip(bytes[...], interval: interval)]
        case .fill(let count):
            [.drip(BodyPattern.bytes(min(count, 4096))[...], interval: interval), .fill(max(0, count - 4096))]
        default: [self]
        }
    }
}
