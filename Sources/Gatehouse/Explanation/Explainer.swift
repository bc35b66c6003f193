import HTTPWire
import JOSE

/// Says, step by step, whether a request would pass the gateway of one configuration, and why.
///
/// Each stage of the request path is asked for its own verdict: the parser, the route table, the credential locator, the authenticator and
/// the authorizer. Nothing is forwarded, and nothing is written.
public struct Explainer: Sendable {
    let configuration: Configuration
    let snapshot: Snapshot
    private let inspector: TokenInspector
    private let records: RecordSource
    private let accounts: AccountEvidenceSource
    private let owners: OwnerEvidenceSource
    let clock: GatewayClock

    /// An explainer that asks whom the gateway asks, and the store's file or, where that is in use, the admin API. What only the store knows and
    /// no API tells (the key of session cookies, the owners of identities) stays unknown while a gateway has the file.
    ///
    /// - Parameter asksOthers: whether key sets are fetched, and providers and Identity Toolkit asked; without it no signature, opaque token
    ///   or Firebase account can be checked.
    /// - Throws: what is wrong with the configuration's routes.
    public init(
        _ configuration: Configuration, asksOthers: Bool = true, clock: GatewayClock = .system
    ) throws(ConfigurationErrors) {
        try self.init(
            configuration, keys: asksOthers ? .live(clock: clock) : .none, records: .live(configuration),
            opaqueTokens: asksOthers ? .live(clockSkew: configuration.identity.clockSkew, clock: clock) : .none,
            accounts: asksOthers ? .live(configuration, clock: clock) : .none, owners: .live(configuration),
            clock: clock)
    }

    init(
        _ configuration: Configuration, keys: KeyEvidenceSource, records: RecordSource,
        opaqueTokens: OpaqueEvidenceSource = .none, accounts: AccountEvidenceSource = .none,
        owners: OwnerEvidenceSource = .none, clock: GatewayClock
    ) throws(ConfigurationErrors) {
        self.configuration = configuration
        self.records = records
        self.accounts = accounts
        self.owners = owners
        self.clock = clock
        snapshot = try Snapshot(configuration)
        inspector = TokenInspector(
            snapshot, keys: keys, sessions: .live(configuration, snapshot), opaqueTokens: opaqueTokens, clock: clock)
    }

    /// Explains a request.
    ///
    /// - Throws: where the parts make no request that a client could send.
    public func explain(_ request: ExplainedRequest) async throws(ExplainedRequestError) -> Explanation {
        let head = try request.head(for: configuration)
        var account = Account()
        do throws(HeadError) {
            let parsed = try ParsedRequest(head, limits: snapshot.limits)
            account.pass("request", "\(request.method), Host \(ShownText.quoted(parsed.text(parsed.head.host)))")
            return await route(parsed, account)
        } catch {
            account.fail("request", error.description)
            return account.refused(Denial(error.decisionCode))
        }
    }

    // MARK: - Routing

    private func route(_ request: ParsedRequest, _ soFar: Account) async -> Explanation {
        var account = soFar
        guard Worker.serves(request.head.method) else {
            account.fail("method", "CONNECT and TRACE are never forwarded")
            return account.refused(Denial(.methodNotAllowed, allow: Worker.knownMethods))
        }
        if let explanation = preflight(request, account) { return explanation }
        if let call = ownCall(of: request) { return own(call, request, account) }
        if let explanation = document(request, account) { return explanation }
        switch locate(request) {
        case .success(let place):
            account.pass("path", place.canonical)
            let route = configuration.routes[place.index]
            account.pass("route", "\(route.path) at \(route.location), to \(route.upstream)")
            for step in edge(of: route, place) { account.add(step) }
            if let step = body(of: request, snapshot.plans[place.index]) {
                account.add(step)
                return account.refused(Denial(.requestTooLarge))
            }
            if let step = upgrade(of: request, place) {
                account.add(step)
                if step.mark == .failed { return account.refused(Denial(.malformedRequest)) }
            }
            if let step = site(of: request, place) {
                account.add(step)
                if step.mark == .failed { return account.refused(Denial(.crossSite)) }
            }
            return await identify(request, place, account)
        case .failure(let refusal):
            account.add(refusal.step)
            return account.refused(refusal.denial)
        }
    }

    // MARK: - Authentication

    private func identify(_ request: ParsedRequest, _ place: RoutedPlace, _ soFar: Account) async -> Explanation {
        var account = soFar
        let policy = snapshot.plans[place.index].policy
        guard policy.authentication != .none else {
            account.note("credential", "not looked at: the route has auth: none")
            return authorize(nil, .nothing, request, place, account)
        }
        switch offer(of: request, snapshot.plans[place.index].places) {
        case .none:
            let isRequired = policy.authentication == .required
            account.add(
                ExplanationStep(
                    isRequired ? .failed : .passed, "credential",
                    isRequired ? "none, and the route asks for one" : "none, and the route is for anybody: auth is null"
                ))
            return authorize(nil, .nothing, request, place, account)
        case .unsupported:
            account.fail("credential", "the field of the Bearer token carries another scheme")
            return account.refused(Denial(.argumentError))
        case .ambiguous:
            account.fail("credential", "more than one, and they differ: nobody can say whose request it is")
            return account.refused(Denial(.ambiguousCredentials))
        case .token(let range, let kind):
            account.pass("credential", kind == .idToken ? "a Bearer token in the header" : "a session cookie")
            return await verify(request.bytes(range), kind, request, place, account)
        case .text(let token):
            account.pass("credential", "a token in the query or in Sec-WebSocket-Protocol")
            return await verify(token, .idToken, request, place, account)
        }
    }

    private func verify(
        _ token: [UInt8], _ kind: CredentialKind, _ request: ParsedRequest, _ place: RoutedPlace, _ soFar: Account
    ) async -> Explanation {
        var account = soFar
        let plan = snapshot.plans[place.index]
        let inspected = await inspector.inspect(token, as: kind, .of(plan, snapshot))
        for step in inspected.inspection.steps { account.add(step) }
        guard let entry = inspected.entry else {
            let code = inspected.inspection.code
            if code == .keysUnavailable {
                return account.undetermined("the keys that would tell whether the signature is right are not known")
            }
            if code == .introspectionUnavailable {
                return account.undetermined("its provider did not tell whether the token counts")
            }
            return account.refused(Denial(code))
        }
        account.pass("verified", "the user is \(entry.principal.user.shown)")
        if let link = entry.principal.link, configuration.accounts != nil {
            switch await owner(of: link, account) {
            case .own(let steps): account = steps
            case .ended(let explanation): return explanation
            }
        }
        let evidence = await evidence(of: entry.principal, plan.policy)
        return authorize(entry, evidence, request, place, account)
    }

    private enum Owned {
        /// The derived uid is the user's.
        case own(Account)
        case ended(Explanation)
    }

    /// Whose the identity is that a provider's own token names.
    private func owner(of link: IdentityLink, _ soFar: Account) async -> Owned {
        var account = soFar
        switch await owners.look(link) {
        case .nobody(let source):
            guard configuration.accounts?.unlinked == .derive else {
                account.fail("link", "of no account, and accounts.unlinked is deny; \(source)")
                return .ended(account.refused(Denial(.permissionDenied)))
            }
            account.pass("link", "of no account: the uid is the derived one; \(source)")
            return .own(account)
        case .owner(let owner, let source):
            account.pass("link", "of the account \(owner.user.shown), whose the request is; \(source)")
            return .ended(
                account.undetermined("it is decided as the account's own, and an account is not explained by its links")
            )
        case .unknown(let why):
            account.add(ExplanationStep(.unknown, "link", why))
            return .ended(
                account.undetermined("whose request it is hangs on the account that the identity is linked to"))
        }
    }

    private func evidence(of principal: Principal, _ policy: RoutePolicy) async -> Evidence {
        var evidence = Evidence.nothing
        // Without a session there is none that a later sign-in could be recorded for.
        let asksOfSignIns = policy.recentSignIn != nil || policy.rules?.needsSignInRecord == true
        if policy.revocation != .off || (asksOfSignIns && principal.session != nil) {
            evidence.records = await records.look(principal.user, principal.session)
        }
        if asksFirebase, policy.revocation != .off, principal.standing.isFirebase {
            evidence.account = await accounts.look?(principal.user) ?? .notAsked
        }
        return evidence
    }

    /// Whether Identity Toolkit, too, says who is revoked.
    var asksFirebase: Bool { configuration.revocation.firebase != nil && configuration.identity.firebase != nil }

    /// What is known of who is asking, besides the credential.
    struct Evidence {
        var records: RecordEvidence
        var account: AccountEvidence

        /// Nothing hangs on it.
        static let nothing = Evidence(
            records: .known(user: .none, session: .none, source: "not asked"), account: .irrelevant)
    }
}
