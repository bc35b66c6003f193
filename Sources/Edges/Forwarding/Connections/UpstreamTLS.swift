import NIOCore
import NIOSSL

/// TLS to the servers of one upstream: the server's certificate must be of an authority that is trusted and name the host. Made once
/// with its snapshot, shared by all workers' connections.
struct UpstreamTLS: Sendable {
    private let context: NIOSSLContext

    /// What is wrong with a file.
    struct Failure: Error {
        let what: String
    }

    /// What the files hold; nil: not configured.
    struct Files {
        var authorities: [UInt8]?
        var certificate: [UInt8]?
        var key: [UInt8]?
    }

    init(_ files: Files) throws(Failure) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        if let authorities = files.authorities {
            configuration.trustRoots = .certificates(try Self.certificates(authorities, "tls.ca"))
        }
        if let certificate = files.certificate, let key = files.key {
            configuration.certificateChain = try Self.certificates(certificate, "tls.certificate").map {
                .certificate($0)
            }
            configuration.privateKey = .privateKey(try Self.key(key))
        }
        do { context = try NIOSSLContext(configuration: configuration) } catch {
            throw Failure(
                what:
                    "the certificate and its private key do not go together, or the system's authorities cannot be read"
            )
        }
    }

    private static func certificates(_ bytes: [UInt8], _ key: String) throws(Failure) -> [NIOSSLCertificate] {
        let certificates = (try? NIOSSLCertificate.fromPEMBytes(bytes)) ?? []
        guard !certificates.isEmpty else { throw Failure(what: "\(key) holds no certificate in PEM") }
        return certificates
    }

    private static func key(_ bytes: [UInt8]) throws(Failure) -> NIOSSLPrivateKey {
        do { return try NIOSSLPrivateKey(bytes: bytes, format: .pem) } catch {
            throw Failure(what: "tls.private_key holds no private key in PEM, or one with a passphrase")
        }
    }

    /// The handler that encrypts a connection.
    ///
    /// - Parameter name: what the certificate must bear; nil: the address that is connected to.
    func makeHandler(name: String?) throws -> NIOSSLClientHandler {
        guard let name else { return try NIOSSLClientHandler(context: context, serverHostname: nil) }
        // The library takes a certificate, too, that lists the address which the name led to: whoever can answer for the name would choose
        // that address. So the name itself is looked for, besides what the library checks.
        return try NIOSSLClientHandler._makeSSLClientHandler(context: context, serverHostname: name) {
            certificate, channel in
            CertificateName.isBorne(name, by: certificate)
                ? channel.eventLoop.makeSucceededVoidFuture()
                : channel.eventLoop.makeFailedFuture(NIOSSLExtraError.failedToValidateHostname)
        }
    }
}

/// Whether a certificate bears a host's name (RFC 6125 section 6.4): exactly, or by a wildcard in the place of the whole first label.
enum CertificateName {
    static func isBorne(_ name: String, by certificate: NIOSSLCertificate) -> Bool {
        certificate._subjectAlternativeNames().contains { alternative in
            alternative.nameType == .dnsName
                && matches(String(decoding: Array(alternative.contents), as: UTF8.self), name)
        }
    }

    static func matches(_ pattern: String, _ name: String) -> Bool {
        let (pattern, name) = (bare(pattern), bare(name))
        guard pattern.hasPrefix("*.") else { return !pattern.isEmpty && pattern == name }
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return false }
        let rest = pattern.dropFirst(2)
        return rest.contains(".") && name[name.index(after: dot)...] == rest
    }

    /// In lower case, without the point of the root.
    private static func bare(_ name: String) -> String {
        let lower = name.lowercased()
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }
}
