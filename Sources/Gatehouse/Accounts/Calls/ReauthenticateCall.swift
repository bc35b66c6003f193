import JOSE

/// `POST reauthenticate`: the user of a session proves once more who they are, and the session's sign-in is recent again.
struct ReauthenticateCall {
    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let caller = try call.requiredCaller()
        guard let session = caller.session else {
            throw Refusal(.operationNotAllowed, detail: "The credential says of no session that it belongs to.")
        }
        let request = try ProofRequest(
            try CallBody(of: call, taking: ProofRequest.members), takesFirebase: true)
        try parts.count(account: caller.uid)
        try await parts.standing.require(caller, isRecent: false)
        let time = try await provenTime(request, caller, call)
        let record = try await parts.store.recordSignIn(
            caller.uid, session, at: time, expires: caller.end)
        guard !record.revoked else { throw Refusal(caller.kind.revokedCode) }
        var answer = ObjectText()
        answer.add("uid", caller.uid)
        answer.add("signed_in_at", record.signedInAt ?? time)
        return .json(answer.bytes)
    }

    /// When the caller's user proved who they are, by a proof that may count.
    private func provenTime(_ request: ProofRequest, _ caller: Principal, _ call: AccountCall) async throws -> Int64 {
        let proven =
            if let provider = request.provider {
                try await time(request, of: provider, caller, call)
            } else {
                try await firebaseTime(request, caller)
            }
        guard let time = proven else { throw Refusal.credential("nobody knows when its user signed in") }
        let now = parts.clock.now()
        guard now - time <= Refusal.recentSignIn else { throw Refusal.signInAgain("the proof is too old") }
        return min(time, now)
    }

    private func time(
        _ request: ProofRequest, of provider: String, _ caller: Principal, _ call: AccountCall
    ) async throws -> Int64? {
        let candidate = try await parts.proving.candidate(request, provider: provider, for: call.network)
        guard let link = candidate.proof.principal.link else { throw Refusal.credential("no provider's token") }
        try parts.count(account: link.name)
        try await parts.proving.use(candidate, for: .reauthenticate)
        guard try await SameUser(store: parts.store).holds(caller, link) else { throw Refusal(.userMismatch) }
        try await parts.standing.require(link.name, time: candidate.time)
        return candidate.time
    }

    private func firebaseTime(_ request: ProofRequest, _ caller: Principal) async throws -> Int64? {
        guard case .idToken(let text) = request.credential else { throw Refusal.malformed("Send \"provider\".") }
        let principal = try await parts.verifier.verifyFirebase(text)
        guard principal.uid.utf8.elementsEqual(caller.uid.utf8) else { throw Refusal(.userMismatch) }
        try await parts.standing.require(principal, isRecent: false)
        return principal.authTime
    }
}

/// Whether an identity at a provider is the caller's.
struct SameUser {
    let store: AccountParts.AnyStore

    func holds(_ caller: Principal, _ link: IdentityLink) async throws -> Bool {
        if let owner = try await store.owner(of: link) { return owner.utf8.elementsEqual(caller.uid.utf8) }
        if caller.uid.utf8.elementsEqual(link.name.utf8) { return true }
        // An account that was made here has its links here. Another's are where it was made, which tells them in ID tokens. A session cookie
        // and a provider's own token also list what was linked here, and a cookie goes on listing what belongs to the user no more.
        guard caller.kind == .idToken, caller.link == nil,
            try await store.account(caller.uid)?.created == nil
        else { return false }
        let federatedID = link.federatedID
        return caller.identities(at: link.provider)?.elements.contains { $0.equals(federatedID) } ?? false
    }
}
