import Authentication
import GatewayCore
import JOSE

/// `POST session`: begins a session with an ID token of Firebase, whose user just signed in.
struct SessionCall {
    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let body = try CallBody(of: call, taking: ["id_token", "expires_in"])
        let text = try body.requiredText("id_token", atMost: Authenticator.maximumTokenSize)
        let lifetime = try body.duration()
        let keys = try parts.keys
        let principal = try await parts.verifier.verifyFirebase(text)
        try parts.count(principal.user)
        let now = parts.clock.now()
        // The token's own time, not a sign-in that was recorded later: whoever has a stolen token must not get a
        // session for it.
        guard let time = principal.authTime, time.age(at: now) <= Refusal.recentSignIn else {
            throw Refusal.signInAgain("the token's sign-in is too old")
        }
        try await parts.standing.require(principal, isRecent: false)
        let started = try await SessionStarter(parts: parts).start(principal.user, madeAt: time)
        let source = SessionSource(
            user: principal.user, claims: try SourceClaims.of(principal),
            account: try await parts.account(principal.user),
            signIn: SignInProof(authenticatedAt: time.notAfter(now)), origin: SessionOrigin(firebase: principal),
            started: started, isFirebase: true)
        let cookie = try SessionIssuer(keys: keys).cookie(for: source, now: now, lifetime: lifetime)
        var answer = ObjectText()
        answer.add("uid", principal.uid)
        answer.add("expires_in", lifetime)
        return .json(answer.bytes, cookie: cookie)
    }
}
