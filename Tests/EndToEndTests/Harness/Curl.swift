import DevelopmentIdentity
import Foundation

@testable import SystemFixtures

/// The `curl` of the machine: a client that was not written beside the gateway.
enum Curl {
    /// What one call came to.
    struct Outcome {
        /// 0: a whole answer came.
        let exitCode: Int32
        /// 0: none.
        let status: Int
        let body: String
        /// What it told of the connection, with `--verbose`.
        let log: String

        /// What the upstream received.
        var report: EchoReport? { WireResponse(status: status, body: body).flatMap(EchoReport.init) }
    }

    static let program = ["/usr/bin/curl", "/usr/local/bin/curl", "/opt/homebrew/bin/curl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Calls a URL. No configuration of the user's counts, and no proxy.
    static func call(_ url: String, _ arguments: [String] = []) throws -> Outcome {
        let folder = try ScratchFolder()
        let process = Process()
        process.executableURL = URL(filePath: program ?? "curl")
        let own = [
            "--disable", "--noproxy", "*", "--silent", "--verbose", "--max-time", "\(20 * Allowance.factor)",
            "--output", folder.path("body"), "--write-out", "%{http_code}",
        ]
        process.arguments = own + arguments + [url]
        // Nothing that the tests run with, such as a sanitizer's library, is for it.
        process.environment = ["PATH": "/usr/bin:/bin"]
        for name in ["status", "log"] { try folder.write("", to: name) }
        process.standardOutput = try FileHandle(forWritingTo: folder.url.appending(path: "status"))
        process.standardError = try FileHandle(forWritingTo: folder.url.appending(path: "log"))
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return Outcome(
            exitCode: process.terminationStatus, status: Int(folder.read("status")) ?? 0, body: folder.read("body"),
            log: folder.read("log"))
    }
}

extension WireResponse {
    fileprivate init?(status: Int, body: String) {
        self.init(head: Array("HTTP/1.1 \(status) -".utf8))
        self.body = Array(body.utf8)
    }
}
