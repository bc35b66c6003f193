package import GatewayConfiguration
package import GatewayCore

/// A reader of upstream settings and their files. It reports errors at their location in the configuration.
package struct UpstreamReader {
    /// The maximum size of a file, in bytes. A bundle of all public authorities is about a quarter of that.
    private static let maximumSize = 1 << 20

    package private(set) var warnings: [ConfigurationWarning] = []
    package private(set) var errors: [ConfigurationError] = []

    package init() {}

    package mutating func read(_ upstream: Configuration.Upstream, counterPlace: Int) -> UpstreamSettings {
        guard upstream.servers.contains(where: \.isSecure) else {
            return UpstreamSettings(upstream, counterPlace: counterPlace, tls: nil, files: [])
        }
        let files = UpstreamTLS.Files(
            authorities: bytes(of: upstream.tls.ca, "ca", upstream),
            certificate: bytes(of: upstream.tls.certificate, "certificate", upstream),
            key: bytes(of: upstream.tls.privateKey, "private_key", upstream))
        if let key = upstream.tls.privateKey, BoundedFile.isOpenToOthers(key) {
            warnings.append(
                ConfigurationWarning(
                    location: upstream.tls.location,
                    what: "the key file \(Quoted(key)) is accessible to users other than its owner",
                    remedy: "chmod 600 it; any reader can authenticate as the gateway"))
        }
        // Errors in reading are already reported.
        guard errors.isEmpty else { return UpstreamSettings(upstream, counterPlace: counterPlace, tls: nil, files: []) }
        do throws(UpstreamTLS.Failure) {
            let contents = [files.authorities, files.certificate, files.key].map { $0 ?? [] }
            let tls = try UpstreamTLS(files, protocols: [upstream.protocol == .h2 ? "h2" : "http/1.1"])
            return UpstreamSettings(upstream, counterPlace: counterPlace, tls: tls, files: contents)
        } catch {
            fail("upstreams.\(upstream.name): \(error.what)", "name other files", upstream)
            return UpstreamSettings(upstream, counterPlace: counterPlace, tls: nil, files: [])
        }
    }

    private mutating func bytes(of file: String?, _ key: String, _ upstream: Configuration.Upstream) -> [UInt8]? {
        guard let file else { return nil }
        do throws(BoundedFile.Failure) {
            return try BoundedFile.read(file, atMost: Self.maximumSize)
        } catch {
            let what = "upstreams.\(upstream.name).tls.\(key): \(Quoted(file))"
            switch error {
            case .unreadable(let reason):
                fail(
                    "\(what) cannot be read (\(reason))", "paths are relative to the folder of the configuration file",
                    upstream)
            case .tooLarge: fail("\(what) is larger than 1 MiB", "name another file", upstream)
            }
            return nil
        }
    }

    private mutating func fail(_ what: String, _ remedy: String, _ upstream: Configuration.Upstream) {
        errors.append(ConfigurationError(location: upstream.tls.location, what: what, remedy: remedy))
    }
}
