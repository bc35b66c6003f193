import NIOCore
import NIOSSL

/// TLS to the servers of one upstream. The server's certificate must be issued by a trusted authority and contain the
/// host name. Created once per snapshot and shared by all workers' connections.
struct UpstreamTLS: Sendable {
    private let context: NIOSSLContext

    /// The reason why a file is invalid.
    struct Failure: Error {
        let what: String
    }

    /// The contents of the files. `nil` if not configured.
    struct Files {
        var authorities: [UInt8]?
        var certificate: [UInt8]?
        var key: [UInt8]?
    }

    init(_ files: Files, protocols: [String] = ["http/1.1"]) throws(Failure) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = protocols
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
                    "the certificate and its private key do not match, or the system's trust store cannot be read"
            )
        }
    }

    private static func certificates(_ bytes: [UInt8], _ key: String) throws(Failure) -> [NIOSSLCertificate] {
        let certificates = (try? NIOSSLCertificate.fromPEMBytes(bytes)) ?? []
        guard !certificates.isEmpty else { throw Failure(what: "\(key) contains no PEM certificate") }
        return certificates
    }

    private static func key(_ bytes: [UInt8]) throws(Failure) -> NIOSSLPrivateKey {
        do { return try NIOSSLPrivateKey(bytes: bytes, format: .pem) } catch {
            throw Failure(what: "tls.private_key contains no PEM private key without a passphrase")
        }
    }

    /// Returns the TLS handler of a connection. The certificate must contain `name`, or the address if it is `nil`.
    func makeHandler(name: String?) throws -> NIOSSLClientHandler {
        guard let name else { return try NIOSSLClientHandler(context: context, serverHostname: nil) }
        // The library also accepts a certificate for the resolved IP address, which an attacker controlling DNS could
        // choose. The name is therefore checked in addition.
        return try NIOSSLClientHandler._makeSSLClientHandler(context: context, serverHostname: name) {
            certificate, channel in
            CertificateName.isBorne(name, by: certificate)
                ? channel.eventLoop.makeSucceededVoidFuture()
                : channel.eventLoop.makeFailedFuture(NIOSSLExtraError.failedToValidateHostname)
        }
    }
}

/// The match of a certificate and a host name (RFC 6125 section 6.4): exact, or by a wildcard in place of the whole
/// first label.
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

    /// Returns the name in lower case, without a trailing dot.
    private static func bare(_ name: String) -> String {
        let lower = name.lowercased()
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }
}
