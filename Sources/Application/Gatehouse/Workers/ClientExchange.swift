import Authentication
import Authorization
import Forwarding
package import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore
import RequestPipeline
import Revocation
import Routing
import Telemetry

/// The driver of one HTTP/1.1 client connection's requests. It runs the pipeline, performs its lookups and forwards
/// permitted requests.
///
/// One object per connection, reused for each request, on the connection's event loop.
final class ClientExchange: RequestHandler, PipelineDriver {
    let home: WorkerLoop
    /// The worker that serves the current request from start to end. `nil` between requests.
    private(set) var worker: Worker?
    /// The current request's run.
    ///
    /// It is passed to the pipeline in place. The pipeline performs no I/O and does not call the exchange.
    @exclusivity(unchecked) private(set) var run = PipelineRun()
    private var state = State.new
    /// The lookup result with which the run resumes.
    private var result = LookupResult.arrived
    /// The spans of the request. `nil` if the request is not recorded.
    private(set) var trace: RequestTrace?
    private(set) var findings: DecisionFindings?

    private enum State {
        case new
        case waiting
        case permitted
    }

    init(_ home: WorkerLoop) {
        self.home = home
    }

    var frontEnd: StaticString? { nil }

    func withHead(of client: ClientHandler, _ body: (UnsafeRawBufferPointer) -> Void) {
        client.head.withUnsafeReadableBytes(body)
    }

    var additions: ResponseFieldPolicy? { (worker ?? home.current)?.snapshot.additions }

    func began(_ client: ClientHandler) {
        worker = home.current
        worker?.requestBegan()
        run.begin(at: client.record.began)
        state = .new
    }

    /// Decides a request, or continues one that waited or that its upstream did not accept.
    func handle(_ request: RequestView, from client: ClientHandler) {
        guard let worker else { return client.deny(Denial(.internalError)) }
        let scratch = worker.pathScratch.borrow()
        defer { scratch.release() }
        let context = RequestPipeline.Context(
            now: worker.clock.now(), monotonic: worker.connectionContext.time, scratch: scratch)
        switch state {
        case .new:
            client.record.wantsGRPC = request.isGRPCCall
            if client.record.wantsGRPC { client.limitCall(of: request) }
            if !home.viewers.isEmpty { findings = DecisionFindings() }
            if let settings = worker.snapshot.tracing { trace = beginTrace(settings, request, client, worker) }
        case .waiting:
            trace?.endLookup(with: result, at: worker.connectionContext.time)
            worker.pipeline.restorePaths(of: run, request, in: context)
            worker.pipeline.resume(&run, with: result, now: context.now)
        case .permitted:
            worker.pipeline.restorePaths(of: run, request, in: context)
            worker.pipeline.retry(&run)
            trace?.endChild(at: worker.connectionContext.time, error: "retried")
        }
        advance(request, client, worker, context)
    }

    private func advance(
        _ request: RequestView, _ client: ClientHandler, _ worker: Worker, _ context: RequestPipeline.Context
    ) {
        while true {
            let step: PipelineStep
            if let findings {
                findings.resume(at: run.phase)
                step = worker.pipeline.advance(&run, request, &client.origins, in: context, observer: findings)
            } else {
                step = worker.pipeline.advance(&run, request, &client.origins, in: context)
            }
            Self.record(&run, in: &client.record, worker)
            switch consume step {
            case .permit(let permit):
                state = .permitted
                switch permit.destination {
                case .upstream: return forward(request, permit, client, worker)
                case .none: return client.deny(Denial(.routeNotFound))
                case .account(let endpoint): return worker.serve(endpoint, request, permit, from: client)
                }
            case .deny(let denial):
                client.record.deniedIn = run.phase
                return client.deny(denial)
            case .respond(let response): return respond(with: response, client, worker)
            case .await(let lookup):
                state = .waiting
                trace?.beginLookup(lookup, worker)
                guard let result = wait(for: lookup, client, worker) else { return }
                trace?.endLookup(with: result, at: worker.connectionContext.time)
                worker.pipeline.resume(&self.run, with: result, now: context.now)
            }
        }
    }

    /// Records that the request waits.
    func recordWait(since now: UInt64) {
        run.wait(since: now)
    }

    /// Copies the fields for responses, the access log and metrics to the connection's record.
    ///
    /// Both are passed in place, because copying a run retains each of its members.
    private static func record(_ run: inout PipelineRun, in record: inout RequestRecord, _ worker: Worker) {
        if let reason = run.reason { record.reason = reason }
        guard let plan = run.plan else { return }
        record.bodyLimit = plan.bodyLimit
        if let additions = plan.additions {
            record.additions = additions
            record.corsOrigin = run.corsOrigin
        }
        record.hasCredential = run.hasCredential
        record.expiredCode = run.expiredCode
        if let rule = run.rule { record.rule = rule }
        // Signing out clears the cookie even if the session is no longer valid.
        if run.endpoint == .signOut { record.clearsCookie = true }
        if let failure = run.storeFailure { worker.logAllowed(failure, plan) }
    }

    private func respond(with response: BuiltinResponse, _ client: ClientHandler, _ worker: Worker) {
        switch response {
        case .keys:
            // The document is published only when all keys are loaded, because clients would cache an incomplete one.
            guard let keys = worker.keysDocument else { return client.deny(Denial(.storeUnavailable)) }
            client.respond(with: keys)
        case .page:
            guard let page = worker.snapshot.page else { return client.deny(Denial(.routeNotFound)) }
            client.respond(with: page)
        case .asset(let index, let isCurrent):
            guard let asset = worker.snapshot.pageAsset(index, isCurrent: isCurrent) else {
                return client.deny(Denial(.routeNotFound))
            }
            client.respond(with: asset)
        case .preflight(let lines): client.respond(with: StaticResponse(noContentWith: lines))
        }
    }

    /// Resumes the request with the result of its lookup.
    func resume(with result: LookupResult, _ client: ClientHandler) {
        self.result = result
        client.serveAgain()
    }

    // MARK: - The end

    func abandoned(_ client: ClientHandler) {
        guard let worker else { return }
        _ = worker.pending.take { $0.client === client }
        if client.record.upstream >= 0 { worker.pools[client.record.upstream].forget(client) }
    }

    func finished(_ client: ClientHandler) {
        guard let worker else { return }
        worker.requestEnded()
        account(for: client, worker)
        if let trace {
            finish(trace, client, worker)
            self.trace = nil
        }
        self.worker = nil
        findings = nil
        run = PipelineRun()
    }
}

extension RequestView {
    /// Whether the request is a call of gRPC, whose denial has the form of gRPC.
    package var isGRPCCall: Bool {
        // Responses to other methods may be cached, and a denial of gRPC has the status 200.
        guard head.method == .post, let type = fields.first(.contentType) else { return false }
        return GRPCType.matches(type.value.bytes(in: bytes))
    }
}

// Streams and other long exchanges, which end with their user's permission.
extension ClientExchange {
    /// Counts a stream and creates its watch.
    func openStream(_ kind: OpenStream.Kind, for client: ClientHandler) -> OpenStream? {
        guard let worker, let plan = run.plan, run.route >= 0 else { return nil }
        worker.counters.add(to: kind == .response ? .streamsAnswered : .streamsTunneled)
        worker.counters.adjust(.streamsOpen, by: 1)
        return OpenStream(
            kind,
            watch: StreamWatch(
                bounds: plan.stream, began: worker.connectionContext.time, expiresAt: run.permittedUntil))
    }

    var callIdleTimeout: UInt64? { run.route >= 0 ? run.plan?.stream.idle : nil }

    func watchExchange(of client: ClientHandler) -> OpenStream? {
        guard let worker, let plan = run.plan, run.route >= 0, run.hasCredential else { return nil }
        return OpenStream(
            .exchange,
            watch: StreamWatch(
                bounds: plan.stream.ofPermission, began: worker.connectionContext.time,
                expiresAt: run.permittedUntil))
    }

    /// Returns the code if the stream's user may not continue, from the worker's current knowledge. Missing information
    /// never ends a stream.
    func refusal(of stream: OpenStream) -> DecisionCode? {
        guard let worker, let facts = run.identity?.facts, run.plan?.policy.revocation != .off else { return nil }
        let (authorizer, accounts) = (worker.pipeline.authorizer, worker.pipeline.accounts)
        let changes = authorizer.store.view.changes &+ (accounts?.table.changes ?? 0)
        guard stream.watch.needsRecheck(changes: changes) else { return nil }
        return authorizer.refusal(facts, account: accounts?.table.find(facts.userKey)?.state)
    }
}
