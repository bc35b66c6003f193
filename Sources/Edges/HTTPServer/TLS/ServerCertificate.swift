import GatewayCore
import NIOCore
import NIOSSL

/// A listener's certificate with its key, as its files hold them.
package struct ServerCertificate: Sendable {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
    /// The names of the leaf that SNI may ask for.
    let names: [String]
    /// When the first of the chain ends, in seconds since 1970.
    package let expiry: Int64
    /// When the leaf begins, in seconds since 1970.
    let beginning: Int64

    /// Why files are no certificate with its key.
    enum Failure: Error, Hashable {
        case certificateUnreadable(String)
        case keyUnreadable(String)
        case noCertificate
        case noKey
        /// The key is another certificate's.
        case doNotBelongTogether
    }

    /// The largest file, in bytes.
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

    /// What identifies it to people: its first name.
    package var subject: String { names.first ?? "-" }

    /// What every listener speaks with it. Early data is never taken: nothing switches it on.
    var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // As long as a plain connection lingers.
        configuration.shutdownTimeout = .nanoseconds(Int64(ConnectionLimits.lingerTimeout))
        return configuration
    }

    /// What SNI makes of a handshake that begins with another certificate.
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
