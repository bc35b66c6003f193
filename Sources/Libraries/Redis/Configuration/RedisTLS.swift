internal import NIOCore
internal import NIOSSL

/// TLS to the server: its certificate must be of an authority that is trusted and name the host that was connected to. (For a host that is
/// a name, swift-nio-ssl also takes a certificate that lists the address which the name led to.)
///
/// Made once from files, checked then, and shared by all connections.
public struct RedisTLS: Sendable {
    private let context: NIOSSLContext

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - authorityFile: a PEM file of the authorities to trust; nil: those of the system.
    ///   - certificateFile: a PEM file of the client's certificate chain, where the server asks for one.
    ///   - keyFile: a PEM file of its private key.
    /// - Throws: `RedisTLSError`, which names the file.
    public init(authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil)
        throws(RedisTLSError)
    {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let authorityFile { configuration.trustRoots = .certificates(try Self.certificates(authorityFile)) }
        guard (certificateFile == nil) == (keyFile == nil) else {
            throw RedisTLSError("a client's certificate needs its private key, and the key its certificate")
        }
        if let certificateFile, let keyFile {
            configuration.certificateChain = try Self.certificates(certificateFile).map { .certificate($0) }
            configuration.privateKey = .privateKey(try Self.key(keyFile))
        }
        do { context = try NIOSSLContext(configuration: configuration) } catch {
            throw RedisTLSError("the certificate and its key do not go together, or no authorities could be read")
        }
    }

    private static func certificates(_ file: String) throws(RedisTLSError) -> [NIOSSLCertificate] {
        do {
            let certificates = try NIOSSLCertificate.fromPEMFile(file)
            if !certificates.isEmpty { return certificates }
        } catch {}
        throw RedisTLSError("\(file) cannot be read or holds no certificate in PEM")
    }

    private static func key(_ file: String) throws(RedisTLSError) -> NIOSSLPrivateKey {
        do { return try NIOSSLPrivateKey(file: file, format: .pem) } catch {
            throw RedisTLSError("\(file) cannot be read or holds no private key in PEM")
        }
    }

    /// The handler that encrypts a connection to `host`.
    func makeHandler(to host: String) throws -> NIOSSLClientHandler {
        // An address is no name to ask for; the certificate must then list the address itself.
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }
}

/// TLS cannot be set up from these files.
public struct RedisTLSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, with the file's name.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
