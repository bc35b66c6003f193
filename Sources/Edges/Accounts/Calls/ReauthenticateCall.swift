import Authentication
import GatewayCore
import JOSE
import Revocation

/// `POST reauthenticate`: the user of a session proves their identity again, which makes the session's sign-in recent.
struct ReauthenticateCall {
    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let caller = try call.requiredCaller()
        guard let session = caller.session else {
            throw AccountDenial(
                .operationNotAllowed, detail: "The credential does not belong to a session. Sign in first.")
        }
        let body = try CallBody(of: call, taking: ProofRequest.members + AppCode.members)
        let request: Request =
            if let code = try AppCode(body, insteadOf: ProofRequest.members) {
                .code(code)
            } else {
                .credential(try ProofRequest(body, takesFirebase: true))
            }
        try parts.count(caller.user)
        try await parts.authorizer.require(caller, isRecent: false)
        let proven = try await proof(request, caller, call)
        let (signedInAt, cookie) = try await Reauthentication(parts: parts, caller: caller, session: session)
            .record(proven.signIn, of: proven.user, call)
        if let user = proven.user { await parts.keepToken(of: user, for: caller.user, call) }
        var response = ObjectText()
        response.add("uid", caller.uid)
        response.add("signed_in_at", signedInAt)
        return .json(response.bytes, cookie: cookie)
    }

    /// The presented proof.
    private enum Request {
        case credential(ProofRequest)
        case code(AppCode)
    }

    /// The result of verifying the proof.
    private struct Proven {
        let signIn: SignInProof
        /// The user at a provider. `nil` for a Firebase user.
        var user: ProvenUser?
    }

    private func proof(_ request: Request, _ caller: Principal, _ call: AccountCall) async throws -> Proven {
        switch request {
        case .credential(let request): return try await proof(request, caller, call)
        case .code(let code):
            let user = try await AppCodes(parts: parts).redeem(code, for: .reauthenticate, call).user
            try await Reauthentication.check(user, belongsTo: caller, parts, parts.auditLog(call))
            return Proven(signIn: user.signIn, user: user)
        }
    }

    private func proof(
        _ request: ProofRequest, _ caller: Principal, _ call: AccountCall
    ) async throws -> Proven {
        guard let provider = request.provider else { return Proven(signIn: try await firebase(request, caller)) }
        let candidate = try await parts.redeemer.candidate(request, provider: provider, for: call.network)
        let user = try ProvenUser(candidate)
        try parts.count(UserKey(user.link))
        try await parts.redeemer.use(candidate, for: .reauthenticate)
        try await Reauthentication.check(user, belongsTo: caller, parts, parts.auditLog(call))
        return Proven(signIn: user.signIn, user: user)
    }

    private func firebase(_ request: ProofRequest, _ caller: Principal) async throws -> SignInProof {
        guard case .idToken(let text) = request.credential else { throw AccountDenial.malformed("Send \"provider\".") }
        let principal = try await parts.verifier.verifyFirebase(text)
        guard principal.user == caller.user else { throw AccountDenial(.userMismatch) }
        try await parts.authorizer.require(principal, isRecent: false)
        let now = parts.clock.now()
        return SignInProof(authenticatedAt: principal.authTime?.notAfter(now))
    }
}

/// The recording of a proof that the user of a session signed in again.
struct Reauthentication {
    let parts: AccountParts
    let caller: Principal
    let session: String

    /// Checks that a proven user at a provider is the caller, and is neither disabled nor revoked.
    static func check(
        _ user: ProvenUser, belongsTo caller: Principal, _ parts: AccountParts, _ audit: AuditLog
    ) async throws {
        let owner = try await IdentityOwner(parts: parts, audit: audit).find(user, for: caller.user)
        guard try await SameUser(store: parts.store).holds(caller, user.link, of: owner) else {
            throw AccountDenial(.userMismatch)
        }
        try await parts.authorizer.require(UserKey(user.link), time: user.madeAt)
    }

    /// Records a recent proof. `user` is the user at a provider, `nil` for a Firebase user.
    ///
    /// A session of the gateway gets another name, and its cookie states the sign-in. The sign-in of another credential
    /// is recorded in the store.
    ///
    /// - Returns: The sign-in time, and a new cookie if the session is one of the gateway.
    func record(
        _ proof: SignInProof, of user: ProvenUser?, _ call: AccountCall
    ) async throws -> (UnixTime, SessionCookie?) {
        let signIn = try Self.recent(proof, now: parts.clock.now())
        if let rotation = SessionRotation(caller, call, parts) {
            let renamed = try await rotation.rotate(signIn, to: try await source(user))
            parts.record(.reauthentication, of: caller.user, with: user?.link.provider ?? caller.signInProvider)
            return (renamed.signedInAt ?? signIn.time, renamed.cookie)
        }
        let record = try await parts.store.recordSignIn(
            caller.user, session, at: signIn.time.seconds, isAuthenticated: signIn.isAuthenticated, expires: caller.end)
        guard !record.revoked else { throw AccountDenial(caller.kind.revokedCode) }
        parts.record(.reauthentication, of: caller.user, with: user?.link.provider ?? caller.signInProvider)
        return (record.signedInAt ?? signIn.time, nil)
    }

    /// Returns the sign-in that a proof establishes, if it is recent.
    static func recent(_ proof: SignInProof, now: Int64) throws(AccountDenial) -> SignInProof.Latest {
        guard let latest = proof.latest(now: now) else {
            throw AccountDenial(
                .invalidCredential, reason: "the credential proves no sign-in",
                detail: "The credential does not prove a recent sign-in. Send an ID token with a nonce.")
        }
        guard latest.time.age(at: now) <= AccountDenial.recentSignIn else {
            throw AccountDenial.signInAgain("the proof is too old")
        }
        return latest
    }

    /// Returns new contents of the session if the proof is from a different identity than the one that started it. The
    /// session then belongs to the new identity and survives the removal of the other link. Returns `nil` if the
    /// contents do not change.
    private func source(_ user: ProvenUser?) async throws -> SessionSource? {
        guard let user, let origin = caller.origin?.link, origin != user.link else { return nil }
        guard
            let started = try await SessionStarter(parts: parts)
                .start(caller.user, user.link, madeAt: user.madeAt)
        else { throw AccountDenial(.userMismatch, reason: "the identity was unlinked meanwhile") }
        return SessionSource(
            user: caller.user, claims: user.claims, account: try await parts.account(caller.user), signIn: user.signIn,
            origin: user.origin, started: started, isFirebase: caller.facts.isFirebase)
    }
}

/// A check of whether an identity at a provider belongs to the caller.
struct SameUser {
    let store: any GatewayStore

    /// - Parameter owner: The owner of the identity.
    func holds(_ caller: Principal, _ link: IdentityLink, of owner: UserKey?) async throws -> Bool {
        if let owner { return owner == caller.user }
        if caller.user == UserKey(link) { return true }
        // The store has the links of accounts that the gateway created. The links of other accounts are listed only in
        // the ID tokens of the system that created them. A session cookie is not evidence, because it may list
        // identities that were unlinked since.
        guard caller.kind == .idToken, caller.link == nil,
            try await store.account(caller.user)?.created == nil
        else { return false }
        let federatedID = link.federatedID
        return caller.identities(at: link.provider)?.elements.contains { $0.equals(federatedID) } ?? false
    }
}
