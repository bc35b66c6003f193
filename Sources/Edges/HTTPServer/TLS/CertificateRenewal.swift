import GatewayConfiguration
package import GatewayCore
import Synchronization

/// The detection of changed certificate files. Files are read again after they differ from the served ones and stay
/// unchanged between two checks. The reason is that a certificate and its key are replaced one after the other.
struct CertificateWatch: Sendable {
    private var seen: [FileFingerprint?] = []
    private var refused: [FileFingerprint?]?

    /// Returns whether to read the files. The fingerprints in `served` were taken before the served files were read.
    mutating func shouldRead(_ fingerprints: [FileFingerprint?], served: [FileFingerprint?]) -> Bool {
        defer { seen = fingerprints }
        return fingerprints != served && fingerprints != refused && fingerprints == seen
    }

    /// Records invalid files, which are not read again before they change.
    mutating func refuse(_ fingerprints: [FileFingerprint?]) {
        refused = fingerprints
    }
}

extension Configuration.ListenerTLS {
    /// The current fingerprints of all files.
    var fingerprints: [FileFingerprint?] {
        let files = identities.flatMap { [$0.certificate, $0.privateKey] } + (clientCA.map { [$0] } ?? [])
        return files.map(FileFingerprint.init(of:))
    }
}

extension Listener {
    /// The result of checking the certificate files.
    package enum Renewal {
        case unchanged
        /// New connections use the new certificates.
        case renewed
        /// The old certificates stay.
        case refused([ConfigurationError])
    }

    /// Reloads the certificates if their files have changed. Call it every ``renewalInterval``, outside of event loops.
    ///
    /// - Parameter now: Seconds since 1970.
    package func renew(now: Int64) -> Renewal {
        let served = settings
        guard let configuration = served.configuration, let tls = configuration.tls else { return .unchanged }
        let fingerprints = tls.fingerprints
        guard watch.withLock({ $0.shouldRead(fingerprints, served: served.fingerprints) }) else { return .unchanged }
        var reader = ListenerSettingsReader(proxies: served.proxies, now: now)
        guard let renewed = reader.read(configuration, admitting: served.admission) else {
            watch.withLock { $0.refuse(fingerprints) }
            return .refused(reader.errors)
        }
        // A concurrent reload of the configuration takes precedence.
        return replace(served, with: renewed) ? .renewed : .unchanged
    }

    /// The interval between checks. A change is served after two checks.
    package static let renewalInterval = Duration.seconds(1)
}
