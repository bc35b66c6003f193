import GatewayConfiguration
package import GatewayCore
import Synchronization

/// Tells when a listener's certificate files are to be read anew: once they are others than those that are served, and have been left alone
/// from one look to the next, since a certificate and its key are replaced one after the other.
struct CertificateWatch: Sendable {
    private var seen: [FileFingerprint?] = []
    private var refused: [FileFingerprint?]?

    /// - Parameter served: the fingerprints from before the reading of what is served.
    mutating func shouldRead(_ fingerprints: [FileFingerprint?], served: [FileFingerprint?]) -> Bool {
        defer { seen = fingerprints }
        return fingerprints != served && fingerprints != refused && fingerprints == seen
    }

    /// These files are unfit: they are not read again before they change.
    mutating func refuse(_ fingerprints: [FileFingerprint?]) {
        refused = fingerprints
    }
}

extension Configuration.ListenerTLS {
    /// The files that it is made of, as they are now.
    var fingerprints: [FileFingerprint?] {
        let files = identities.flatMap { [$0.certificate, $0.privateKey] } + (clientCA.map { [$0] } ?? [])
        return files.map(FileFingerprint.init(of:))
    }
}

extension Listener {
    /// What became of a look at the certificates' files.
    package enum Renewal {
        case unchanged
        /// New connections get the new certificates.
        case renewed
        /// The old ones stay.
        case refused([ConfigurationError])
    }

    /// Reads the certificates anew where their files have changed. To be called every ``renewalInterval`` from outside of event loops.
    ///
    /// - Parameter now: seconds since 1970.
    package func renew(now: Int64) -> Renewal {
        let served = settings
        guard let configuration = served.configuration, let tls = configuration.tls else { return .unchanged }
        let fingerprints = tls.fingerprints
        guard watch.withLock({ $0.shouldRead(fingerprints, served: served.fingerprints) }) else { return .unchanged }
        var reader = ListenerSettingsReader(proxies: served.proxies, now: now)
        guard let renewed = reader.read(configuration) else {
            watch.withLock { $0.refuse(fingerprints) }
            return .refused(reader.errors)
        }
        // Unless a reload of the configuration came first.
        return replace(served, with: renewed) ? .renewed : .unchanged
    }

    /// How often files are looked at. What has changed is served after two looks.
    package static let renewalInterval = Duration.seconds(1)
}
