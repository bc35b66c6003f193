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

/// Which of a listener's certificates a client asks for by the name it connects to (SNI, RFC 6066 section 3). It says which certificate is
/// shown, and nothing else: what a request may do follows from its `Host` and route.
struct CertificateNames: Sendable, Hashable {
    private var exact: [String: Int] = [:]
    /// By what follows the `*` of a wildcard, as in `.example.com`.
    private var wildcards: [String: Int] = [:]

    /// - Parameter names: those of each certificate, as its subject alternative names spell them. Of equal ones the first counts.
    init(_ names: [[String]]) {
        for (index, names) in names.enumerated() {
            for name in names.map(Self.canonical) {
                if name.hasPrefix("*.") {
                    let parent = String(name.dropFirst())
                    wildcards[parent] = wildcards[parent] ?? index
                } else {
                    exact[name] = exact[name] ?? index
                }
            }
        }
    }

    /// The certificate for a name; nil for one that no certificate has.
    subscript(_ name: String) -> Int? {
        let name = Self.canonical(name)
        if let index = exact[name] { return index }
        // A wildcard stands for one whole label (RFC 9525 section 6.3).
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return nil }
        return wildcards[String(name[dot...])]
    }

    /// In lower case, without the root's dot.
    private static func canonical(_ name: String) -> String {
        let lower = String(decoding: name.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }
}
