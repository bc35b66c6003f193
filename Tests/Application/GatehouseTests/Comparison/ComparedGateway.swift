@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures
@testable import SystemFixtures
import JOSE
import Synchronization
import Testing

@testable import Accounts
@testable import Authentication
@testable import Authorization
@testable import Diagnostics
@testable import Gatehouse
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import HTTPServer
@testable import OutboundHTTP
@testable import RequestPipeline
@testable import Revocation

/// A worker and an explainer of one configuration, with the same keys, records and responses of other services.
final class ComparedGateway {
    let rig: RequestPathRig
    let explainer: Explainer
    private let received = Received()
    private let records = KnownRecords()
    private let upstreams: [EchoingUpstream]
    private let hasher: SHA256Hasher
    private var client: LoopbackSocket?
    private var denials: [UInt64]

    /// - Parameters:
    ///   - text: The configuration without listeners, store and upstreams.
    ///   - keysAreKnown: Whether the key sets were fetched.
    init(
        _ text: String, keysAreKnown: Bool = true, adjust: (inout Configuration) -> Void = { _ in }
    ) throws {
        let received = received
        upstreams = try ["api", "web"].map { name in
            try EchoingUpstream { head in received.heads.withLock { $0.append((name, head)) } }
        }
        let servers = zip(["api", "web"], upstreams).map { "\($0): { servers: [\"http://127.0.0.1:\($1.port)\"] }" }
        let whole = """
            listen: [{ address: "127.0.0.1:0" }]
            store: "sqlite::memory:"
            upstreams: { \(servers.joined(separator: ", ")) }
            \(text)
            """
        var configuration = try Configuration.load(bytes: Array(whole.utf8), file: "test.yaml", environment: [:])
        adjust(&configuration)
        hasher = try SHA256Hasher.required()
        let services = ComparedServices(configuration)
        rig = try RequestPathRig(lookups: services.lookups) { $0 = configuration }
        let records = records
        explainer = try Explainer(
            configuration, keys: keysAreKnown ? ComparedServices.keys() : .none,
            records: RecordSource { user, session in records.evidence(user, session) },
            opaqueTokens: services.opaqueEvidence, accounts: services.accountEvidence, owners: services.ownerEvidence,
            clock: rig.clock.clock)
        denials = DecisionPhase.allCases.map { _ in 0 }
        services.connect(to: rig.clock.clock)
        try installKeys(areKnown: keysAreKnown)
    }

    private func installKeys(areKnown: Bool) throws {
        if areKnown {
            try rig.installKeys()
        } else {
            try rig.onWorker { worker in
                for set in worker.snapshot.keySources.indices {
                    worker.install(KeySetView(cooldownUntil: .max, nextFetchAt: .max), set: set)
                }
            }
        }
        guard let issuer = explainer.configuration.accounts?.issuer, let files = explainer.snapshot.sessionKeyFiles
        else { return }
        let keys = try SessionKeys(issuer: issuer, current: files.current, previous: files.previous)
        try rig.onWorker { $0.install(keys) }
    }

    private final class Received: Sendable {
        let heads = Mutex<[(upstream: String, head: String)]>([])
    }

    /// The records of the current request.
    private final class KnownRecords: Sendable {
        let words = Mutex<[String: RecordWord]>([:])
        let areReadable = Mutex(true)

        func evidence(_ user: UserKey, _ session: String?) -> RecordEvidence {
            guard areReadable.withLock({ $0 }) else { return .unknown("not readable") }
            return words.withLock { words in
                .known(
                    user: words[user.name] ?? .none, session: session.flatMap { words["\(user.name) \($0)"] } ?? .none,
                    source: "a test")
            }
        }
    }

    // MARK: - One request

    /// Explains a request and sends it.
    ///
    /// - Returns: Both outcomes, and the steps of the explanation.
    func run(
        _ request: ComparedRequest
    ) async throws -> (explained: ComparedOutcome, sent: ComparedOutcome, steps: [ExplanationStep]) {
        try setRecords(request.records, of: request.credential.subject)
        let head = try request.explained.head(for: explainer.configuration)
        let (explained, steps) = try await explain(request.explained, head)
        let sent: ComparedOutcome
        do {
            sent = try send(head, request)
        } catch is LoopbackSocket.Problem {
            sent = .unanswered
        }
        try setRecords(ComparedRecords(name: "none"), of: request.credential.subject)
        return (explained, sent, steps)
    }

    private func setRecords(_ state: ComparedRecords, of subject: ComparedCredential.Subject?) throws {
        records.areReadable.withLock { $0 = state.source == .fresh }
        if state.source == .stale { rig.view.confirm(at: 1) } else { rig.view.setAlwaysFresh() }
        guard let subject else { return }
        var words = [subject.user.name: state.user]
        rig.view.setUser(try #require(StoreKey(subject.user, hasher: hasher)), to: state.user)
        if let session = subject.session {
            words["\(subject.user.name) \(session)"] = state.session
            rig.view.setSession(
                try #require(StoreKey(subject.user, session: session, hasher: hasher)), to: state.session)
        }
        if let link = subject.link {
            words[link.name] = state.link
            rig.view.setUser(try #require(StoreKey(link, hasher: hasher)), to: state.link)
        }
        records.words.withLock { $0 = words }
    }

    // MARK: - Explained

    private func explain(
        _ request: ExplainedRequest, _ head: [UInt8]
    ) async throws -> (ComparedOutcome, [ExplanationStep]) {
        guard let parsed = try? ParsedRequest(head, limits: explainer.snapshot.limits),
            var run = ExplainedRun(explainer, parsed, Transcript())
        else {
            let explanation = try await explainer.explain(request)
            return (Self.outcome(of: explanation, nil), explanation.steps)
        }
        let explanation = await run.explain()
        return (Self.outcome(of: explanation, run.run.phase), explanation.steps)
    }

    private static func outcome(of explanation: Explanation, _ phase: DecisionPhase?) -> ComparedOutcome {
        switch explanation.verdict {
        case .passes(let forwarded):
            .forwarded(
                upstream: forwarded.upstream ?? "none", line: "\(forwarded.method) \(forwarded.target)",
                identity: forwarded.identity)
        case .refused(let refusal):
            .denied(
                code: "\(refusal.code.wire)", status: Int(refusal.code.status), phase: phase,
                fields: (refusal.fields + ["detail: \(refusal.detail)"]).sorted())
        case .responded(let answer):
            .answered(status: answer.status, fields: answer.fields.filter { $0.hasPrefix("Access-Control-") }.sorted())
        case .ended(let end): .undetermined(end.reason)
        case .undetermined(let why): .undetermined(why)
        }
    }

    // MARK: - Sent

    private func send(_ head: [UInt8], _ request: ComparedRequest) throws -> ComparedOutcome {
        let socket = try client ?? rig.connect()
        client = nil
        try socket.send(head + Array(request.body.utf8))
        let response = try socket.readMessage(hasBody: request.method != "HEAD")
        if response.value("Connection") != "close" { client = socket }
        let forwarded = received.heads.withLock { heads in
            defer { heads = [] }
            return heads
        }
        if let (upstream, head) = forwarded.first { return Self.outcome(of: head, upstream) }
        return try outcome(of: response)
    }

    private static func outcome(of head: String, _ upstream: String) -> ComparedOutcome {
        let message = WireMessage(head: head)
        return .forwarded(
            upstream: upstream, line: message.start.replacing(" HTTP/1.1", with: ""),
            identity: message.lines.filter { $0.hasPrefix("X-Auth") })
    }

    private func outcome(of response: WireMessage) throws -> ComparedOutcome {
        let counters = try rig.onWorker { $0.counters.snapshot() }
        let now = DecisionPhase.allCases.map { counters.denials(in: $0) }
        defer { denials = now }
        let phase = zip(DecisionPhase.allCases, zip(denials, now)).first { $1.0 != $1.1 }?.0
        guard response.value("Content-Type") == "application/problem+json" else {
            if let code = response.value("grpc-message") {
                return .denied(code: code, status: response.status, phase: phase, fields: [])
            }
            return .answered(
                status: response.status, fields: response.lines.filter { $0.hasPrefix("Access-Control-") }.sorted())
        }
        let problem = try? JSONDocument(Array(response.body.utf8), limits: .token).root
        let fields = response.lines.filter { $0.hasPrefix("WWW-Authenticate:") || $0.hasPrefix("Allow:") }
        let detail = problem?["detail"]?.string.map { ["detail: \($0)"] } ?? []
        return .denied(
            code: problem?["code"]?.string ?? "none", status: response.status, phase: phase,
            fields: (fields + detail).sorted())
    }
}
