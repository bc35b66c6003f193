package import GatewayConfiguration
package import GatewayCore
import NIOSSL

/// A reader of listener settings. It reports errors in files at their location in the configuration.
package struct ListenerSettingsReader {
    private let proxies: TrustedProxies
    private let now: Int64
    package private(set) var warnings: [ConfigurationWarning] = []
    package private(set) var errors: [ConfigurationError] = []

    /// Creates a reader.
    ///
    /// - Parameter now: Seconds since 1970, for the validity of certificates.
    package init(proxies: TrustedProxies, now: Int64) {
        self.proxies = proxies
        self.now = now
    }

    /// Reads the settings. `nil` if a file is unreadable or invalid; ``errors`` contains the reasons.
    ///
    /// - Parameter admission: The peers that may connect. `nil` if all may.
    package mutating func read(
        _ listener: Configuration.Listener, admitting admission: PeerAdmission? = nil
    ) -> ListenerSettings? {
        // Taken before the files are read, so that a concurrent change is detected.
        let fingerprints = listener.tls?.fingerprints ?? []
        var tls: ServerTLS?
        if let settings = listener.tls {
            guard let read = read(settings, servesHTTP2: listener.protocols.contains(.http2)) else { return nil }
            tls = read
        }
        return ListenerSettings(
            tls: tls, takesProxyHeader: listener.proxyProtocol,
            sniffsHTTP2: listener.protocols.contains(.http2Cleartext), proxies: admission?.trusted ?? proxies,
            admission: admission, configuration: listener, fingerprints: fingerprints)
    }

    private mutating func read(_ settings: Configuration.ListenerTLS, servesHTTP2: Bool) -> ServerTLS? {
        let certificates = settings.identities.compactMap { read($0) }
        let authorities = authorities(of: settings)
        guard certificates.count == settings.identities.count, let authorities else { return nil }
        do {
            return try ServerTLS(
                certificates, authorities: authorities, clients: settings.clientCertificates,
                minimumVersion: settings.minimumVersion, servesHTTP2: servesHTTP2)
        } catch {
            fail(settings.location, "TLS cannot be set up: \(error)", "create a new certificate")
            return nil
        }
    }

    private mutating func read(_ identity: Configuration.ListenerTLS.Identity) -> ServerCertificate? {
        do throws(ServerCertificate.Failure) {
            let certificate = try ServerCertificate(certificate: identity.certificate, key: identity.privateKey)
            warn(of: certificate, identity)
            return certificate
        } catch {
            let (what, remedy) = error.explanation(identity)
            fail(identity.location, what, remedy)
            return nil
        }
    }

    private mutating func warn(of certificate: ServerCertificate, _ identity: Configuration.ListenerTLS.Identity) {
        let file = Quoted(identity.certificate)
        if certificate.expiry <= now {
            warn(identity, "the certificate \(file) has expired", "renew it; clients reject an expired certificate")
        } else if certificate.beginning > now {
            warn(identity, "the certificate \(file) is not valid yet", "check the system clock")
        }
        if certificate.names.isEmpty {
            warn(
                identity, "the certificate \(file) has no DNS name",
                "add subject alternative names, so that clients can verify it")
        }
        if BoundedFile.isOpenToOthers(identity.privateKey) {
            warn(
                identity, "the key file \(Quoted(identity.privateKey)) is accessible to users other than its owner",
                "chmod 600 it; any reader can impersonate this server")
        }
    }

    /// Returns the accepted authorities. Empty if clients need no certificate. `nil` if the file is invalid.
    private mutating func authorities(of settings: Configuration.ListenerTLS) -> [NIOSSLCertificate]? {
        guard let file = settings.clientCA else { return [] }
        let remedy = "write the authorities' certificates there, in PEM"
        do throws(BoundedFile.Failure) {
            let bytes = try BoundedFile.read(file, atMost: ServerCertificate.maximumSize)
            if let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), !certificates.isEmpty {
                return certificates
            }
            fail(settings.location, "client_ca \(Quoted(file)) contains no certificate", remedy)
        } catch {
            fail(settings.location, "client_ca \(Quoted(file)) cannot be read (\(error.reason))", remedy)
        }
        return nil
    }

    private mutating func fail(_ location: SourceLocation, _ what: String, _ remedy: String) {
        errors.append(ConfigurationError(location: location, what: what, remedy: remedy))
    }

    private mutating func warn(
        _ identity: Configuration.ListenerTLS.Identity, _ what: String, _ remedy: String
    ) {
        warnings.append(ConfigurationWarning(location: identity.location, what: what, remedy: remedy))
    }
}

extension ServerCertificate.Failure {
    fileprivate func explanation(
        _ identity: Configuration.ListenerTLS.Identity
    ) -> (what: String, remedy: String) {
        let certificate = Quoted(identity.certificate)
        let key = Quoted(identity.privateKey)
        let paths = "paths are relative to the folder of the configuration file"
        return switch self {
        case .certificateUnreadable(let reason): ("the certificate \(certificate) cannot be read (\(reason))", paths)
        case .keyUnreadable(let reason): ("the key file \(key) cannot be read (\(reason))", paths)
        case .noCertificate:
            ("\(certificate) holds no certificate", "write it in PEM, followed by its intermediate certificates")
        case .noKey: ("\(key) contains no private key", "write it in PEM, without a passphrase")
        case .doNotBelongTogether:
            ("the key \(key) does not match the certificate \(certificate)", "specify the matching key")
        }
    }
}
