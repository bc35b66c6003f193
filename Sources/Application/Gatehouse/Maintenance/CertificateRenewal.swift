import Atomics
import GatewayConfiguration
import GatewayCore
import HTTPServer
import Logging
import Observability

/// The periodic reload of certificates that were replaced on disk.
final class CertificateRenewal: Sendable {
    private let sets: [ListenerSet]
    private let clock: GatewayClock
    private let logger: Logger
    /// Separate from configuration reloads, so that an unreadable configuration does not prevent certificate renewal.
    private let calls = BlockingCalls()
    private let renewals = ManagedAtomic<UInt64>(0)
    private let failures = ManagedAtomic<UInt64>(0)

    init(of sets: [ListenerSet], clock: GatewayClock, logger: Logger) {
        self.sets = sets
        self.clock = clock
        self.logger = logger
    }

    private var listeners: [Listener] { sets.flatMap(\.current) }

    /// Checks the listeners' certificates until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Listener.renewalInterval)
            guard !Task.isCancelled else { return }
            let secure = listeners.filter { $0.settings.configuration?.tls != nil }
            guard !secure.isEmpty else { continue }
            // A blocked file system must not occupy a thread of other tasks.
            try? await calls.run { [self] in
                for listener in secure { record(listener.renew(now: clock.now()), of: listener) }
            }
        }
    }

    private func record(_ renewal: Listener.Renewal, of listener: Listener) {
        switch renewal {
        case .unchanged: break
        case .renewed:
            renewals.wrappingIncrement(ordering: .relaxed)
            logger.notice("certificates renewed", metadata: ["listener": "\(listener.wanted)"])
        case .refused(let errors):
            failures.wrappingIncrement(ordering: .relaxed)
            logger.error(
                "the certificates on disk are invalid; the previous ones stay in use",
                metadata: [
                    "listener": "\(listener.wanted)",
                    "reason": "\(errors.map { "\($0.what); \($0.remedy)" }.joined(separator: "; "))",
                ])
        }
    }

    /// Adds the served certificates by listener and name. Of several with the same name, the one that expires first is
    /// added.
    func read(into readings: inout GatewayReadings) {
        readings.certificateRenewals = renewals.load(ordering: .relaxed)
        readings.certificateFailures = failures.load(ordering: .relaxed)
        readings.certificates = listeners.flatMap { listener in
            var expiries: [String: Int64] = [:]
            for certificate in listener.settings.tls?.certificates ?? [] {
                expiries[certificate.subject] = min(certificate.expiry, expiries[certificate.subject] ?? .max)
            }
            return expiries.sorted { $0.key < $1.key }.map { subject, expiry in
                GatewayReadings.Certificate(listener: "\(listener.wanted)", subject: subject, expiry: expiry)
            }
        }
    }
}
