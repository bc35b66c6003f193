import GatewayConfiguration
import NIOCore
import NIOSSL

/// The TLS settings of a listener. All its connections share one context, so that sessions are resumed on any worker.
package struct ServerTLS: Sendable {
    let context: NIOSSLContext
    /// The certificates in the order of the configuration.
    package let certificates: [ServerCertificate]
    /// The requirement for client certificates. `nil` if clients need no certificate.
    let clients: ClientDemand?

    /// The requirement for client certificates.
    struct ClientDemand: Sendable, Equatable {
        let authorities: [NIOSSLCertificate]
        let isRequired: Bool
    }

    /// Creates the settings.
    ///
    /// - Parameters:
    ///   - certificates: At least one. The first one is the default.
    ///   - authorities: The accepted issuers of client certificates. Empty if clients need no certificate.
    ///   - servesHTTP2: Whether ALPN offers HTTP/2, before HTTP/1.1.
    /// - Throws: An error of BoringSSL.
    init(
        _ certificates: [ServerCertificate], authorities: [NIOSSLCertificate],
        clients: Configuration.ListenerTLS.ClientCertificates,
        minimumVersion: Configuration.ListenerTLS.MinimumVersion, servesHTTP2: Bool
    ) throws {
        self.certificates = certificates
        self.clients =
            authorities.isEmpty ? nil : ClientDemand(authorities: authorities, isRequired: clients == .required)
        guard var configuration = certificates.first?.configuration else { throw NIOSSLError.failedToLoadCertificate }
        configuration.applicationProtocols = (servesHTTP2 ? ["h2"] : []) + ["http/1.1"]
        configuration.minimumTLSVersion = minimumVersion == .version13 ? .tlsv13 : .tlsv12
        if !authorities.isEmpty {
            configuration.trustRoots = .certificates(authorities)
            // Client certificates have no host name to check. A presented certificate is always verified.
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

/// The selection of a listener's certificate by server name (SNI, RFC 6066 section 3). It has no influence on requests,
/// which are decided by `Host` and route.
struct CertificateNames: Sendable, Hashable {
    private var exact: [String: Int] = [:]
    /// By the name after the `*` of a wildcard, for example `.example.com`.
    private var wildcards: [String: Int] = [:]

    /// Creates the index of the subject alternative names of each certificate. The first certificate with a name is
    /// used.
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

    /// Returns the index of the certificate for a name. `nil` if no certificate matches.
    subscript(_ name: String) -> Int? {
        let name = Self.canonical(name)
        if let index = exact[name] { return index }
        // A wildcard matches exactly one label (RFC 9525 section 6.3).
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return nil }
        return wildcards[String(name[dot...])]
    }

    /// Returns the name in lower case, without a trailing dot.
    private static func canonical(_ name: String) -> String {
        let lower = String(decoding: name.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }
}
