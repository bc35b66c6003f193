import GatewayConfiguration
package import GatewayCore
import NIOCore
import NIOSSL

/// The certificate of a client, which the handshake verified.
package struct ClientCertificate {
    /// The DNS names and URIs of its subject alternative names.
    package let names: [CertificateName]

    /// The reason why a verified certificate does not count.
    package enum Rejection: Error {
        case expired
        /// A reload removed the listener or changed the authorities after the handshake.
        case removedAuthority

        package var reason: String {
            switch self {
            case .expired: "the certificate is outside of its validity"
            case .removedAuthority: "the connection was accepted under another address or client_ca"
            }
        }
    }

    /// Reads the certificate of the current request's connection. `nil` without one.
    ///
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - settings: The settings of the listener in the configuration that decides about the request.
    package init?(of client: ClientHandler, at now: Int64, under settings: ListenerSettings?) throws(Rejection) {
        // The channel of a stream of HTTP/2 has its connection as parent.
        let channel = client.isHTTP2 ? client.context?.channel.parent : client.context?.channel
        guard let certificate = try? channel?.pipeline.syncOperations.nioSSL_peerCertificate() else { return nil }
        guard client.acceptsCertificate(under: settings) else { throw .removedAuthority }
        guard let read = Self(certificate, at: now) else { throw .expired }
        self = read
    }

    /// Reads a certificate. `nil` outside of its validity, which a connection and a resumed session can outlast.
    init?(_ certificate: NIOSSLCertificate, at now: Int64) {
        guard Int64(certificate.notValidBefore) <= now, now <= Int64(certificate.notValidAfter) else { return nil }
        names = certificate._subjectAlternativeNames().compactMap { name in
            let kind: CertificateName.Kind
            switch name.nameType {
            case .dnsName: kind = .dns
            case .uri: kind = .uri
            default: return nil
            }
            return name.contents.withUnsafeBufferPointer { CertificateName(kind, $0) }
        }
    }
}

extension ClientHandler {
    /// Returns whether the certificate of the connection still counts. The handshake verified it for the address and
    /// the authorities of that time, which a reload can change while the connection is open.
    ///
    /// The listener has newer authorities than the configuration after their file has changed. It receives the
    /// authorities of a new configuration after the workers.
    func acceptsCertificate(under settings: ListenerSettings?) -> Bool {
        guard let accepted, let listener, !listener.isRetired else { return false }
        let (then, now) = (accepted.configuration, settings?.configuration)
        return accepted.hasAuthorities(of: listener.settings) && then?.address == now?.address
            && then?.tls?.clientCA == now?.tls?.clientCA
    }
}
