import GatewayCore
import NIOCore
import NIOSSL

/// A listener's certificate and key, as read from files.
package struct ServerCertificate: Sendable {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
    /// The DNS names of the leaf, for SNI.
    let names: [String]
    /// The earliest expiry in the chain, in seconds since 1970.
    package let expiry: Int64
    /// The start of the leaf's validity, in seconds since 1970.
    package let beginning: Int64

    /// The reason why files are not a valid certificate and key.
    enum Failure: Error, Hashable {
        case certificateUnreadable(String)
        case keyUnreadable(String)
        case noCertificate
        case noKey
        /// The key does not match the certificate.
        case doNotBelongTogether
    }

    /// The maximum size of a file, in bytes.
    static let maximumSize = 1 << 20

    init(certificate: String, key keyFile: String) throws(Failure) {
        let certificateBytes = try Self.read(certificate) { .certificateUnreadable($0) }
        let keyBytes = try Self.read(keyFile) { .keyUnreadable($0) }
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(certificateBytes), let leaf = chain.first else {
            throw .noCertificate
        }
        guard let key = try? NIOSSLPrivateKey(bytes: keyBytes, format: .pem) else { throw .noKey }
        self.chain = chain
        self.key = key
        names = leaf._subjectAlternativeNames().compactMap { name in
            name.nameType == .dnsName ? String(decoding: name.contents, as: UTF8.self) : nil
        }
        expiry = chain.map { Int64($0.notValidAfter) }.min() ?? 0
        beginning = Int64(leaf.notValidBefore)
        guard (try? NIOSSLContext(configuration: configuration)) != nil else { throw .doNotBelongTogether }
    }

    /// The first name, for messages.
    package var subject: String { names.first ?? "-" }

    /// The TLS configuration of a listener. Early data is never enabled.
    var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        // The same time as for plain connections.
        configuration.shutdownTimeout = .nanoseconds(Int64(ConnectionLimits.lingerTimeout))
        return configuration
    }

    /// The override that selects this certificate by SNI.
    var override: NIOSSLContextConfigurationOverride {
        var override = NIOSSLContextConfigurationOverride()
        override.certificateChain = chain.map { .certificate($0) }
        override.privateKey = .privateKey(key)
        return override
    }

    private static func read(_ file: String, _ failure: (String) -> Failure) throws(Failure) -> [UInt8] {
        do throws(BoundedFile.Failure) {
            return try BoundedFile.read(file, atMost: maximumSize)
        } catch {
            throw failure(error.reason)
        }
    }
}
