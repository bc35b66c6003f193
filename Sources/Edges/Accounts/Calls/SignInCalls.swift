import TextCoding
import Authentication
import Authorization
import GatewayCore
import JOSE
import Revocation

/// `POST nonce`: issues a nonce for the next proof.
struct NonceCall {
    private static let expected =
        "Send \"purpose\" as \(Nonces.Purpose.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))."

    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let body = try CallBody(of: call, taking: ["purpose"], mayBeEmpty: true)
        let nonce = try await parts.nonces.issue(for: try purpose(body))
        var response = ObjectText()
        response.add("nonce", nonce.raw)
        response.add("nonce_sha256", HexDigits.text(of: nonce.digest.bytes))
        response.add("expires_in", Nonces.lifetime)
        return .json(response.bytes)
    }

    private func purpose(_ body: CallBody) throws(AccountDenial) -> Nonces.Purpose? {
        guard let value = body.value("purpose") else { return nil }
        guard let purpose = Nonces.Purpose.allCases.first(where: { value.equals($0.rawValue) }) else {
            throw .malformed(Self.expected)
        }
        return purpose
    }
}

/// `POST sign-in`: starts a session of the account that owns an identity, or creates an account.
struct SignInCall {
    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let body = try CallBody(of: call, taking: ProvenBody.members + ["user", "expires_in"])
        let lifetime = try body.duration(parts.settings)
        let name = try DisplayName.read(body)
        let signIn = SignIn(parts: parts, keys: try parts.keys, audit: parts.auditLog(call))
        let (user, keptName) = try await user(try ProvenBody(body, parts, others: ["user"]), call)
        let (found, cookie) = try await signIn.start(user, name: name ?? keptName, lifetime: lifetime, call)
        await parts.keepToken(of: user, for: found.account.user, call)
        var response = ObjectText()
        response.add("uid", found.account.uid)
        response.add("is_new_user", found.isNew)
        response.add("expires_in", cookie.maximumAge)
        return .json(response.bytes, cookie: cookie)
    }

    /// Uses a proof. Returns the user, and the display name that a flow kept.
    private func user(
        _ proven: ProvenBody, _ call: AccountCall
    ) async throws -> (user: ProvenUser, keptName: String?) {
        switch proven {
        case .credential(let request, let provider):
            let candidate = try await parts.redeemer.candidate(request, provider: provider, for: call.network)
            let user = try ProvenUser(candidate)
            try parts.count(UserKey(user.link))
            try await parts.redeemer.use(candidate, for: .signIn)
            return (user, nil)
        case .pending(let token):
            guard token.purpose == .signIn else {
                throw AccountDenial.credential("a pending token for link only")
            }
            try parts.count(UserKey(token.user.link))
            try await parts.use(token)
            return (token.user, nil)
        case .code(let code):
            let grant = try await AppCodes(parts: parts).redeem(code, for: .signIn, call)
            return (grant.user, grant.name)
        }
    }
}

/// The sign-in of a proven user: the account, and a new session.
struct SignIn {
    let parts: AccountParts
    let keys: SessionKeys
    let audit: AuditLog

    /// Finds or creates the account and starts a session with a lifetime in seconds. The session of the request, if
    /// any, ends. `name` is the display name that came with the proof.
    func start(
        _ user: ProvenUser, name: String?, lifetime: Int64, _ call: AccountCall
    ) async throws -> (found: AccountFinder.Found, cookie: SessionCookie) {
        let finder = AccountFinder(parts: parts, audit: audit, keys: keys)
        let (earlier, started) = try await begin(user) { try await finder.find(user, name: name) }
        // A session that begins after the account lost its address must not state it.
        let account = try await parts.account(earlier.account.user)
        let found = AccountFinder.Found(account: account, isNew: earlier.isNew)
        let source = SessionSource(
            user: found.account.user, claims: user.claims, account: found.account, signIn: user.signIn,
            origin: user.origin, started: started, isFirebase: found.account.created == nil)
        let first = StartedSession(parts: parts, keys: keys)
        let cookie = try await first.cookie(for: source, lifetime: lifetime, call)
        parts.record(.signIn, of: found.account.user, with: user.link.provider)
        return (found, cookie)
    }

    /// Finds the account of a user and starts a session. Retries if the identity is unlinked meanwhile.
    private func begin(
        _ user: ProvenUser, _ find: () async throws -> AccountFinder.Found
    ) async throws -> (AccountFinder.Found, started: UnixTime) {
        for _ in 0..<AccountFinder.attempts {
            let found = try await find()
            let start = try await SessionStarter(parts: parts)
                .start(found.account.user, user.link, madeAt: user.madeAt)
            if let start { return (found, start) }
        }
        throw AccountDenial(.overloaded, reason: "the identity was repeatedly linked and unlinked concurrently")
    }
}

/// The first cookie of a session.
struct StartedSession {
    let parts: AccountParts
    let keys: SessionKeys

    /// Lists the session and returns its cookie. Then the sessions of the request end, whose cookies the new one
    /// replaces.
    func cookie(
        for source: SessionSource, lifetime: Int64, _ call: AccountCall
    ) async throws -> SessionCookie {
        let issuer = SessionIssuer(keys: keys, terms: SessionTerms(parts.settings))
        let now = UnixTime(clamping: parts.clock.now())
        let session = issuer.newSession(now: now, lifetime: lifetime)
        let cookie = try issuer.cookie(for: source, session)
        let catalog = SessionCatalog(parts: parts)
        let entry = try SessionCatalog.entry(of: session, source, userAgent: call.userAgent, now: now)
        try await catalog.add(entry, of: source.user)
        for earlier in parts.allSessions(of: call) { try await catalog.end(earlier) }
        return cookie
    }
}

/// `POST session`: starts a session with a Firebase ID token of a recent sign-in.
struct SessionCall {
    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let body = try CallBody(of: call, taking: ["id_token", "expires_in"])
        let text = try body.requiredText("id_token", atMost: Authenticator.maximumTokenSize)
        let lifetime = try body.duration(parts.settings)
        let principal = try await parts.verifier.verifyFirebase(text)
        try parts.count(principal.user)
        let now = parts.clock.now()
        // Only the token's own time is accepted, not a recorded later sign-in, so that a stolen token cannot obtain a
        // session.
        guard let time = principal.authTime, time.age(at: now) <= AccountDenial.recentSignIn else {
            throw AccountDenial.signInAgain("the token's sign-in is too old")
        }
        try await parts.authorizer.require(principal, isRecent: false)
        let cookie: SessionCookie
        if let cookies = parts.firebaseCookies {
            cookie = try Self.cookie(
                await cookies.create(for: principal.user, idToken: text, lifetime: lifetime, network: call.network),
                lifetime: lifetime)
            // Another user's session must not continue in this browser, whose requests under way may renew its cookie.
            for earlier in parts.allSessions(of: call) { try await SessionCatalog(parts: parts).end(earlier) }
        } else {
            cookie = try await gatewayCookie(principal, time, lifetime: lifetime, call)
        }
        parts.record(.signIn, of: principal.user, with: principal.signInProvider)
        var response = ObjectText()
        response.add("uid", principal.uid)
        response.add("expires_in", cookie.maximumAge)
        return .json(response.bytes, cookie: cookie)
    }

    private func gatewayCookie(
        _ principal: Principal, _ time: UnixTime, lifetime: Int64, _ call: AccountCall
    ) async throws -> SessionCookie {
        let keys = try parts.keys
        let started = try await SessionStarter(parts: parts).start(principal.user, madeAt: time)
        let source = SessionSource(
            user: principal.user, claims: try SourceClaims.of(principal),
            account: try await parts.account(principal.user),
            signIn: SignInProof(authenticatedAt: time.notAfter(parts.clock.now())),
            origin: SessionOrigin(firebase: principal),
            started: started, isFirebase: true)
        return try await StartedSession(parts: parts, keys: keys).cookie(for: source, lifetime: lifetime, call)
    }

    /// Returns Firebase's cookie. Its session is identified by the sign-in time of the ID token, which a revocation
    /// covers.
    private static func cookie(
        _ outcome: FirebaseSessionCookies.Outcome, lifetime: Int64
    ) throws(AccountDenial) -> SessionCookie {
        switch outcome {
        case .created(let cookie):
            guard cookie.utf8.count <= SessionIssuer.maximumTokenSize else { throw .cookieTooLarge }
            return .set(token: cookie, maximumAge: lifetime)
        case .rejected("USER_DISABLED"): throw AccountDenial(.userDisabled, reason: "Firebase: USER_DISABLED")
        case .rejected(let code): throw .credential("Firebase: \(code)")
        case .unavailable(let reason, let retryAfter):
            throw AccountDenial(
                Denial(.storeUnavailable, retryAfter: retryAfter), reason: "createSessionCookie: \(reason)")
        }
    }
}

/// `POST sign-out`: ends the sessions of the request's cookies, or all of the caller's sessions too.
struct SignOutCall {
    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let body = try CallBody(of: call, taking: ["everywhere"], mayBeEmpty: true)
        let isEverywhere = try body.flag("everywhere")
        if isEverywhere, let caller = call.caller {
            try await parts.authorizer.require(caller, isRecent: true)
            try await parts.store.revoke(caller.user, at: parts.clock.now(), .everything)
        }
        // The calling session is revoked last, because it authorizes the previous step. It is revoked separately,
        // because a Firebase token of the current second survives the general revocation.
        let others = parts.allSessions(of: call).filter { $0.sessionKey != call.caller?.sessionKey }
        let catalog = SessionCatalog(parts: parts)
        for session in others + [call.caller].compactMap(\.self) { try await catalog.end(session) }
        return .done(cookie: .clear)
    }
}
