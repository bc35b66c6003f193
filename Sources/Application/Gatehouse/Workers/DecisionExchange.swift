import Authentication
import Authorization
import Decisions
import Forwarding
import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore
import RequestPipeline
import Routing

/// The driver of one connection of a proxy that asks for decisions. It runs the pipeline for the original request and
/// responds with the decision instead of forwarding.
///
/// One object per connection, reused for each request, on the connection's event loop.
final class DecisionExchange: RequestHandler, PipelineDriver {
    let home: WorkerLoop
    /// The worker that serves the current request from start to end. `nil` between requests.
    private(set) var worker: Worker?
    var run = PipelineRun()
    private(set) var findings: DecisionFindings?
    /// The endpoint of the current request. `nil` if absent.
    private(set) var endpoint: DecisionEndpoint?
    /// The request to decide. `nil` until it is described.
    var original: OriginalRequest?
    /// The token to introspect, and the places where it was not presented yet. `nil` for other requests.
    var introspection: (request: IntrospectionRequest, places: ArraySlice<CredentialPlace>)?
    /// The message of Envoy's gRPC request. `nil` for other requests, and until it is read.
    var check: CheckRequest?
    /// The status that Envoy passes on to its client. `nil` for other requests.
    var checkStatus: UInt16?
    /// The client for which the introspection response is signed, and how: a reload does not change it. `nil` for plain
    /// JSON.
    var signature: (client: String, signer: IntrospectionSigner)?
    /// Whether the request accepts no form of response that the gateway can send.
    var isUnacceptable = false
    /// The list of requests to decide. `nil` for a single one.
    var list: DecisionList?
    /// The peer of the connection. `nil` before the first request.
    private(set) var peer: PeerAddress?
    private(set) var isWaiting = false
    /// The lookup result with which the run resumes.
    private var result = LookupResult.arrived

    init(_ home: WorkerLoop) {
        self.home = home
    }

    var frontEnd: StaticString? { endpoint?.name ?? "none" }
    // Over HTTP/2, a proxy that asks over HTTP would read the status 200 of a denial in the form of gRPC as a permit.
    var deniesMalformedCallsInGRPC: Bool { false }
    var additions: ResponseFieldPolicy? { (worker ?? home.current)?.snapshot.decisions?.denialFields }

    func began(_ client: ClientHandler) {
        worker = home.current
        worker?.requestBegan()
        run.begin(at: client.record.began)
        run.purpose = .decision
        if peer == nil { peer = client.origin }
    }

    func status(of code: DecisionCode) -> UInt16 {
        switch endpoint {
        case .proxy, .check, nil: DecisionStatus.status(of: code)
        case .introspection where isUnacceptable: DecisionStatus.notAcceptable
        case .introspection, .metadata, .keys, .decide: code.status
        }
    }

    func handle(_ request: RequestView, from client: ClientHandler) {
        guard let worker, let settings = worker.snapshot.decisions else { return client.deny(Denial(.routeNotFound)) }
        let scratch = worker.pathScratch.borrow()
        defer { scratch.release() }
        let context = RequestPipeline.Context(
            now: worker.clock.now(), monotonic: worker.connectionContext.time, scratch: scratch)
        if let original, isWaiting {
            isWaiting = false
            original.withView { view in
                worker.pipeline.restorePaths(of: run, view, in: context)
                worker.pipeline.resume(&run, with: result, now: context.now)
            }
            decide(original, request, client, worker, context)
            return decideRest(client, settings, worker, context)
        }
        begin(request, client, settings, worker, context)
    }

    private func begin(
        _ request: RequestView, _ client: ClientHandler, _ settings: DecisionSettings, _ worker: Worker,
        _ context: RequestPipeline.Context
    ) {
        endpoint = DecisionEndpoint(request.head.path.bytes(in: request.bytes))
        guard let endpoint else { return client.deny(Denial(.routeNotFound)) }
        client.record.wantsGRPC = endpoint == .check && client.isHTTP2
        guard endpoint.isForStrangers || settings.trust.trusts(client.origin) else {
            return refuse("the peer is not listed in decisions.trust", as: .permissionDenied, client)
        }
        switch endpoint {
        case .proxy(let family): decide(request, of: family, client, settings, worker, context)
        case .check: readCheck(request, client)
        case .introspection: readIntrospection(request, client, settings, worker)
        case .metadata: respondWithMetadata(request, client, settings)
        case .keys: respondWithKeys(request, client, worker)
        case .decide:
            guard expectsPost(request, of: "application/json", client) else { return }
            readBody(atMost: DecideRequest.bodyLimit, client)
        }
    }

    // MARK: - Decisions

    private func decide(
        _ request: RequestView, of family: ProxyFamily, _ client: ClientHandler, _ settings: DecisionSettings,
        _ worker: Worker, _ context: RequestPipeline.Context
    ) {
        let original: OriginalRequest
        do throws(DescriptionError) {
            original = try OriginalRequestReader(settings.fields, scratch: context.scratch).read(request, of: family)
        } catch {
            return refuse(error.reason, as: .malformedRequest, client)
        }
        begin(original, client)
        if let trace = worker.traceContext(of: request) { client.record.trace = trace.parent.trace }
        decide(original, request, client, worker, context)
    }

    func begin(_ original: OriginalRequest, _ client: ClientHandler) {
        self.original = original
        findings = home.viewers.isEmpty ? nil : DecisionFindings()
        client.origins = RequestOrigin(peer: original.client)
        client.record.method = original.head.methodRange
        client.record.path = original.head.path
    }

    func decide(
        _ original: OriginalRequest, _ request: RequestView, _ client: ClientHandler, _ worker: Worker,
        _ context: RequestPipeline.Context
    ) {
        original.withView { view in
            while true {
                if let list { run.deniesOnFailure = list.isOverdue(now: context.monotonic) }
                let step: PipelineStep
                if let findings {
                    findings.resume(at: run.phase)
                    step = worker.pipeline.advance(&run, view, &client.origins, in: context, observer: findings)
                } else {
                    step = worker.pipeline.advance(&run, view, &client.origins, in: context)
                }
                record(client, worker)
                switch consume step {
                case .permit(let permit): return permitted(permit, request, client, worker)
                case .deny(let denial): return denied(denial, client, worker)
                // The gateway's own responses are on its other listeners.
                case .respond: return denied(Denial(.routeNotFound), client, worker)
                case .await(let lookup):
                    if let failure = list?.recordWait(for: lookup, now: context.monotonic) {
                        worker.pipeline.resume(&run, with: failure, now: context.now)
                        continue
                    }
                    isWaiting = true
                    guard let result = wait(for: lookup, client, worker) else { return }
                    isWaiting = false
                    worker.pipeline.resume(&run, with: result, now: context.now)
                }
            }
        }
    }

    private func permitted(_ permit: Permit, _ request: RequestView, _ client: ClientHandler, _ worker: Worker) {
        client.record.decided = worker.clock.monotonic()
        guard let settings = worker.snapshot.decisions else { return client.deny(Denial(.internalError)) }
        if introspection != nil {
            return respond(active: permit.identity?.principal, permit.signedInAt, client, worker)
        }
        if case .account = permit.destination { return denied(Denial(.routeNotFound), client, worker) }
        let isTooLarge = permit.identity?.identity.isTooLarge == true
        if endpoint == .decide, isTooLarge { return refuseLargeIdentity(client) }
        let lines =
            (permit.app?.line ?? [])
            + worker.snapshot.outgoing.identity.lines(of: permit.identity, signedInAt: permit.signedInAt)
        if endpoint == .decide { return respond(permitting: lines, permit, client) }
        if let check { return respond(permitting: lines, permit, check, client, settings) }
        let response =
            isTooLarge
            ? nil : settings.permitting.render(identity: lines, isEnvoy: endpoint == .proxy(.envoy), for: request)
        guard let response else { return refuseIdentity(client, settings) }
        client.respond(with: response)
    }

    func refuseIdentity(_ client: ClientHandler, _ settings: DecisionSettings) {
        refuse(
            "the identity fields exceed decisions.response_size, \(settings.responseSize) bytes", as: .headTooLarge,
            in: nil, client)
    }

    /// Denies a request at `/decide` whose identity fields no request can have.
    private func refuseLargeIdentity(_ client: ClientHandler) {
        client.record.reason = "the identity fields exceed \(RenderedIdentity.limit) bytes"
        var denial = Denial(.headTooLarge)
        denial.detail = "The identity fields exceed \(RenderedIdentity.limit) bytes."
        respond(denying: denial, in: nil, client)
    }

    private func denied(_ denial: Denial, _ client: ClientHandler, _ worker: Worker) {
        client.record.deniedIn = run.phase
        switch endpoint {
        case .introspection: introspected(denial, client, worker)
        case .decide: respond(denying: denial, in: run.phase, client)
        case .check: respond(denyingCheck: denial, client)
        case .proxy, .metadata, .keys, nil: client.deny(denial)
        }
    }

    /// Denies a request before or after its run. The reason contains no input.
    func refuse(
        _ reason: String, as code: DecisionCode, in phase: DecisionPhase? = .origin, _ client: ClientHandler
    ) {
        client.record.deniedIn = phase
        client.record.reason = reason
        var denial = Denial(code)
        denial.detail = "The request for a decision is rejected: \(reason)."
        if check == nil { client.deny(denial) } else { respond(denyingCheck: denial, client) }
    }

    private func record(_ client: ClientHandler, _ worker: Worker) {
        if let reason = run.reason { client.record.reason = reason }
        guard let plan = run.plan else { return }
        client.record.hasCredential = run.hasCredential
        client.record.expiredCode = run.expiredCode
        if let rule = run.rule { client.record.rule = rule }
        if let failure = run.storeFailure { worker.logAllowed(failure, plan) }
    }

    // MARK: - Lookups

    func recordWait(since now: UInt64) {
        run.wait(since: now)
    }

    func resume(with result: LookupResult, _ client: ClientHandler) {
        self.result = result
        client.serveAgain()
    }

    func turnBegan(_ client: ClientHandler) {
        guard list?.isDeferred == true, let worker, let settings = worker.snapshot.decisions else { return }
        let scratch = worker.pathScratch.borrow()
        defer { scratch.release() }
        let context = RequestPipeline.Context(
            now: worker.clock.now(), monotonic: worker.connectionContext.time, scratch: scratch)
        decideRest(client, settings, worker, context)
    }

    // MARK: - The end

    func withHead(of client: ClientHandler, _ body: (UnsafeRawBufferPointer) -> Void) {
        if let original, introspection == nil { return original.bytes.withUnsafeBytes(body) }
        client.head.withUnsafeReadableBytes(body)
    }

    func abandoned(_ client: ClientHandler) {
        _ = worker?.pending.take { $0.client === client }
    }

    func finished(_ client: ClientHandler) {
        guard let worker else { return }
        worker.requestEnded()
        if let checkStatus { client.record.status = checkStatus }
        account(for: client, worker)
        self.worker = nil
        run = PipelineRun()
        (endpoint, original, introspection, check, checkStatus, isWaiting) = (nil, nil, nil, nil, nil, false)
        (signature, isUnacceptable, list, findings) = (nil, false, nil, nil)
        if let peer { client.origins = RequestOrigin(peer: peer) }
    }

    // A decision is no stream.
    func openStream(_ kind: OpenStream.Kind, for client: ClientHandler) -> OpenStream? { nil }
    func watchExchange(of client: ClientHandler) -> OpenStream? { nil }
    func refusal(of stream: OpenStream) -> DecisionCode? { nil }
}
