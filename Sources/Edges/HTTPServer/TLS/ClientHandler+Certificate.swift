package import GatewayCore
import NIOCore
import NIOSSL

extension ClientHandler {
    /// Returns the names in the certificate of the client, which the handshake verified. Empty without one, and outside
    /// of its validity, which a connection and a resumed session can outlast.
    ///
    /// - Parameter now: Seconds since 1970.
    package func certificateNames(at now: Int64) -> [CertificateName] {
        // The channel of a stream of HTTP/2 has its connection as parent.
        let channel = isHTTP2 ? context?.channel.parent : context?.channel
        guard let certificate = try? channel?.pipeline.syncOperations.nioSSL_peerCertificate(),
            Int64(certificate.notValidBefore) <= now, now <= Int64(certificate.notValidAfter)
        else { return [] }
        return certificate._subjectAlternativeNames().compactMap { name in
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
