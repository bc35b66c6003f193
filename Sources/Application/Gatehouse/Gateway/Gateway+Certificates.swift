import Atomics
import GatewayConfiguration
import GatewayCore
import HTTPServer
import Logging
import Observability
import Synchronization

/// How often certificates were read anew while the gateway runs.
final class CertificateCounters: Sendable {
    let renewals = ManagedAtomic<UInt64>(0)
    let failures = ManagedAtomic<UInt64>(0)
}

extension Gateway {
    /// Looks at the listeners' certificates for as long as the gateway runs.
    func keepCertificates() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Listener.renewalInterval)
            guard !Task.isCancelled else { return }
            let secure = listeners.withLock { $0 }.filter { $0.front.settings?.tls != nil }
            guard !secure.isEmpty else { continue }
            // A file system that hangs holds no thread of other tasks.
            try? await renewalCalls.run { [self] in
                for listener in secure { note(listener.renew(now: clock.now()), listener) }
            }
        }
    }

    private func note(_ renewal: Listener.Renewal, _ listener: Listener) {
        switch renewal {
        case .unchanged: break
        case .renewed:
            certificates.renewals.wrappingIncrement(ordering: .relaxed)
            logger.notice("certificates renewed", metadata: ["listener": "\(listener.wanted)"])
        case .refused(let errors):
            certificates.failures.wrappingIncrement(ordering: .relaxed)
            logger.error(
                "the certificates on disk are unfit; the old ones are served on",
                metadata: [
                    "listener": "\(listener.wanted)",
                    "reason": "\(errors.map { "\($0.what); \($0.remedy)" }.joined(separator: "; "))",
                ])
        }
    }

    /// The certificates that are served, by listener and name: of several with one name, the one that ends first.
    var certificateReadings: [GatewayReadings.Certificate] {
        listeners.withLock { $0 }.flatMap { listener in
            var expiries: [String: Int64] = [:]
            for certificate in listener.front.tls?.certificates ?? [] {
                expiries[certificate.subject] = min(certificate.expiry, expiries[certificate.subject] ?? .max)
            }
            return expiries.sorted { $0.key < $1.key }.map { subject, expiry in
                GatewayReadings.Certificate(listener: "\(listener.wanted)", subject: subject, expiry: expiry)
            }
        }
    }
}
