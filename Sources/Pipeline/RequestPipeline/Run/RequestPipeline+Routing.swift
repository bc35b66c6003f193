import Authentication
import Authorization
package import GatewayCore
package import HTTPWire
import Routing

// The phases that depend only on the request and the configuration.
extension RequestPipeline {
    @inline(__always)
    func readOrigin(
        _ run: inout PipelineRun, _ request: RequestView, _ origin: inout RequestOrigin,
        _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        guard !settings.proxies.isEmpty || origin.wasLookedUp else { return nil }
        do throws(OriginError) {
            try origin.read(request, settings.proxies)
            observer.observe(.origin(origin.current))
            return nil
        } catch {
            observer.observe(.invalidOrigin(error))
            run.reason = "client address: \(error.reason)"
            return .deny(Denial(.malformedRequest))
        }
    }

    // MARK: - Builtin endpoints

    @inline(__always)
    func serveBuiltin(
        _ run: inout PipelineRun, _ request: RequestView, _ peer: PeerAddress, _ context: Context,
        _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        guard Self.serves(request.head.method) else {
            observer.observe(.methodIsNeverForwarded)
            return .deny(Denial(.methodNotAllowed, allow: Self.knownMethods))
        }
        if settings.handlesPreflights, request.head.method == .options,
            let step = respondToPreflight(&run, request, peer, context, observer)
        {
            return step
        }
        guard let builtin = settings.builtin,
            let (endpoint, call) = builtin.endpoint(at: request.head.path.bytes(in: request.bytes))
        else { return nil }
        observer.observe(.builtin(endpoint))
        let method = request.head.method
        switch endpoint {
        case .keys, .page, .asset:
            guard method == .get || method == .head else {
                observer.observe(.methodOfBuiltin(allowed: "GET, HEAD"))
                return .deny(Denial(.methodNotAllowed, allow: Array("GET, HEAD".utf8)))
            }
            switch endpoint {
            case .keys: return .respond(.keys)
            case .asset(let index):
                guard builtin.assets[index].isVersion(in: request) else { return .deny(Denial(.routeNotFound)) }
                return .respond(.asset(index, isCurrent: builtin.assets[index].isCurrent(in: request)))
            default: return .respond(.page)
            }
        case .account(let endpoint):
            guard let call else { return nil }
            record(call.plan, -1, &run, request)
            guard endpoint.accepts(method) else {
                let allowed = "\(endpoint.allowedMethods)"
                observer.observe(.methodOfBuiltin(allowed: allowed))
                return .deny(Denial(.methodNotAllowed, allow: Array(allowed.utf8)))
            }
            run.target = .account(endpoint)
            return nil
        }
    }

    /// Responds to a preflight for a route with CORS, by its configuration only. Returns `nil` for any other request,
    /// which is then handled normally.
    @inline(never)
    private func respondToPreflight(
        _ run: inout PipelineRun, _ request: RequestView, _ peer: PeerAddress, _ context: Context,
        _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        guard let preflight = Preflight(request),
            let (plan, route) = settings.plan(requestedBy: preflight, in: request, scratch: context.scratch),
            let cors = plan.additions?.cors, run.purpose != .decision
        else { return nil }
        record(plan, route, &run, request)
        if let rates = plan.rates, let step = take(rates, &run, peer, context, observer) { return step }
        let isAllowed = cors.allows(run.corsOrigin)
        observer.observe(.preflight(preflight, of: plan, isAllowed: isAllowed))
        guard isAllowed else {
            run.reason = "cors: the origin is not listed"
            return .deny(.foreignOrigin)
        }
        return .respond(.preflight(cors.lines(answering: preflight, in: request.bytes) + CORSPolicy.preflightVary))
    }

    // MARK: - The route

    /// Whether a run of this purpose can use a route. A route without an upstream is a policy for other proxies. The
    /// sign-in helper is a service of Firebase, to which only this gateway forwards.
    @inline(__always)
    private func isServed(_ plan: RoutePlan, _ purpose: PipelineRun.Purpose) -> Bool {
        switch purpose {
        case .forwarding: plan.upstream != nil
        case .decision: !plan.isThirdParty
        case .explanation: true
        }
    }

    @inline(__always)
    func findRoute(
        _ run: inout PipelineRun, _ request: RequestView, _ context: Context, _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        if run.endpoint != nil { return nil }
        if let credential = request.fields.first(.authorization) {
            authenticator.expect(credential.value.bytes(in: request.bytes))
        }
        switch route(request, context) {
        case .route(let match):
            guard isServed(settings.plans[match.index], run.purpose) else {
                observer.observe(.noRoute)
                return .deny(Denial(.routeNotFound))
            }
            observer.observe(.routed(match))
            record(settings.plans[match.index], match.index, &run, request)
            run.target = .upstream(match)
            return nil
        case .notFound:
            observer.observe(.noRoute)
            return .deny(Denial(.routeNotFound))
        case .methodNotAllowed(let methods):
            let allowed = settings.routes.allow(methods)
            observer.observe(.noMethod(allowed: allowed))
            return .deny(Denial(.methodNotAllowed, allow: Array(allowed.utf8)))
        case .badPath(let error):
            observer.observe(.invalidPath(error))
            run.reason = "path: \(error.reason)"
            return .deny(Denial(.malformedRequest))
        }
    }

    @inline(__always)
    private func route(_ request: RequestView, _ context: Context) -> RouteOutcome {
        let bytes = request.bytes
        return settings.routes.route(
            host: request.head.host.bytes(in: bytes), path: request.head.path.bytes(in: bytes),
            method: request.head.methodRange.bytes(in: bytes), scratch: context.scratch)
    }

    /// Writes the paths of a waiting run into the scratch memory again, which other requests have overwritten. The
    /// route does not change.
    package func restorePaths(of run: PipelineRun, _ request: RequestView, in context: Context) {
        guard case .upstream = run.target else { return }
        _ = route(request, context)
    }

    @inline(__always)
    private func record(_ plan: RoutePlan, _ route: Int, _ run: inout PipelineRun, _ request: RequestView) {
        run.plan = plan
        run.route = route
        if let cors = plan.additions?.cors { run.corsOrigin = cors.place(of: request) }
    }

    // MARK: - Limits

    @inline(__always)
    func checkLimits(
        _ run: inout PipelineRun, _ request: RequestView, _ peer: PeerAddress, _ context: Context,
        _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        guard let plan = run.plan else { return nil }
        if let rates = plan.rates, let step = take(rates, &run, peer, context, observer) { return step }
        if let limit = plan.bodyLimit, case .length(let length) = request.head.framing, length > UInt64(limit) {
            observer.observe(.bodyTooLong(length, limit: limit))
            return .deny(Denial(.requestTooLarge))
        }
        return nil
    }

    private func take(
        _ routeRates: RouteRates, _ run: inout PipelineRun, _ peer: PeerAddress, _ context: Context,
        _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        let canWait = mayWait(run, context)
        let outcome = rates?.take(
            routeRates, network: peer.network, counted: &run.countedLimits, mayWait: canWait, now: context.monotonic)
        return outcome.map { end($0, &run, observer) }
    }

    @inline(__always)
    func checkUserLimits(
        _ run: inout PipelineRun, _ peer: PeerAddress, _ context: Context, _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        guard let routeRates = run.plan?.rates, run.countedUserLimits < routeRates.users.count else { return nil }
        let (user, canWait) = (run.identity?.facts.userKey, mayWait(run, context))
        let outcome = rates?.take(
            routeRates, user: user, network: peer.network, counted: &run.countedUserLimits, mayWait: canWait,
            now: context.monotonic)
        return outcome.map { end($0, &run, observer) }
    }

    /// Returns the end of a phase whose limits did not accept the request. After a wait, the phase continues with the
    /// limit that waited.
    private func end(
        _ outcome: RateTables.Outcome, _ run: inout PipelineRun, _ observer: some PipelineObserver
    ) -> PhaseEnd {
        switch outcome {
        case .refused(let refusal): rateLimited(refusal, &run, observer)
        case .wait(let bucket): .await(.rateLimit(bucket))
        }
    }

    private func rateLimited(
        _ refusal: RateTables.Refusal, _ run: inout PipelineRun, _ observer: some PipelineObserver
    ) -> PhaseEnd {
        observer.observe(.rateLimited(refusal.limit))
        run.reason = refusal.limit.text
        return .deny(Denial(.rateLimited, retryAfter: refusal.retryAfter))
    }

    // MARK: - Credential, upgrade, site

    @inline(__always)
    func findCredential(_ run: inout PipelineRun, _ request: RequestView) -> PhaseEnd? {
        var credentials = settings.locator.find(in: request)
        run.plan?.places?.find(in: request, &credentials)
        run.credentials = credentials
        return nil
    }

    @inline(__always)
    func readUpgrade(
        _ run: inout PipelineRun, _ request: RequestView, _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        guard let plan = run.plan, let upgrades = plan.upgrade else {
            observer.observe(.upgrade(.nothing))
            return refuseUpgrade(&run, request)
        }
        let outcome = upgrades.read(request, plan.places)
        observer.observe(.upgrade(outcome))
        switch outcome {
        case .nothing: return refuseUpgrade(&run, request)
        case .upgrade(let upgrade): run.upgrade = upgrade
        case .malformed(let why):
            run.reason = "\(why)"
            return .deny(Denial(.malformedRequest))
        }
        return nil
    }

    /// Denies an upgrade that the route does not list, if another proxy forwards the request. The gateway itself
    /// forwards it without the upgrade.
    @inline(__always)
    private func refuseUpgrade(_ run: inout PipelineRun, _ request: RequestView) -> PhaseEnd? {
        guard run.purpose == .decision, request.head.hasUpgrade else { return nil }
        run.reason = "upgrade: not one of the route"
        var denial = Denial(.permissionDenied)
        denial.detail = "The route does not permit this upgrade."
        return .deny(denial)
    }

    @inline(__always)
    func checkSite(
        _ run: inout PipelineRun, _ request: RequestView, _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        guard let plan = run.plan, concernsSite(run, request) else { return nil }
        guard run.endpoint != nil || !plan.allowsCrossSite else {
            observer.observe(.crossSiteNotChecked)
            return nil
        }
        if NoObserver.self == type(of: observer) {
            guard !settings.crossSite.passes(request), plan.additions?.cors?.allowsCredentials(of: request) != true
            else { return nil }
            return .deny(Denial(.crossSite))
        }
        let finding = settings.crossSite.finding(in: request)
        let isListed = !finding.passes && plan.additions?.cors?.allowsCredentials(of: request) == true
        observer.observe(.crossSite(finding, isListedForCredentials: isListed))
        return finding.passes || isListed ? nil : .deny(Denial(.crossSite))
    }

    /// Returns whether the cross-site check applies. It applies to unsafe methods with a session cookie. It also
    /// applies to upgrades with one, because a page may open a WebSocket to any site. Account endpoints with unsafe
    /// methods are checked even without a cookie, because a page could sign the user in to a foreign account. Events
    /// are sent by providers' servers, and a callback may be sent by a provider's page.
    @inline(__always)
    private func concernsSite(_ run: PipelineRun, _ request: RequestView) -> Bool {
        if let endpoint = run.endpoint {
            return CrossSiteCheck.applies(to: request.head.method) && !endpoint.acceptsOtherSites
        }
        return run.credentials?.hasCookie == true
            && (run.upgrade != nil || CrossSiteCheck.applies(to: request.head.method))
    }

    /// Returns whether a method may be forwarded. CONNECT and TRACE never are.
    package static func serves(_ method: HTTPWire.Method) -> Bool { method != .connect && method != .trace }

    package static let knownMethods = Array("GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS".utf8)
}

extension Denial {
    /// The denial of a preflight from an origin that is not allowed.
    package static var foreignOrigin: Denial {
        var denial = Denial(.crossSite)
        denial.detail = "The CORS policy does not allow this origin."
        return denial
    }
}
