import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import Logging
import RequestPipeline
import Revocation

/// `GET` and `POST callback/PROVIDER`: the end of a flow.
///
/// Each step may end the flow, and nothing is granted before the last one. The order: the form of the request; the
/// record of this browser; the context; the issuer; an error of the provider; the code at the recorded endpoint; the
/// proof; the session that started the flow; the grant. The flow of an app ends with a code after the proof.
struct FlowCallback {
    let parts: AccountParts
    let flows: CodeFlows

    /// The lifetime of a posted form until the browser continues, in seconds.
    private static let formLifetime: Int64 = 60

    func reply(to call: AccountCall) async throws -> AccountReply {
        let provider = try flows.provider(call.browser.provider)
        if call.browser.isPost { return try await park(provider, call) }
        var call = call
        if let page = onward(&call, provider) { return .onward(page) }
        let response = try await response(provider, call)
        let redemption = FlowRedemption(
            parts: parts, flows: flows, provider: provider, redirectURI: flows.redirectURI(of: provider))
        let taken = try await redemption.record(
            response, of: call.browser.allBindings, as: .state, requestID: call.requestID)
        guard let (record, binding) = taken else { return try await unknownState(provider, call) }
        guard let target = target(of: record) else {
            throw AccountDenial(.internalError, reason: "a recorded target is not permitted any more")
        }
        do {
            let user = try await redemption.user(response, record, for: call.network)
            if let challenge = record.challenge {
                let grant = AppGrant(user, name: response.name, of: record)
                let code = try await AppCodes(parts: parts).issue(grant, to: challenge, requestID: call.requestID)
                return .redirect(to: target.adding([("code", code)]).location, cookies: [])
            }
            let cookie = try await outcome(user, response, record, call)
            return .redirect(to: target.location, cookies: cookie.map { [.session($0)] } ?? [])
        } catch {
            let failed = FlowOutcome(parts: parts, provider: provider, requestID: call.requestID)
            return try await failed.reply(to: error, target, binding)
        }
    }

    // MARK: - The request

    /// Returns a page that leads the browser here again, if it withholds a session cookie with `SameSite=Strict`,
    /// because another site led it here. Otherwise a browser would withhold a new cookie from the last page too. `nil`
    /// for the second request, whose mark it removes.
    private func onward(_ call: inout AccountCall, _ provider: FlowProvider) -> [UInt8]? {
        guard parts.settings.sessionSameSite == .strict else { return nil }
        let mark = Array(FlowPage.onwardMark.utf8)
        guard !call.browser.query.suffix(mark.count).elementsEqual(mark) else {
            call.browser.query.removeLast(mark.count)
            return nil
        }
        guard call.browser.fetchSite?.utf8.elementsEqual("cross-site".utf8) == true else { return nil }
        return FlowPage.onward(provider.id, query: call.browser.query)
    }

    /// Stores a posted form and lets the browser continue with GET. A browser sends no `SameSite=Lax` cookie with a
    /// POST from another site, so that neither the binding nor the session is known yet.
    private func park(_ provider: FlowProvider, _ call: AccountCall) async throws -> AccountReply {
        guard provider.postsForm, call.browser.query.isEmpty,
            call.contentType.utf8.elementsEqual("application/x-www-form-urlencoded".utf8)
        else { throw AccountDenial.malformed("This provider's response is a GET request.") }
        try checkOrigin(provider, call.browser.origin)
        let fields = try FlowFields(call.body)
        var form = try FlowResponse(fields)
        form.name = fields["user"].flatMap(DisplayName.inForm)
        // Only what can be a response is stored, because any client may send it.
        guard form.state.map(RandomText.isNonce) == true, form.hasBounds else {
            return .page(FlowPage.startAgain(provider.id))
        }
        try flows.formBudget.take(call.network, now: parts.clock.monotonic())
        let handle = BrowserBinding()
        let shelf = try parts.shelf(for: call.requestID)
        try await shelf.put(form.text, as: .form, named: "form", of: handle, lifetime: Self.formLifetime)
        return .redirect(to: "\(flows.redirectURI(of: provider))?h=\(handle.value)", cookies: [])
    }

    /// Checks the origin of a posted form. Pages with `Referrer-Policy: no-referrer` send `null`.
    private func checkOrigin(_ provider: FlowProvider, _ origin: String?) throws(AccountDenial) {
        guard let origin, !origin.utf8.elementsEqual("null".utf8) else { return }
        guard case .urls(let authorization, _) = provider.endpoints,
            authorization.utf8.starts(with: origin.utf8), authorization.utf8.dropFirst(origin.utf8.count).first == 0x2F
        else { throw AccountDenial(.crossSite, reason: "the form is from another origin") }
    }

    /// Returns the provider's response: the query, or the form that was stored.
    private func response(_ provider: FlowProvider, _ call: AccountCall) async throws -> FlowResponse {
        let fields = try FlowFields(call.browser.query)
        guard provider.postsForm else { return try FlowResponse(fields) }
        guard fields.names == ["h"], let handle = fields["h"].flatMap({ BrowserBinding($0) }) else {
            throw AccountDenial.malformed("This provider's response is a POST request.")
        }
        let shelf = try parts.shelf(for: call.requestID)
        let text = try await shelf.take(.form, named: "form", of: [handle])?.value
        return text.flatMap(FlowResponse.init(text:)) ?? FlowResponse()
    }

    // MARK: - The record

    /// Replies to a response without a record: a second tab, a reload or the back button after the flow has ended, a
    /// flow that took too long, or a response that belongs to another browser.
    private func unknownState(_ provider: FlowProvider, _ call: AccountCall) async throws -> AccountReply {
        if let caller = try? parts.session(of: call),
            (try? await parts.authorizer.require(caller, isRecent: false)) != nil
        {
            return .redirect(to: flows.targets.fallback.location, cookies: [])
        }
        parts.logger.info(
            "sign-in flow refused",
            metadata: [
                "provider": "\(provider.id)", "reason": "no open flow of this browser",
                "request_id": "\(call.requestID)",
            ])
        return .page(FlowPage.startAgain(provider.id))
    }

    /// Returns the page or app to which a flow returns. `nil` if it is not permitted any more.
    private func target(of record: FlowRecord) -> ReturnTarget? {
        record.challenge == nil ? flows.targets.resolve(record.returnTo) : flows.targets.app(record.returnTo)
    }

    // MARK: - The outcome

    /// Completes the flow of a page. Returns the session cookie, if it changes.
    private func outcome(
        _ user: ProvenUser, _ response: FlowResponse, _ record: FlowRecord, _ call: AccountCall
    ) async throws -> SessionCookie? {
        switch record.purpose {
        case .signIn:
            let signIn = SignIn(parts: parts, keys: try parts.keys, audit: parts.auditLog(call))
            let (found, cookie) = try await signIn.start(
                user, name: response.name, lifetime: parts.settings.defaultLifetime, call)
            await parts.keepToken(of: user, for: found.account.user, call)
            return cookie
        case .link: return try await link(user, record, call)
        case .reauthenticate: return try await reauthenticate(user, record, call)
        }
    }

    private func link(_ user: ProvenUser, _ record: FlowRecord, _ call: AccountCall) async throws -> SessionCookie? {
        let caller = try await starter(of: record, isRecent: true, call)
        let linking = try Linking(
            parts, caller, try await parts.account(caller.user), consents: record.consents, call)
        try linking.checkConsent(user)
        let cookie = try await linking.link(user).cookie
        await parts.keepToken(of: user, for: caller.user, call)
        return cookie
    }

    private func reauthenticate(
        _ user: ProvenUser, _ record: FlowRecord, _ call: AccountCall
    ) async throws -> SessionCookie? {
        let caller = try await starter(of: record, isRecent: false, call)
        try await Reauthentication.check(user, belongsTo: caller, parts, parts.auditLog(call))
        let reauthentication = Reauthentication(parts: parts, caller: caller, session: record.session ?? "")
        let cookie = try await reauthentication.record(user.signIn, of: user, call).1
        await parts.keepToken(of: user, for: caller.user, call)
        return cookie
    }

    /// Returns the user who started the flow, whose session must be the one of this request and still be valid.
    private func starter(
        of record: FlowRecord, isRecent: Bool, _ call: AccountCall
    ) async throws -> Principal {
        let caller = try parts.session(of: call) { caller in
            guard caller.user == record.user, let session = caller.session, let expected = record.session else {
                return false
            }
            // Another tab may have given the session another name, but not another start.
            return session.isExactly(expected) || record.sessionStart != nil && caller.startedAt == record.sessionStart
        }
        guard let caller else { throw FlowError.sessionChanged }
        try await parts.authorizer.require(caller, isRecent: isRecent)
        return caller
    }
}

extension AccountParts {
    /// Keeps the token of a user that a flow proved for its revocation, in place of an earlier one. A failure does not
    /// end the call.
    func keepToken(of user: ProvenUser, for owner: UserKey, _ call: AccountCall) async {
        guard let token = user.token, let sealing = flows?.tokens else { return }
        var reason = "it could not be sealed"
        if let sealed = sealing.seal(token, of: user.link) {
            do throws(StoreError) {
                return try await store.keepToken(sealed, of: user.link, for: owner)
            } catch {
                reason = "\(error)"
            }
        }
        logger.warning(
            "a token was not kept for its revocation",
            metadata: [
                "provider": "\(user.link.provider)", "reason": "\(reason)", "request_id": "\(call.requestID)",
            ])
    }
}
