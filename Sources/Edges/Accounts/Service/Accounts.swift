import Authentication
import GatewayCore
import Logging
import RequestPipeline
import Revocation

/// The accounts of the gateway. It serves the endpoints under `/.gatehouse/`, off the request path, and is shared by
/// the workers.
package final class Accounts: AccountServing {
    private let parts: AccountParts

    package init(_ parts: AccountParts) {
        self.parts = parts
    }

    package func serve(_ call: AccountCall, completion: @escaping @Sendable (AccountReply) -> Void) {
        Task { completion(await reply(to: call)) }
    }

    /// Returns the response to a call, including after errors.
    func reply(to call: AccountCall) async -> AccountReply {
        do {
            return try await serve(call)
        } catch {
            return refused(AccountDenial(of: error), call)
        }
    }

    private func serve(_ call: AccountCall) async throws -> AccountReply {
        // Before the rate limit, so that pages of other sites cannot exhaust it for their visitors.
        try call.checkNavigation()
        if !call.endpoint.isEvent, call.endpoint != .auth { try parts.count(call.network) }
        switch call.endpoint {
        case .nonce: return try await NonceCall(parts: parts).reply(to: call)
        case .signIn: return try await SignInCall(parts: parts).reply(to: call)
        case .session: return try await SessionCall(parts: parts).reply(to: call)
        case .reauthenticate: return try await ReauthenticateCall(parts: parts).reply(to: call)
        case .link: return try await LinkCall(parts: parts).reply(to: call)
        case .unlink: return try await UnlinkCall(parts: parts).reply(to: call)
        case .signOut: return try await SignOutCall(parts: parts).reply(to: call)
        case .account: return try await ProfileCall(parts: parts).reply(to: call)
        case .changeEmail: return try await EmailCall(parts: parts).reply(to: call)
        case .deleteAccount: return try await DeleteCall(parts: parts).reply(to: call)
        case .exportAccount: return try await ExportCall(parts: parts).reply(to: call)
        case .sessions: return try await SessionListCall(parts: parts).reply(to: call)
        case .revokeSession: return try await RevokeSessionCall(parts: parts).reply(to: call)
        case .auth: return .json(call.caller.map(\.variable) ?? Array("null".utf8))
        case .appleEvents, .backchannelLogout:
            guard let events = parts.events else { throw AccountDenial(.routeNotFound) }
            return await events.serve(call)
        case .securityEvents:
            guard let events = parts.securityEvents else { throw AccountDenial(.routeNotFound) }
            return await events.serve(call)
        case .facebookDeauthorization, .facebookDeletion, .gitHubEvents:
            guard let callbacks = parts.callbacks else { throw AccountDenial(.routeNotFound) }
            return await callbacks.serve(call)
        case .startSignIn, .startLink, .startReauthenticate, .callback, .result, .page:
            return try await flow(call)
        }
    }

    private func flow(_ call: AccountCall) async throws -> AccountReply {
        guard let flows = parts.flows else { throw AccountDenial(.routeNotFound) }
        switch call.endpoint {
        case .callback: return try await FlowCallback(parts: parts, flows: flows).reply(to: call)
        case .result: return try await ResultCall(parts: parts).reply(to: call)
        case .page: return try await PageCall(parts: parts, flows: flows).reply(to: call)
        default: return try await FlowStart(parts: parts, flows: flows).reply(to: call)
        }
    }

    private func refused(_ refusal: AccountDenial, _ call: AccountCall) -> AccountReply {
        parts.logger.log(
            level: refusal.denial.code.status < 500 ? .info : .warning, "account call refused",
            metadata: [
                "call": "\(call.endpoint.name)", "code": "\(refusal.denial.code.wire)",
                "reason": "\(refusal.reason ?? "")", "request_id": "\(call.requestID)",
            ])
        return .refused(refusal.denial, cookie: refusal.cookie)
    }
}

extension AccountDenial {
    /// Creates the denial of a call that an error ended.
    init(of error: any Error) {
        switch error {
        case let denial as AccountDenial: self = denial
        case let error as StoreError: self.init(error)
        default: self.init(.internalError, reason: "\(error)")
        }
    }

    init(_ error: StoreError) {
        if error.code == .tooManyLinks {
            self.init(
                .operationNotAllowed, detail: "The account has reached the limit of linked providers. Unlink one first."
            )
        } else {
            self.init(.storeUnavailable, reason: error.description)
        }
    }
}

/// The audit log of changes of accounts. It contains no address and no subject.
struct AuditLog: Sendable {
    enum Event: String, Sendable {
        case link
        case unlink
        /// An identity was linked to an account with the same verified address.
        case merge
        /// Like `merge`, but the account's address was unverified. Its previous users were removed.
        case takeover
        /// An identity was linked to the Firebase user who has it.
        case resolve
        /// An identity was unlinked, because Firebase does not list it any more.
        case evict
        /// The user changed the display name or the picture.
        case profile
        /// The user changed the e-mail address.
        case email
        /// The account was deleted.
        case delete
    }

    private let logger: Logger
    private let requestID: String

    init(logger: Logger, requestID: String) {
        self.logger = logger
        self.requestID = requestID
    }

    func record(_ event: Event, of user: UserKey, provider: String, consent: Bool = false) {
        record(event, of: user, ["provider": "\(provider)", "consent": "\(consent)"])
    }

    func recordProfile(of user: UserKey) { record(.profile, of: user, [:]) }

    func recordEmail(of user: UserKey) { record(.email, of: user, [:]) }

    func recordDeletion(of user: UserKey) { record(.delete, of: user, [:]) }

    private func record(_ event: Event, of user: UserKey, _ more: Logger.Metadata) {
        var metadata = more
        metadata["event"] = "\(event.rawValue)"
        metadata["request_id"] = "\(requestID)"
        metadata.add(user)
        logger.notice("account", metadata: metadata)
    }
}

extension Logger.Metadata {
    /// Adds `uid`, and `project` and `tenant` if they are part of the user key.
    mutating func add(_ user: UserKey) {
        self["uid"] = "\(user.uid)"
        if let project = user.project { self["project"] = "\(project)" }
        if let tenant = user.tenant { self["tenant"] = "\(tenant)" }
    }
}
