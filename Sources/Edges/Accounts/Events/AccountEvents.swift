import Authentication
import GatewayConfiguration
package import GatewayCore
import JOSE
package import Logging
import RequestPipeline
package import Revocation
import TextCoding

/// The endpoints for events from providers: Apple's notifications and OpenID Connect logout tokens. Events become
/// revocations that all gateways see.
///
/// The effects of an event precede its mark. All effects are idempotent, so that a failed write loses nothing: the
/// sender retries and the remaining effects follow. Setting the mark first would lose the event if the gateway stopped
/// in between. A marked event has no further effect. An event expires before its mark, so that it cannot be replayed.
/// Two gateways that receive the same event concurrently may both apply the same effects.
package struct AccountEvents: Sendable {
    private let verifier: EventVerifier
    private let store: any GatewayStore
    private let now: @Sendable () -> Int64
    private let logger: Logger
    private let auditLogger: Logger

    /// Creates the endpoints.
    ///
    /// - Parameter clock: The source of seconds since 1970.
    package init(
        verifier: EventVerifier, store: any GatewayStore, clock: GatewayClock, logger: Logger,
        auditLogger: Logger? = nil
    ) {
        self.verifier = verifier
        self.store = store
        now = clock.now
        self.logger = logger
        self.auditLogger = auditLogger ?? logger
    }

    package func serve(_ call: AccountCall) async -> AccountReply {
        do throws(AccountDenial) {
            switch call.endpoint {
            case .appleEvents: try await takeNotification(call)
            case .backchannelLogout: try await takeLogout(call)
            default: throw AccountDenial(.routeNotFound)
            }
            return .accepted
        } catch {
            logger.log(
                level: error.denial.code.status < 500 ? .info : .warning, "event refused",
                metadata: [
                    "code": "\(error.denial.code.wire)", "reason": "\(error.reason ?? "")",
                    "request_id": "\(call.requestID)",
                ])
            return .refused(error.denial)
        }
    }

    private func takeNotification(_ call: AccountCall) async throws(AccountDenial) {
        let payload = try AppleNotification.payload(of: call)
        let event = try await verifier.verify(payload, as: .appleNotification, of: .apple)
        let notification = try AppleNotification(event, now: now())
        try await apply(event, notification.name, notification.effect, call)
    }

    private func takeLogout(_ call: AccountCall) async throws(AccountDenial) {
        guard call.contentType.utf8.elementsEqual("application/x-www-form-urlencoded".utf8) else {
            throw .malformed("Send the logout token with Content-Type: application/x-www-form-urlencoded.")
        }
        guard let token = FormEncoding.value(of: "logout_token", in: call.body) else {
            throw .malformed("Send one field \"logout_token\".")
        }
        let event = try await verifier.verify(token, as: .logoutToken)
        try await apply(event, LogoutToken.name, try LogoutToken.effect(of: event, now: now()), call)
    }

    /// Applies the effect of a new event, then marks it as seen.
    private func apply(
        _ event: VerifiedEvent, _ name: String, _ effect: EventEffect?, _ call: AccountCall
    ) async throws(AccountDenial) {
        do throws(StoreError) {
            guard try await !store.isSeen(event.mark) else { return }
            let owner = try await effect?.make(in: store)
            // Another gateway may have applied and logged it meanwhile.
            guard try await store.markSeen(event.mark, lifetime: event.lifetime) else { return }
            log(event, name, owner: owner, call)
        } catch {
            throw AccountDenial(event: error)
        }
    }

    /// Logs the event without the provider's subject and without an address.
    private func log(_ event: VerifiedEvent, _ name: String, owner: UserKey?, _ call: AccountCall) {
        var metadata: Logger.Metadata = [
            "event": "\(name)", "provider": "\(event.signed.verifier.id)", "request_id": "\(call.requestID)",
        ]
        if let owner { metadata.add(owner) }
        auditLogger.notice("event applied", metadata: metadata)
    }
}
