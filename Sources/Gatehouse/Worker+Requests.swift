import HTTPWire
import Logging
import NIOCore

extension Worker: RequestHandler {
    /// The way of one request: routing, authentication, authorization, forwarding.
    func handle(_ request: RequestView, from client: ClientHandler) {
        guard readOrigin(of: request, from: client) else { return }
        guard Self.serves(request.head.method) else {
            return client.deny(Denial(.methodNotAllowed, allow: Self.knownMethods))
        }
        client.record.wantsGRPC = Self.isGRPC(request)
        if snapshot.answersPreflights, request.head.method == .options, answerPreflight(request, from: client) {
            return
        }
        if serveOwn(request, to: client) { return }
        let bytes = request.bytes
        if let credential = request.fields.first(.authorization) {
            authenticator.expect(credential.value.bytes(in: bytes))
        }
        let scratch = pathScratch.borrow()
        defer { scratch.giveBack() }
        let outcome = snapshot.routes.route(
            host: request.head.host.bytes(in: bytes), path: request.head.path.bytes(in: bytes),
            method: request.head.methodRange.bytes(in: bytes), scratch: scratch)
        switch outcome {
        case .route(let match):
            client.record.route = match.index
            let plan = snapshot.plans[match.index]
            note(plan.additions, request, client)
            admit(request, plan, .upstream(match, scratch), from: client)
        case .notFound: client.deny(Denial(.routeNotFound))
        case .methodNotAllowed(let methods):
            client.deny(Denial(.methodNotAllowed, allow: Array(snapshot.routes.allow(methods).utf8)))
        case .badPath(let error):
            client.record.reason = "path: \(error.reason)"
            client.deny(Denial(.malformedRequest))
        }
    }

    /// Settles whom the request comes from.
    ///
    /// - Returns: false when a trusted proxy tells what cannot be; then it is answered.
    @inline(__always)
    private func readOrigin(of request: RequestView, from client: ClientHandler) -> Bool {
        guard !snapshot.proxies.isEmpty || client.origins.wasAsked else { return true }
        do throws(OriginError) {
            var origins = client.origins
            defer { client.origins = origins }
            try origins.read(request, snapshot.proxies)
            return true
        } catch {
            client.record.reason = "client address: \(error.reason)"
            client.deny(Denial(.malformedRequest))
            return false
        }
    }

    /// Where a permitted request goes.
    enum Target {
        /// With the memory that the match's paths are in.
        case upstream(RouteMatch, PathScratch)
        case call(AccountEndpoint)
    }

    func admit(_ request: RequestView, _ plan: RoutePlan, _ target: Target, from client: ClientHandler) {
        client.record.bodyLimit = plan.bodyLimit
        if let rates = plan.rates, !isWithin(rates, client) { return }
        if let limit = plan.bodyLimit, case .length(let length) = request.head.framing, length > UInt64(limit) {
            return client.deny(Denial(.requestTooLarge))
        }
        var credentials = snapshot.locator.find(in: request)
        plan.places?.find(in: request, &credentials)
        var upgrade: UpgradeRequest?
        if let upgrades = plan.upgrade {
            switch upgrades.read(request, plan.places) {
            case .nothing: break
            case .upgrade(let asked): upgrade = asked
            case .malformed(let why):
                client.record.reason = "\(why)"
                return client.deny(Denial(.malformedRequest))
            }
        }
        if isAskedForItsSite(request, credentials, plan, target, isUpgrade: upgrade != nil),
            !snapshot.crossSite.passes(request), plan.additions?.cors?.allowsCredentials(of: request) != true
        {
            // Whose page it was must not sign the user out either.
            client.record.clearsCookie = false
            return client.deny(Denial(.crossSite))
        }
        var moment = moment(for: client)
        moment.answer = takeAnswer(for: client)
        let identity: VerifiedTokenCache.Entry?
        // Whom the store was asked about; unless the credential has ended meanwhile.
        if moment.answer != nil, let asked = client.record.identity, asked.standing.expiresAt.isAfter(moment.now) {
            identity = asked
        } else {
            switch identify(request, credentials, plan, at: moment, for: client) {
            case .known(let entry): identity = entry
            case .settled: return
            }
            client.record.identity = identity
        }
        if let rates = plan.rates, !isWithin(rates, identity, client) { return }
        if accounts != nil { moment.account = accountView(of: identity, plan, at: moment, for: client) }
        let rules = plan.policy.rules == nil ? nil : beginRules(request, plan, target)
        var decision = authorizer.decide(plan.policy, identity: identity, at: moment, rules: rules) {
            note($0, plan, client)
        }
        if case .ask(let question) = decision, let identity {
            guard let failure = ask(question, of: identity, for: client) else { return endRules(rules, client) }
            moment.answer = .failed(failure)
            decision = authorizer.decide(plan.policy, identity: identity, at: moment, rules: rules) {
                note($0, plan, client)
            }
        }
        endRules(rules, client)
        switch decision {
        case .permit(let permit):
            switch target {
            case .upstream(let match, let scratch):
                let path = scratch.bytes(of: match.forwardedPath, in: request.head.path.bytes(in: request.bytes))
                forward(request, path, plan, credentials, permit, upgrade, from: client)
            case .call(let endpoint): serve(endpoint, request, permit, from: client)
            }
        case .deny(let denial): client.deny(denial)
        case .awaitStore: wait(client, for: .store)
        case .lookUp: lookUp(identity, plan, for: client)
        // An answer, even that there is none, leaves nothing to ask.
        case .ask: client.deny(Denial(.storeUnavailable))
        }
    }

    /// Whether a page of another site may not have sent it: what a cookie of ours may change, an upgrade among it, since a tunnel is good for
    /// everything and pages may ask any site for a WebSocket; and every account call, since signing somebody in to an account of the page's
    /// choice takes no cookie. Events come from providers' servers.
    private func isAskedForItsSite(
        _ request: RequestView, _ credentials: FoundCredentials, _ plan: RoutePlan, _ target: Target, isUpgrade: Bool
    ) -> Bool {
        switch target {
        case .upstream:
            credentials.hasCookie && !plan.allowsCrossSite
                && (isUpgrade || CrossSiteCheck.isAsked(of: request.head.method))
        case .call(let endpoint): CrossSiteCheck.isAsked(of: request.head.method) && !endpoint.isEvent
        }
    }

    private func moment(for client: ClientHandler) -> Authorizer.Moment {
        let monotonic = front.time
        let waitsUntil = client.record.waitsUntil
        return Authorizer.Moment(
            now: clock.now(), monotonic: monotonic, mayWait: waitsUntil == 0 || monotonic < waitsUntil)
    }

    // MARK: - Authentication

    enum Identified {
        /// Nil: anonymous.
        case known(VerifiedTokenCache.Entry?)
        /// Answered, or waiting.
        case settled
    }

    private func identify(
        _ request: RequestView, _ credentials: FoundCredentials, _ plan: RoutePlan, at moment: Authorizer.Moment,
        for client: ClientHandler
    ) -> Identified {
        guard plan.policy.authentication != .none else { return .known(nil) }
        switch credentials.offer(in: request.bytes) {
        case .none: return .known(nil)
        case .unsupported: client.deny(Denial(.argumentError))
        case .ambiguous: client.deny(Denial(.ambiguousCredentials))
        case .text(let token):
            return token.withUnsafeBytes { identify(token: $0, .idToken, plan, at: moment, for: client) }
        case .token(let range, let kind):
            return identify(token: range.bytes(in: request.bytes), kind, plan, at: moment, for: client)
        }
        return .settled
    }

    private func identify(
        token: UnsafeRawBufferPointer, _ kind: CredentialKind, _ plan: RoutePlan, at moment: Authorizer.Moment,
        for client: ClientHandler
    ) -> Identified {
        if kind == .idToken, takesOpaqueTokens, !CompactShape.seemsJWT(token) {
            return identify(opaque: token, plan, at: moment, for: client)
        }
        let outcome = authenticator.authenticate(
            token, kind: kind, now: moment.now, monotonic: moment.monotonic,
            waitingSince: client.record.fetchesBeforeWait)
        return settle(outcome, mayWait: moment.mayWait, for: client)
    }

    private func settle(_ outcome: Authenticator.Outcome, mayWait: Bool, for client: ClientHandler) -> Identified {
        switch outcome {
        case .verified(let entry): return .known(entry)
        case .refused(let failure):
            client.record.reason = failure.reason.rawValue
            client.deny(Denial(failure.code))
        case .unavailable(let retryAfter): client.deny(Denial(.keysUnavailable, retryAfter: retryAfter))
        case .awaitKeys(let set, let completedFetches):
            guard mayWait else {
                client.deny(Denial(.keysUnavailable))
                return .settled
            }
            if client.record.fetchesBeforeWait == nil { client.record.fetchesBeforeWait = completedFetches }
            wait(client, for: .keySet(set))
            // Those of our own cookies come when they are known; nobody can be asked for them.
            if set != snapshot.sessionSet { requestKeys(set) }
        case .awaitOwner(let need): awaitOwner(need, mayWait: mayWait, for: client)
        }
        return .settled
    }

    // MARK: - Authorization

    private func note(_ failure: StoreFailure, _ plan: RoutePlan, _ client: ClientHandler) {
        counters.add(to: .storeReadFailures)
        client.record.reason = "store: \(failure.rawValue)"
        guard plan.policy.allowsOnStoreFailure else { return }
        counters.add(to: .storeFailuresAllowed)
        logger.warning(
            "request passed although the store could not tell",
            metadata: ["route": "\(plan.pattern)", "failure": "\(failure.rawValue)"])
    }

    // MARK: - Forwarding

    private func forward(
        _ request: RequestView, _ path: UnsafeRawBufferPointer, _ plan: RoutePlan, _ credentials: FoundCredentials,
        _ permit: Permit, _ upgrade: UpgradeRequest?, from client: ClientHandler
    ) {
        client.record.decided = clock.monotonic()
        if permit.identity?.identity.isTooLarge == true { return client.deny(Denial(.headTooLarge)) }
        let assertion = snapshot.outgoing.assertion(for: permit, upstream: plan.upstream, now: clock.now())
        guard let assertion else {
            client.record.reason = "assertion: not signed"
            return client.deny(Denial(.internalError))
        }
        let pool = pools[plan.upstream]
        let route = OutgoingHead.Route(
            path: path,
            peer: client.origin, fallbackHost: pool.hostField, assertion: assertion, host: plan.host,
            upgrade: upgrade?.lines ?? [], places: plan.places, trailers: snapshot.outgoing.trailers(of: request))
        let marks = marks(of: request, for: client)
        let head = front.flushes.requests.next()
        guard snapshot.outgoing.render(request, credentials, permit, route, marks, into: &head.pointee) else {
            return client.deny(Denial(.internalError))
        }
        client.record.upstream = plan.upstream
        counters.add(to: client.record.attempts == 0 ? .requests : .retries, upstream: pool.settings.counterPlace)
        let outgoing = OutgoingRequest(
            method: request.head.method, isChunked: request.head.framing == .chunked, trailers: route.trailers,
            responseTimeout: plan.responseTimeout, upgrade: upgrade,
            balanceValue: pool.settings.hashOn?.hash(
                user: permit.identity?.principal.user, address: client.origin.text, request: request))
        if upgrade != nil { client.asksForTunnel() }
        pool.send(outgoing, head: head.pointee, for: client)
    }

    /// What the request is known by: in the trace that it came in, where there is one to be taken, else in one of its own.
    private func marks(of request: RequestView, for client: ClientHandler) -> OutgoingHead.Marks {
        if snapshot.outgoing.acceptsTrace, request.fields.contains(.traceparent),
            let context = TraceContext(of: request)
        {
            client.record.trace = context.trace
            return OutgoingHead.Marks(request: client.record.id, trace: context.trace, span: 0, context: context)
        }
        if client.record.trace == (0, 0) { client.record.trace = front.requestIDs.nextPair() }
        return OutgoingHead.Marks(
            request: client.record.id, trace: client.record.trace, span: front.requestIDs.nextPair().1)
    }

    // MARK: - The end

    func abandoned(_ client: ClientHandler) {
        _ = waiters.remove { $0.client === client }
        if client.record.upstream >= 0 { pools[client.record.upstream].forget(client) }
    }

    /// Tunnels and loop tests are never forwarded, whatever the routes say.
    static func serves(_ method: HTTPWire.Method) -> Bool { method != .connect && method != .trace }

    static let knownMethods = Array("GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS".utf8)

    private static func isGRPC(_ request: RequestView) -> Bool {
        guard let type = request.fields.first(.contentType) else { return false }
        let value = type.value.bytes(in: request.bytes)
        return value.count >= 16 && ASCII.equals(UnsafeRawBufferPointer(rebasing: value[..<16]), "application/grpc")
    }
}
