import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation

/// `POST account/email`: changes the e-mail address of the caller's account.
///
/// The user proves the new address by a linked identity, or by the token of a link that the application sends to the
/// address.
struct EmailCall {
    private static let foreign = "Another system has this address. Change it there."
    private static let noSession = "The call needs a session cookie of the gateway. Sign in first."
    private static let noWebhook = "The gateway has no webhook that could send a link. Prove the address by a provider."
    private static let noReturn = "Links to a page need accounts.public_url. Send no \"return_to\"."
    private static let badAddress =
        "Send \"email\" as an address of visible ASCII characters that is not one of Apple's private relay."
    private static let knownAddress = "The account has this verified address."
    private static let unproven = "The provider does not vouch for an address of this identity."
    private static let tooLong =
        "The session's cookie has no room for this address. Send a shorter one, or sign in by another provider first."
    private static let staleLink =
        "The link was used or replaced, has expired, belongs to another account, or the address or the sessions of the"
        + " account changed since. Request another link."
    private static let askMembers = ["email", "return_to"]
    private static let proofMembers = ProofRequest.members + AppCode.members

    let parts: AccountParts

    /// The kinds of calls.
    private enum Request {
        case link(to: String, returnTo: String?)
        case token(String)
        case credential(ProofRequest, provider: String)
        case code(AppCode)
    }

    /// The caller and the account before the change.
    private struct Subject {
        let caller: Principal
        let account: AccountRecord
        /// The user's record, which was read before the caller was authorized.
        let record: UserRecord
    }

    func reply(to call: AccountCall) async throws -> AccountReply {
        let caller = try call.accountHolder()
        guard caller.kind == .sessionCookie, caller.origin != nil, caller.session != nil else {
            throw AccountDenial(.operationNotAllowed, detail: Self.noSession)
        }
        let request = try Self.request(in: call)
        try parts.count(caller.user)
        // The record is read before the caller is authorized, so that a revocation since then ends the link.
        let record = try await parts.store.user(caller.user)
        try await parts.authorizer.require(caller, isRecent: true)
        let account = try await parts.account(caller.user)
        guard account.created != nil else { throw AccountDenial(.operationNotAllowed, detail: Self.foreign) }
        let subject = Subject(caller: caller, account: account, record: record)
        switch request {
        case .link(let email, let returnTo): return try await open(email, returnTo, subject, call)
        case .token(let text):
            let change = try proven(by: text, subject)
            try await checkFirebase(change.email, caller.user)
            return try await self.change(to: change, subject, call)
        case .credential(let request, let provider):
            let user = try await user(proving: request, provider, subject, call)
            return try await change(to: try proven(by: user), subject, call)
        case .code(let code):
            let user = try await AppCodes(parts: parts).redeem(code, for: .reauthenticate, call).user
            try await check(user, subject, call)
            return try await change(to: try proven(by: user), subject, call)
        }
    }

    private static func request(in call: AccountCall) throws(AccountDenial) -> Request {
        let body = try CallBody(of: call, taking: askMembers + ["token"] + proofMembers)
        if let token = try body.text("token", atMost: EmailToken.maximumSize) {
            for name in askMembers + proofMembers where body.has(name) {
                throw .malformed("Send either \"token\" or \"\(name)\".")
            }
            return .token(token)
        }
        if let text = try body.text("email", atMost: StoreBounds.maximumEmailSize) {
            for name in proofMembers where body.has(name) {
                throw .malformed("Send either \"email\" or \"\(name)\".")
            }
            guard let email = EmailAddress.normalized(text), !ProvenEmail.isRelay(email) else {
                throw .malformed(badAddress)
            }
            return .link(to: email, returnTo: try body.text("return_to", atMost: ReturnTargets.maximumSize))
        }
        guard !body.has("return_to") else { throw .malformed("Send \"email\".") }
        if let code = try AppCode(body, insteadOf: ProofRequest.members) { return .code(code) }
        let proof = try ProofRequest(body)
        guard let provider = proof.provider else { throw .malformed("Send \"provider\".") }
        return .credential(proof, provider: provider)
    }
}

// MARK: - Links

extension EmailCall {
    /// Opens a change and hands its link to the webhook. The response is the same for addresses with an account.
    private func open(
        _ email: String, _ returnTo: String?, _ subject: Subject, _ call: AccountCall
    ) async throws -> AccountReply {
        guard parts.store.outbox.current?.destinations.contains(OutboxMessage.webhook) == true else {
            throw AccountDenial(.operationNotAllowed, detail: Self.noWebhook)
        }
        guard !subject.account.emailVerified || subject.account.email?.isExactly(email) != true else {
            throw AccountDenial(.operationNotAllowed, detail: Self.knownAddress)
        }
        let page = try returnTo.map(location(of:))
        try await checkRoom(for: email, subject, call)
        // A rejected link adds nothing to the outbox, so it does not count as a removal.
        try await parts.countLink(to: email)
        try await parts.countRemoval(by: subject.caller.user)
        let now = UnixTime(clamping: parts.clock.now())
        let token = try EmailToken(for: subject.account, revokedAt: subject.record.validSince, to: email)
        let text = try token.text(keys: try parts.keys, now: now)
        let event = ObjectText.object { event in
            event.add("type", "account.email_verification")
            event.add("email", email)
            event.add("token", text)
            event.add("url", page.map { "\($0)#\(EmailToken.parameter)=\(text)" })
            event.add("expires_at", now.adding(EmailToken.lifetime))
        }
        let ticket = EmailTicket(
            name: token.ticket, previous: subject.account.email, event: String(decoding: event, as: UTF8.self))
        switch try await parts.store.openEmailChange(ticket, of: subject.caller.user) {
        case .open: break
        case .full: throw AccountDenial(.overloaded, reason: "the outbox does not accept the link")
        case .stale: throw AccountDenial(.overloaded, reason: "the address was changed concurrently")
        case .refused: throw AccountDenial(.operationNotAllowed, detail: Self.foreign)
        }
        return .json(
            ObjectText.object { body in
                body.add("email", email)
                body.add("expires_in", EmailToken.lifetime)
            })
    }

    /// Returns the page or the URL of an app that receives the token.
    private func location(of text: String) throws(AccountDenial) -> String {
        guard let targets = parts.flows?.targets else { throw .malformed(Self.noReturn) }
        let location = if let app = targets.app(text) { app.location } else { try targets.requested(text).location }
        guard !location.utf8.contains(UInt8(ascii: "#")) else { throw .malformed("Send no fragment in \"return_to\".") }
        return location
    }

    private func proven(by text: String, _ subject: Subject) throws(AccountDenial) -> EmailChange {
        let token: EmailToken
        do throws(AccountDenial) {
            token = try EmailToken(text, keys: try parts.keys, now: parts.clock.now())
        } catch {
            throw error.denial.code == .invalidCredential ? Self.stale(error.reason ?? "") : error
        }
        guard try token.isBound(to: subject.account, revokedAt: subject.record.validSince) else {
            throw Self.stale("the token is bound to another account, address or revocation")
        }
        return EmailChange(previous: subject.account.email, email: token.email, proof: .ticket(token.ticket))
    }

    /// Rejects an address that determines a Firebase user, because one person would have two users. An identity that
    /// proves an address is compared with Firebase together with its owner.
    private func checkFirebase(_ email: String, _ user: UserKey) async throws {
        guard let found = try await parts.firebaseUsers?.user(withAddress: email, notBefore: parts.clock.monotonic()),
            found.user != user
        else { return }
        throw AccountDenial.firebaseMismatch("a Firebase user has the new address")
    }

    private static func stale(_ reason: String) -> AccountDenial {
        AccountDenial(.invalidCredential, reason: reason, detail: staleLink)
    }
}

// MARK: - Providers

extension EmailCall {
    private func user(
        proving request: ProofRequest, _ provider: String, _ subject: Subject, _ call: AccountCall
    ) async throws -> ProvenUser {
        let candidate = try await parts.redeemer.candidate(request, provider: provider, for: call.network)
        let user = try ProvenUser(candidate)
        try parts.count(UserKey(user.link))
        try await parts.redeemer.use(candidate, for: .reauthenticate)
        try await check(user, subject, call)
        return user
    }

    /// Checks that an identity was proved just now and belongs to the caller.
    private func check(_ user: ProvenUser, _ subject: Subject, _ call: AccountCall) async throws {
        try await Reauthentication.check(user, belongsTo: subject.caller, parts, parts.auditLog(call))
        _ = try Reauthentication.recent(user.signIn, now: parts.clock.now())
    }

    private func proven(by user: ProvenUser) throws(AccountDenial) -> (IdentityLink, email: String) {
        guard let email = user.email, email.isVerified, !email.isPrivate else {
            throw AccountDenial(.invalidCredential, reason: "the identity proves no address", detail: Self.unproven)
        }
        return (user.link, email.address)
    }

    private func change(
        to proven: (link: IdentityLink, email: String), _ subject: Subject, _ call: AccountCall
    ) async throws -> AccountReply {
        // Each change adds an event to the outbox.
        try await parts.countRemoval(by: subject.caller.user)
        let change = EmailChange(
            previous: subject.account.email, email: proven.email, proof: .identity(proven.link))
        return try await self.change(to: change, subject, call)
    }
}

// MARK: - The change

extension EmailCall {
    private func change(to change: EmailChange, _ subject: Subject, _ call: AccountCall) async throws -> AccountReply {
        let caller = subject.caller
        try await checkRoom(for: change.email, subject, call)
        let result = try await parts.store.changeEmail(
            change, of: caller.user, claimsEmail: parts.settings.oneAccountPerEmail, keeping: caller.startedAt)
        switch result {
        case .changed(let dropped, let restarted):
            try await removeIfRevoked(change.email, subject, restarted: restarted)
            parts.auditLog(call).recordEmail(of: caller.user)
            guard restarted != nil else {
                throw AccountDenial(caller.kind.revokedCode, reason: "the change of the address ended the session")
            }
            let cookie = try await SessionRotation(caller, call, parts)?.rotate(restarted: restarted).cookie
            return .json(
                ObjectText.object { body in
                    body.add("uid", caller.uid)
                    body.add("email", change.email)
                    if dropped > 0 { body.add("dropped_messages", Int64(dropped)) }
                }, cookie: cookie)
        case .taken: throw AccountDenial(.emailInUse)
        case .stale where change.ticket != nil: throw Self.stale("the change is not open any more")
        case .stale: throw AccountDenial(.overloaded, reason: "the address was changed concurrently")
        case .refused: throw AccountDenial(.operationNotAllowed, detail: Self.foreign)
        }
    }

    /// Rejects an address for which the cookie of the caller's session has no room. Nothing has changed yet.
    private func checkRoom(for email: String, _ subject: Subject, _ call: AccountCall) async throws {
        var account = subject.account
        (account.email, account.emailVerified) = (email, true)
        account.chosen.insert(.email)
        do {
            try await SessionRotation(subject.caller, call, parts)?.checkRoom(for: account)
        } catch let denial as AccountDenial where denial == .cookieTooLarge {
            throw AccountDenial(.operationNotAllowed, reason: denial.reason, detail: Self.tooLong)
        }
    }

    /// Removes the new address if the caller was revoked meanwhile: the address can open the account, and the proof by
    /// a provider can take long. The change itself ended all sessions but the caller's, which has a later start.
    ///
    /// If another gateway completed the change first, the caller's session ended too. This is no revocation: the time
    /// for other credentials is the same, and the address stays.
    private func removeIfRevoked(_ email: String, _ subject: Subject, restarted: UnixTime?) async throws {
        let caller = subject.caller
        do {
            let isRevoked = try await parts.store.user(caller.user).isRevoked(since: subject.record)
            try await parts.authorizer.require(
                caller, maximumAge: nil, restarted: restarted ?? (isRevoked ? nil : .latest))
        } catch {
            try await parts.store.removeEmail(email, of: caller.user)
            throw error
        }
    }
}
