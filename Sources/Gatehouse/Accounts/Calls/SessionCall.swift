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
        try parts.count(account: principal.uid)
        let now = parts.clock.now()
        // The token's own time, not a sign-in that was recorded later: whoever has a stolen token must not get a
        // session for it.
        guard let time = principal.authTime, now - time <= Refusal.recentSignIn else {
            throw Refusal.signInAgain("the token's sign-in is too old")
        }
        try await parts.standing.require(principal, isRecent: false)
        let source = SessionSource(
            uid: principal.uid, claims: try SourceClaims.of(principal), account: try await parts.account(principal.uid),
            authTime: min(time, now), isFirebase: true)
        let cookie = try SessionIssuer(keys: keys).cookie(for: source, now: now, lifetime: lifetime)
        var answer = ObjectText()
        answer.add("uid", principal.uid)
        answer.add("expires_in", lifetime)
        return .json(answer.bytes, cookie: cookie)
    }
}
