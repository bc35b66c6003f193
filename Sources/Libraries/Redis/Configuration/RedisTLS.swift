internal import NIOCore
internal import NIOSSL

/// TLS settings. The server's certificate must be issued by a trusted authority and name the host of the endpoint.
/// For a host name, swift-nio-ssl also accepts a certificate that lists the resolved address.
///
/// The files are read and checked once; all connections share the context.
public struct RedisTLS: Sendable {
    private let context: NIOSSLContext

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - authorityFile: A PEM file of trusted authorities. `nil` for the authorities of the system.
    ///   - certificateFile: A PEM file of the client's certificate chain, if the server requires one.
    ///   - keyFile: A PEM file of the client's private key.
    /// - Throws: `RedisTLSError`, which names the file.
    public init(authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil)
        throws(RedisTLSError)
    {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let authorityFile { configuration.trustRoots = .certificates(try Self.certificates(authorityFile)) }
        guard (certificateFile == nil) == (keyFile == nil) else {
            throw RedisTLSError("a client certificate requires a private key, and the key requires a certificate")
        }
        if let certificateFile, let keyFile {
            configuration.certificateChain = try Self.certificates(certificateFile).map { .certificate($0) }
            configuration.privateKey = .privateKey(try Self.key(keyFile))
        }
        do { context = try NIOSSLContext(configuration: configuration) } catch {
            throw RedisTLSError(
                "the private key does not match the certificate, or the trusted authorities could not be read")
        }
    }

    private static func certificates(_ file: String) throws(RedisTLSError) -> [NIOSSLCertificate] {
        do {
            let certificates = try NIOSSLCertificate.fromPEMFile(file)
            if !certificates.isEmpty { return certificates }
        } catch {}
        throw RedisTLSError("\(file) cannot be read or contains no PEM certificate")
    }

    private static func key(_ file: String) throws(RedisTLSError) -> NIOSSLPrivateKey {
        do { return try NIOSSLPrivateKey(file: file, format: .pem) } catch {
            throw RedisTLSError("\(file) cannot be read or contains no PEM private key")
        }
    }

    /// Returns a handler that encrypts a connection to `host`.
    func makeHandler(to host: String) throws -> NIOSSLClientHandler {
        // An address is not valid as a server name (SNI). The certificate must then list the address.
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }
}

/// An error in the TLS settings or their files.
public struct RedisTLSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problem, with the name of the file.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
