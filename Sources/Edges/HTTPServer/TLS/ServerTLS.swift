import GatewayConfiguration
import NIOCore
import NIOSSL

/// What a listener speaks TLS with: one context for all its connections, so that sessions are resumed on any worker.
package struct ServerTLS: Sendable {
    let context: NIOSSLContext
    /// In the order of the configuration.
    package let certificates: [ServerCertificate]
    /// What is asked of clients; nil: nothing.
    let clients: ClientDemand?

    /// Which certificates clients have to show.
    struct ClientDemand: Sendable, Equatable {
        let authorities: [NIOSSLCertificate]
        let isRequired: Bool
    }

    /// - Parameters:
    ///   - certificates: at least one; the first where a client names none of the others.
    ///   - authorities: whose clients' certificates count; empty: clients are not asked for one.
    /// - Throws: what BoringSSL has against it.
    init(
        _ certificates: [ServerCertificate], authorities: [NIOSSLCertificate],
        clients: Configuration.ListenerTLS.ClientCertificates,
        minimumVersion: Configuration.ListenerTLS.MinimumVersion
    ) throws {
        self.certificates = certificates
        self.clients =
            authorities.isEmpty ? nil : ClientDemand(authorities: authorities, isRequired: clients == .required)
        guard var configuration = certificates.first?.configuration else { throw NIOSSLError.failedToLoadCertificate }
        configuration.minimumTLSVersion = minimumVersion == .version13 ? .tlsv13 : .tlsv12
        if !authorities.isEmpty {
            configuration.trustRoots = .certificates(authorities)
            // Clients have no host name to look at. A certificate that is shown is verified either way.
            configuration.certificateVerification =
                clients == .required ? .noHostnameVerification : .optionalVerification
            configuration.sendCANameList = true
        }
        if certificates.count > 1 { configuration.sslContextCallback = Self.choosing(among: certificates) }
        context = try NIOSSLContext(configuration: configuration)
    }

    private static func choosing(among certificates: [ServerCertificate]) -> NIOSSLContextCallback {
        let names = CertificateNames(certificates.map(\.names))
        let overrides = certificates.map(\.override)
        return { hello, promise in
            let index = hello.serverHostname.flatMap { names[$0] } ?? 0
            promise.succeed(index == 0 ? .noChanges : overrides[index])
        }
    }
}
