import Decisions
import GatewayCore
import HTTPServer
import HTTPWire
import JOSE
import RequestPipeline
import Revocation

/// A list of requests at `/decide`, and the decisions so far.
///
/// The requests are decided one after the other: at most one of them waits for a lookup. All lookups share the time
/// that a single request may wait, counted from the first wait: ``PipelineRun/waitLimit``. A store query that begins
/// within it may take its own timeout beyond it.
struct DecisionList {
    private var rest: ArraySlice<JSONValue>
    private let count: Int
    private var decided = 0
    /// The response so far: a JSON array that is not closed.
    private var json: [UInt8] = []
    /// The method and path in the head of the HTTP request.
    let method, path: ByteRange
    /// When a request waited first, in monotonic nanoseconds. `nil` if none has waited.
    private(set) var waitedFirst: UInt64?
    /// Whether the next request is decided in the next turn of the connection.
    var isDeferred = false

    init(_ requests: [JSONValue], method: ByteRange, path: ByteRange) {
        rest = requests[...]
        count = requests.count
        self.method = method
        self.path = path
    }

    /// Whether a decision exists.
    var hasBegun: Bool { decided > 0 }

    /// The complete response. `nil` unless there is one decision for each request.
    var response: [UInt8]? { decided == count ? json + [UInt8(ascii: "]")] : nil }

    /// Whether the decision of a request has not begun.
    var hasRest: Bool { !rest.isEmpty }

    /// Removes and returns the next request. `nil` at the end.
    mutating func next() -> JSONValue? { rest.popFirst() }

    mutating func append(_ verdict: Verdict) {
        json.append(UInt8(ascii: hasBegun ? "," : "["))
        json += verdict.json
        decided += 1
    }

    /// Records that a request waits. Returns the result of a lookup whose time is already over: lookups of the store
    /// have a timeout of their own, which would add up. `nil` if the request may wait.
    mutating func recordWait(for lookup: Lookup, now: UInt64) -> LookupResult? {
        let first = waitedFirst ?? now
        waitedFirst = first
        guard case .records = lookup, isOverdue(now: now) else { return nil }
        return .records(.failed(.timedOut))
    }

    /// Returns whether the time for lookups is over. A lookup that fails then may not have begun. The same request
    /// outside of a list could have another result, so no route allows the failure.
    func isOverdue(now: UInt64) -> Bool {
        waitedFirst.map { now &- $0 >= PipelineRun.waitLimit } ?? false
    }
}

extension DecisionExchange {
    /// Decides the further requests of a list until one waits or the turn of the connection ends, and responds after
    /// the last. Each has a run, a line in the access log and counters of its own. A request that is not valid does not
    /// affect the others. Does nothing without a list.
    func decideRest(
        _ client: ClientHandler, _ settings: DecisionSettings, _ worker: Worker, _ context: RequestPipeline.Context
    ) {
        while !isWaiting, list?.hasRest == true {
            list?.isDeferred = client.defersRest()
            guard list?.isDeferred == false, let description = list?.next() else { return }
            client.turn.spendRequest(bytes: 0)
            beginNext(client, worker)
            do throws(DescriptionError) {
                let original = try DecideRequest.read(
                    description, settings.fields, credentialHeader: settings.credentialHeader, scratch: context.scratch)
                begin(original, client)
                original.withView { decide(original, $0, client, worker, context) }
            } catch {
                client.record.deniedIn = .origin
                client.record.reason = error.reason
                client.record.code = .malformedRequest
                respond(Verdict(malformed: error.reason), client)
            }
        }
        // An overload ended the whole request and removed the list.
        guard !isWaiting, let list else { return }
        guard let response = list.response else { return client.deny(Denial(.internalError)) }
        respond(json: response, client)
    }

    /// Accounts for the previous request of the list, and resets the state of one request.
    private func beginNext(_ client: ClientHandler, _ worker: Worker) {
        guard let list else { return }
        if list.hasBegun {
            client.record.status = 200
            account(for: client, worker)
            (client.record.status, client.record.bytesIn) = (0, 0)
        }
        original = nil
        if let peer { client.origins = RequestOrigin(peer: peer) }
        (client.record.method, client.record.path) = (list.method, list.path)
        (client.record.code, client.record.deniedIn, client.record.decided) = (.ok, nil, 0)
        (client.record.reason, client.record.rule, client.record.hasCredential) = (nil, nil, false)
        run = PipelineRun(began: client.record.began)
        run.purpose = .decision
        if let first = list.waitedFirst { run.wait(since: first) }
    }

    /// Responds with a decision, or adds it to the list.
    func respond(_ verdict: Verdict, _ client: ClientHandler) {
        guard list != nil else { return respond(json: verdict.json, client) }
        list?.append(verdict)
    }
}
