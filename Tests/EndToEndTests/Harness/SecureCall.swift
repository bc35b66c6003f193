import Foundation
import Testing

@testable import SystemFixtures

/// Programs that connect to the gateway by TLS: curl, and `openssl s_client`.
enum SecureCall {
    struct Result {
        let exitCode: Int32
        /// Standard output and standard error.
        let output: String

        /// The status of the last response. `nil` without a response.
        var status: Int? {
            output.matches(of: /HTTP\/(?:1\.1|2) ([0-9]{3})/).last.flatMap { Int($0.1) }
        }
    }

    /// Runs curl with a URL whose host resolves to the gateway.
    static func curl(_ arguments: [String], _ url: String, port: Int, authority: String) async throws -> Result {
        let host = url.split(separator: "/")[1].split(separator: ":")[0]
        let common = ["-sSi", "--max-time", "20", "--cacert", authority, "--resolve", "\(host):\(port):127.0.0.1"]
        return try await run("curl", common + arguments + [url.replacing("PORT", with: "\(port)")])
    }

    /// Runs `openssl s_client`, which sends text and reads until the gateway closes the connection.
    ///
    /// - Parameter lasts: The timeout in seconds.
    static func client(_ arguments: [String], port: Int, sends text: String, lasts: Int = 20) async throws -> Result {
        let script = """
            printf '%b' "$0" | timeout \(lasts) openssl s_client -connect 127.0.0.1:\(port) -ign_eof "$@"
            """
        return try await run("bash", ["-c", script, text.replacing("\n", with: "\\r\\n")] + arguments)
    }

    static func run(_ program: String, _ arguments: [String]) async throws -> Result {
        let folder = try ScratchFolder()
        try folder.write("", to: "output")
        let output = try FileHandle(forWritingTo: folder.url.appending(path: "output"))
        let process = try SpawnedProcess(
            "/usr/bin/env", [program] + arguments, output: .file(output), errors: .file(output))
        let code = await withCheckedContinuation { continuation in
            process.whenEnded { continuation.resume(returning: $0) }
        }
        return Result(exitCode: code, output: folder.read("output"))
    }
}

extension GatewayConfiguration {
    /// A listener with TLS, a certificate of an authority, and additional members of its mapping.
    mutating func listen(_ certificate: String, _ key: String, tls: String = "", listener: String = "") {
        self["listen"] = """
            [{ address: 127.0.0.1:0\(listener), tls: { certificate: '\(certificate)', private_key: '\(key)'\(tls) } }]
            """
    }
}
