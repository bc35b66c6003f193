import Authentication
import GatewayConfiguration
package import GatewayCore
import JOSE
package import Logging
import RequestPipeline
package import Revocation

/// The receiver of security events of the OpenID Shared Signals Framework 1.0. Events become revocations that all
/// gateways see.
///
/// As for ``AccountEvents``, the effects of an event precede its mark, and all effects are idempotent.
package struct SecurityEvents: Sendable {
    private let verifier: SecurityEventVerifier
    private let store: any GatewayStore
    private let clock: GatewayClock
    private let logger: Logger
    private let auditLogger: Logger
    private let counters = SecurityEventCounters()
    private let rates = TokenBucketTable(groups: 8)

    /// Creates the receiver.
    package init(
        _ transmitters: [EventTransmitter], keys: any KeyWaiting, clockSkew: Int64, store: any GatewayStore,
        clock: GatewayClock, logger: Logger, auditLogger: Logger? = nil
    ) {
        verifier = SecurityEventVerifier(
            transmitters: transmitters, keys: keys, clockSkew: clockSkew, now: clock.now)
        self.store = store
        self.clock = clock
        self.logger = logger
        self.auditLogger = auditLogger ?? logger
    }

    /// The maximum lifetime of the mark of an event whose repetition does no harm, in seconds.
    private static let shortMark: Int64 = 3_600

    /// The maximum length of the state of a verification in the log, in characters.
    private static let shownState = 64

    /// The numbers of received events.
    package var counts: [SecurityEventCount] { counters.counts }

    /// Serves a pushed event (RFC 8935).
    package func serve(_ call: AccountCall) async -> AccountReply {
        var transmitter: EventTransmitter?
        do throws(SecurityEventFailure) {
            guard call.contentType.utf8.elementsEqual("application/secevent+jwt".utf8) else {
                throw .rejected(.request("The Content-Type is not application/secevent+jwt."))
            }
            let token = try SecurityEventVerifier.parse(call.body)
            let sender = try verifier.transmitter(of: token)
            transmitter = sender
            try Self.authenticate(sender, call.authorization)
            try await receive(try await verifier.verify(token, of: sender), requestID: call.requestID)
            return .eventStored
        } catch {
            record(error, of: transmitter, requestID: call.requestID)
            return error.reply
        }
    }

    /// Takes a polled event (RFC 8936).
    ///
    /// - Parameter id: The name of the event in the response, which must be its `jti`.
    /// - Returns: `nil` if the event is stored.
    func take(_ text: String, id: String, of transmitter: EventTransmitter) async -> SecurityEventFailure? {
        do throws(SecurityEventFailure) {
            let token = try SecurityEventVerifier.parse(Array(text.utf8))
            guard token.payload.root["jti"]?.equals(id) == true else {
                throw .rejected(.request("jti is not the name of the event in the response."))
            }
            try await receive(try await verifier.verify(token, of: transmitter), requestID: nil)
            return nil
        } catch {
            record(error, of: transmitter, requestID: nil)
            return error
        }
    }

    private static func authenticate(
        _ transmitter: EventTransmitter, _ authorization: [UInt8]?
    ) throws(SecurityEventFailure) {
        guard let expected = transmitter.settings.authorization else { return }
        guard let authorization, expected.matches(authorization) else {
            throw .rejected(
                SecurityEventError(code: .authenticationFailed, description: "Authorization is not the agreed value."))
        }
    }

    /// Counts and logs a failure.
    private func record(_ failure: SecurityEventFailure, of transmitter: EventTransmitter?, requestID: String?) {
        var metadata: Logger.Metadata = [:]
        if let requestID { metadata["request_id"] = "\(requestID)" }
        if let transmitter { metadata["transmitter"] = "\(transmitter.id)" }
        switch failure {
        case .rejected(let error):
            counters.count(transmitter?.id ?? "", nil, .rejected)
            metadata["code"] = "\(error.code.rawValue)"
            metadata["reason"] = "\(error.description)"
            logger.info("event refused", metadata: metadata)
        case .unavailable(let denial):
            counters.count(
                transmitter?.id ?? "", nil, denial.denial.code == .overloaded ? .limited : .failed)
            metadata["code"] = "\(denial.denial.code.wire)"
            metadata["reason"] = "\(denial.reason ?? "")"
            logger.warning("event refused", metadata: metadata)
        case .full:
            counters.count(transmitter?.id ?? "", nil, .full)
            metadata["reason"] = "the subject is unknown, and unknown_users is reached"
            logger.warning("event refused", metadata: metadata)
        }
    }

    /// Applies a verified event, unless it was received before, and marks it as seen.
    private func receive(_ event: SecurityEvent, requestID: String?) async throws(SecurityEventFailure) {
        let transmitter = event.transmitter
        let effect = try SecurityEventEffect(event)
        do throws(StoreError) {
            if try await store.isSeen(event.mark) { return counters.count(transmitter.id, event.type, .repeated) }
        } catch {
            throw .unavailable(AccountDenial(event: error))
        }
        try takeRate(of: transmitter)
        let outcome: SecurityEventOutcome
        do throws(StoreError) {
            outcome = try await effect.make(in: store, now: clock.now())
        } catch {
            throw .unavailable(AccountDenial(event: error))
        }
        if outcome == .full { throw .full }
        do throws(StoreError) {
            let isLong = outcome.result == .applied && effect.action.mustNotRepeat
            let lifetime = isLong ? event.lifetime : min(event.lifetime, Self.shortMark)
            // Another gateway may have applied and logged it meanwhile.
            guard try await store.markSeen(event.mark, lifetime: lifetime) else {
                return counters.count(transmitter.id, event.type, .repeated)
            }
            counters.count(transmitter.id, event.type, outcome.result)
            log(event, effect, outcome, requestID)
        } catch {
            throw .unavailable(AccountDenial(event: error))
        }
    }

    /// Counts a new event. RFC 8935 has no status 429, so that an event beyond the rate is a temporary failure.
    private func takeRate(of transmitter: EventTransmitter) throws(SecurityEventFailure) {
        let rate = transmitter.settings.eventsPerSecond
        let bucket = TokenBucket(requests: rate, every: 1_000_000_000, burst: rate)
        let key = rates.key { $0.combine(transmitter.id) }
        if let wait = rates.take(key, of: bucket, now: clock.monotonic()) {
            throw .unavailable(AccountDenial(Denial(.overloaded, retryAfter: wait), reason: "events_per_second"))
        }
    }

    /// Logs the event without its subject and without an address.
    private func log(
        _ event: SecurityEvent, _ effect: SecurityEventEffect, _ outcome: SecurityEventOutcome, _ requestID: String?
    ) {
        var metadata: Logger.Metadata = [
            "event": "\(event.type.name)", "transmitter": "\(event.transmitter.id)",
        ]
        if let requestID { metadata["request_id"] = "\(requestID)" }
        switch outcome {
        case .applied(let users):
            if users.isEmpty { auditLogger.notice("event applied", metadata: metadata) }
            for user in users {
                metadata.add(user)
                auditLogger.notice("event applied", metadata: metadata)
            }
        case .logged:
            if case .reportStream(let status) = effect.action {
                metadata["status"] = "\(status)"
                return logger.log(
                    level: status == "enabled" ? .notice : .warning, "event stream changed", metadata: metadata)
            }
            if event.type == .known(.verification), let state = event.payload["state"]?.string {
                metadata["state"] = "\(ForeignText.shown(state, atMost: Self.shownState))"
            }
            logger.notice("event received", metadata: metadata)
        case .unresolved(let reason):
            metadata["reason"] = "\(reason)"
            logger.warning("event not applied", metadata: metadata)
        case .discarded: logger.warning("event discarded", metadata: metadata)
        // The response requests a repetition, and is logged.
        case .full: break
        }
    }
}
