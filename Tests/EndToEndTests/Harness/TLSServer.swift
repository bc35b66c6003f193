import Foundation
import JOSE

@testable import SystemFixtures

/// `openssl s_server` that serves the files of a folder, with a certificate that the test generates.
final class TLSServer {
    /// The flaw of the certificate.
    enum Flaw: String, CaseIterable, Sendable {
        /// Not signed by a trusted authority.
        case selfSigned
        case expired
        case otherName
        /// Signed by an untrusted authority, which is part of the chain.
        case unknownAuthority
    }

    static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    let folder: ScratchFolder
    /// The server ends when this pipe closes, also if the tests are killed.
    private let lifeline = Pipe()
    private(set) var port = 0

    init(_ flaw: Flaw, serving files: [String: String]) async throws {
        folder = try ScratchFolder()
        for (name, text) in files { try folder.write(text, to: name) }
        try makeCertificate(flaw)
        let chain = flaw == .unknownAuthority ? ["-cert_chain", "ca.pem"] : []
        try start(["s_server", "-accept", "127.0.0.1:0", "-cert", "cert.pem", "-key", "key.pem", "-WWW"] + chain)
        port = try await eventually("the port of s_server: \(log)") {
            let line = self.log.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
            return line?.split(separator: ":").last.flatMap { Int($0) }
        }
    }

    deinit {
        try? lifeline.fileHandleForWriting.close()
    }

    /// The log of the server, with TLS alerts of the client.
    var log: String { folder.read("log") }

    private func start(_ arguments: [String]) throws {
        try folder.write("", to: "log")
        let log = try FileHandle(forWritingTo: folder.url.appending(path: "log"))
        let script = "\"$0\" \"$@\" & server=$!; read -r line; kill -9 $server"
        _ = try SpawnedProcess(
            "/bin/sh", ["-c", script, Self.openssl ?? "openssl"] + arguments, in: folder.path, input: .pipe(lifeline),
            output: .file(log), errors: .file(log))
    }

    private func makeCertificate(_ flaw: Flaw) throws {
        let name = flaw == .otherName ? "DNS:other.example" : "IP:127.0.0.1,DNS:localhost"
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem"]
        let subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=\(name)"]
        switch flaw {
        case .selfSigned, .otherName:
            try run(["req", "-x509", "-days", "30", "-out", "cert.pem"] + key + subject)
        case .expired:
            // Not every version of the OpenSSL program can create such a certificate.
            let key = try SigningKey.generate(.es256, keyID: "expired")
            try folder.write(String(decoding: key.pem(), as: UTF8.self), to: "key.pem")
            let pem = try key.certificatePEM(commonName: "localhost", notBefore: 0, notAfter: 1_000_000_000)
            try folder.write(String(decoding: pem, as: UTF8.self), to: "cert.pem")
        case .unknownAuthority:
            let authority = [
                "-subj", "/CN=Authority", "-out", "ca.pem", "-keyout", "ca.key", "-nodes", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
            ]
            try run(["req", "-x509", "-days", "30"] + authority)
            try run(["req", "-new", "-out", "request.pem"] + key + subject)
            let signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-copy_extensions", "copy"]
            try run(["x509", "-req", "-in", "request.pem", "-days", "30", "-out", "cert.pem"] + signing)
        }
    }

    private func run(_ arguments: [String]) throws {
        try Program.run("openssl", arguments, in: folder.path)
    }
}
