import Authentication
import GatewayCore
import Logging
import RequestPipeline
import Revocation

/// The gateway's accounts: serves the calls under `/.gatehouse/`, off the request path. Shared by the workers.
package final class Accounts: AccountServing {
    private let parts: AccountParts

    package init(_ parts: AccountParts) {
        self.parts = parts
    }

    package func serve(_ call: AccountCall, answer: @escaping @Sendable (AccountReply) -> Void) {
        Task { answer(await reply(to: call)) }
    }

    /// What a call is answered with, whatever happens.
    func reply(to call: AccountCall) async -> AccountReply {
        do {
            return try await serve(call)
        } catch let refusal as Refusal {
            return refused(refusal, call)
        } catch let error as StoreError {
            return refused(Refusal(error), call)
        } catch {
            return refused(Refusal(.internalError, reason: "\(error)"), call)
        }
    }

    private func serve(_ call: AccountCall) async throws -> AccountReply {
        if !call.endpoint.isEvent, call.endpoint != .auth { try parts.count(call.network) }
        switch call.endpoint {
        case .nonce: return try await NonceCall(parts: parts).reply(to: call)
        case .signIn: return try await SignInCall(parts: parts).reply(to: call)
        case .session: return try await SessionCall(parts: parts).reply(to: call)
        case .reauthenticate: return try await ReauthenticateCall(parts: parts).reply(to: call)
        case .link: return try await LinkCall(parts: parts).reply(to: call)
        case .unlink: return try await UnlinkCall(parts: parts).reply(to: call)
        case .signOut: return try await SignOutCall(parts: parts).reply(to: call)
        case .auth: return .json(call.caller.map { $0.principal.variable } ?? Array("null".utf8))
        case .appleEvents, .backchannelLogout:
            guard let events = parts.events else { throw Refusal(.routeNotFound) }
            return await events.serve(call)
        }
    }

    private func refused(_ refusal: Refusal, _ call: AccountCall) -> AccountReply {
        parts.logger.log(
            level: refusal.denial.code.status < 500 ? .info : .warning, "account call refused",
            metadata: [
                "call": "\(call.endpoint.name)", "code": "\(refusal.denial.code.wire)",
                "reason": "\(refusal.reason ?? "")", "request": "\(call.requestID)",
            ])
        return .refused(refusal.denial)
    }
}

extension Refusal {
    fileprivate init(_ error: StoreError) {
        if error.code == .tooManyLinks {
            self.init(.operationNotAllowed, detail: "The account has as many providers as it may; unlink one first.")
        } else {
            self.init(.storeUnavailable, reason: error.description)
        }
    }
}
