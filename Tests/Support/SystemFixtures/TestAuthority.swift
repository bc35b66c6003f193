/// A certificate authority, with certificates and keys of a server on loopback and of a client.
final class TestAuthority: Sendable {
    private let folder: ScratchFolder

    var authority: String { folder.path("ca.pem") }
    var certificate: String { folder.path("server.pem") }
    var key: String { folder.path("server.key") }
    var clientCertificate: String { folder.path("client.pem") }
    var clientKey: String { folder.path("client.key") }

    /// Creates the files with OpenSSL.
    ///
    /// - Parameter names: The names of the server, in the format of a certificate.
    init(names: String = "IP:127.0.0.1,DNS:localhost") throws {
        folder = try ScratchFolder()
        let subject = ["-subj", "/CN=Authority of a test", "-addext", "keyUsage=critical,keyCertSign,cRLSign"]
        try openssl(["req", "-x509", "-days", "30", "-out", "ca.pem"] + newKey("ca.key") + subject)
        try sign("server", extension: "subjectAltName=\(names)")
        try sign("client", extension: "extendedKeyUsage=clientAuth")
    }

    private func sign(_ name: String, extension: String) throws {
        let subject = ["-subj", "/CN=\(name)", "-addext", `extension`]
        try openssl(["req", "-new", "-out", "\(name).csr"] + newKey("\(name).key") + subject)
        let signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-copy_extensions", "copy"]
        try openssl(["x509", "-req", "-in", "\(name).csr", "-days", "30", "-out", "\(name).pem"] + signing)
    }

    private func newKey(_ file: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", file]
    }

    private func openssl(_ arguments: [String]) throws { try Program.run("openssl", arguments, in: folder.path) }
}
