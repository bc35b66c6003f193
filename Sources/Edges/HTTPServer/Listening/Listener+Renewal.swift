import GatewayConfiguration
package import GatewayCore
import Synchronization

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
        let front = front
        guard let settings = front.settings, let tls = settings.tls else { return .unchanged }
        let marks = tls.marks
        guard watch.withLock({ $0.shouldRead(marks, served: front.marks) }) else { return .unchanged }
        var reader = ListenerFrontReader(proxies: front.proxies, now: now)
        guard let renewed = reader.read(settings) else {
            watch.withLock { $0.refuse(marks) }
            return .refused(reader.errors)
        }
        // Unless a reload of the configuration came first.
        return replace(front, with: renewed) ? .renewed : .unchanged
    }

    /// How often files are looked at. What has changed is served after two looks.
    package static let renewalInterval = Duration.seconds(1)
}
