import Authentication
import GatewayCore
import JOSE
import Revocation
import TextCoding

/// `GET /.gatehouse/`: the sign-in page, which shows who is signed in.
///
/// It changes nothing. The session cookie is examined here and not by the pipeline, because a page for signing in must
/// also be shown with an expired or revoked session.
struct PageCall {
    let parts: AccountParts
    let flows: CodeFlows

    /// The permitted values of `max_age`, in seconds. A shorter one could pass before the browser has returned.
    private static let maximumAges: ClosedRange<Int64> = 30...31_536_000

    func reply(to call: AccountCall) async throws -> AccountReply {
        let fields = try FlowFields(call.browser.query)
        var content = SignInPage.Content()
        content.languages = call.browser.acceptLanguage
        content.error = error(in: fields, call)
        let maximumAge = try maximumAge(of: fields)
        if let text = fields["return_to"] {
            let target = try flows.targets.requested(text)
            content.target = target.location
            content.address = try address(for: target, maximumAge: maximumAge)
        }
        guard let caller = try await caller(of: call) else { return .signInPage(content) }
        content.needsSignIn = try await !isRecent(caller, maximumAge: maximumAge)
        if let target = content.target, content.error == nil, !content.needsSignIn {
            return .redirect(to: target, cookies: [])
        }
        // After the session was checked, so that the cookie of an ended one does not use up the calls of the account.
        try parts.count(caller.user)
        content.account = try await account(of: caller)
        return .signInPage(content)
    }

    /// Returns the error with which a flow of this browser ended. `nil` for an error that anybody may have written.
    private func error(in fields: FlowFields, _ call: AccountCall) -> String? {
        guard let error = fields["error"], let mark = fields[ErrorMark.parameter], let keys = parts.authority.keys,
            ErrorMark.isValid(mark, of: error, for: call.browser.allBindings, keys: keys, now: parts.clock.now())
        else { return nil }
        return error
    }

    /// Returns the maximum age of the sign-in with which the user continues, in seconds. `nil` for any age.
    private func maximumAge(of fields: FlowFields) throws(AccountDenial) -> Int64? {
        guard let text = fields["max_age"] else { return nil }
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let age = Int64(text), Self.maximumAges.contains(age) else {
            throw .malformed("Send max_age as seconds from 30 to 31536000.")
        }
        return age
    }

    private func isRecent(_ caller: Principal, maximumAge: Int64?) async throws -> Bool {
        guard let maximumAge else { return true }
        do {
            try await parts.authorizer.require(caller, maximumAge: maximumAge)
            return true
        } catch let denial as AccountDenial where denial.denial.code == .requiresRecentLogin {
            return false
        }
    }

    /// Returns the address of the page that leads to a target after a sign-in.
    private func address(for target: ReturnTarget, maximumAge: Int64?) throws(AccountDenial) -> String {
        var address = Array("\(SignInPage.path)?".utf8)
        if let maximumAge {
            FormEncoding.append("max_age", "\(maximumAge)".utf8, to: &address)
            address.append(UInt8(ascii: "&"))
        }
        FormEncoding.append("return_to", target.location.utf8, to: &address)
        let text = String(decoding: address, as: UTF8.self)
        _ = try flows.targets.requested(text)
        return text
    }

    /// Returns the user of the session cookie. `nil` if there is none, if its session is not valid any more, or if two
    /// cookies differ, because the calls of the page would be denied.
    private func caller(of call: AccountCall) async throws -> Principal? {
        guard let session = call.browser.sessions.first, call.browser.sessions.allSatisfy({ $0 == session }),
            let caller = try parts.session(of: call)
        else { return nil }
        do {
            try await parts.authorizer.require(caller, isRecent: false)
            return caller
        } catch let denial as AccountDenial where denial.denial.code.status < 500 {
            return nil
        }
    }

    private func account(of caller: Principal) async throws -> SignInPage.Account {
        let account = try await parts.account(caller.user)
        let providers = account.links.keys.sorted()
        let candidates = [caller.origin?.link?.provider].compactMap(\.self) + providers
        let isOurs = account.created != nil
        return SignInPage.Account(
            uid: caller.uid, name: account.name ?? (isOurs ? nil : caller.claims.root["name"]?.string),
            email: account.email ?? (isOurs ? nil : caller.claims.root["email"]?.string), providers: providers,
            reauthenticatesAt: candidates.first { candidate in
                providers.contains(candidate) && flows.providers.contains { $0.id == candidate }
            },
            isDeletable: isOurs, sessions: try await sessions(of: caller))
    }

    /// Returns the session of the caller, and the others by their latest use.
    private func sessions(of caller: Principal) async throws -> [SignInPage.Session] {
        let current = try SessionCatalog.currentID(of: caller)
        let sessions = try await SessionCatalog(parts: parts).sessions(of: caller.user).map { session in
            let facts = SessionFacts(session.facts)
            return SignInPage.Session(
                id: session.id, provider: facts?.link?.provider, userAgent: facts?.userAgent,
                lastUsedAt: session.lastUsed, isCurrent: session.id == current)
        }
        return sessions.filter(\.isCurrent) + sessions.filter { !$0.isCurrent }
    }
}
