import Synchronization

/// A certificate authority, with certificates and keys of a server on loopback and of a client, whose names are
/// `client.test` and `spiffe://test/client`.
///
/// The files are made once and used again by later tests. Two authorities that exist at the same time differ.
final class TestAuthority: Sendable {
    private let names: String
    private let folder: ScratchFolder

    var authority: String { folder.path("ca.pem") }
    var certificate: String { folder.path("server.pem") }
    var key: String { folder.path("server.key") }
    var clientCertificate: String { folder.path("client.pem") }
    var clientKey: String { folder.path("client.key") }

    /// The folders that no authority uses now, by the names of their server.
    private static let unused = Mutex<[String: [ScratchFolder]]>([:])

    /// Creates the files with OpenSSL, unless there are unused ones.
    ///
    /// - Parameter names: The names of the server, in the format of a certificate.
    init(names: String = "IP:127.0.0.1,DNS:localhost") throws {
        self.names = names
        folder = try Self.unused.withLock { $0[names]?.popLast() } ?? Self.makeFiles(names)
    }

    deinit { Self.unused.withLock { [names, folder] in $0[names, default: []].append(folder) } }

    private static func makeFiles(_ names: String) throws -> ScratchFolder {
        let folder = try ScratchFolder()
        let subject = ["-subj", "/CN=Authority of a test", "-addext", "keyUsage=critical,keyCertSign,cRLSign"]
        try openssl(["req", "-x509", "-days", "30", "-out", "ca.pem"] + newKey("ca.key") + subject, in: folder)
        try sign("server", ["subjectAltName=\(names)"], in: folder)
        try sign(
            "client", ["extendedKeyUsage=clientAuth", "subjectAltName=DNS:client.test,URI:spiffe://test/client"],
            in: folder)
        return folder
    }

    private static func sign(_ name: String, _ extensions: [String], in folder: ScratchFolder) throws {
        let subject = ["-subj", "/CN=\(name)"] + extensions.flatMap { ["-addext", $0] }
        try openssl(["req", "-new", "-out", "\(name).csr"] + newKey("\(name).key") + subject, in: folder)
        let signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-copy_extensions", "copy"]
        try openssl(
            ["x509", "-req", "-in", "\(name).csr", "-days", "30", "-out", "\(name).pem"] + signing, in: folder)
    }

    private static func newKey(_ file: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", file]
    }

    private static func openssl(_ arguments: [String], in folder: ScratchFolder) throws {
        try Program.run("openssl", arguments, in: folder.path)
    }
}
