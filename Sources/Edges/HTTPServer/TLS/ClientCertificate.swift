package import GatewayCore
import NIOCore
import NIOSSL

/// The certificate of a client, which the handshake verified.
package struct ClientCertificate {
    /// The DNS names and URIs of its subject alternative names.
    package let names: [CertificateName]

    /// Reads the certificate of the current request's connection. `nil` without one, or outside of its validity.
    ///
    /// - Parameter now: Seconds since 1970.
    package init?(of client: ClientHandler, at now: Int64) {
        // The channel of a stream of HTTP/2 has its connection as parent.
        let channel = client.isHTTP2 ? client.context?.channel.parent : client.context?.channel
        guard let certificate = try? channel?.pipeline.syncOperations.nioSSL_peerCertificate() else { return nil }
        self.init(certificate, at: now)
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
