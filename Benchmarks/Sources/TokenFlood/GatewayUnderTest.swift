import DevelopmentIdentity
import Foundation

/// A gateway process with one worker, in front of an echo upstream.
struct GatewayUnderTest {
    let port: Int
    private let process = Process()

    init(binary: String, provider: DevelopmentProvider, upstream: EchoUpstream) throws {
        port = 9480
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-flood-\(getpid()).yaml")
        let keys = provider.url(.idTokenJWKSet)
        try """
        listen: [{ address: "127.0.0.1:\(port)" }]
        workers: 1
        drain: { delay: 0s, timeout: 1s }
        admin: { address: null }
        store: "sqlite::memory:"
        log: { access: "off" }
        identity: { firebase: { project: \(provider.project), keys_url: "\(keys)", session_keys_url: "\(keys)" } }
        upstreams: { api: { servers: ["\(upstream.url)"] } }
        routes: [{ path: /flood, upstream: api }]
        """.write(to: file, atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: binary)
        process.arguments = ["serve", "--config", file.path]
        try process.run()
        waitUntilListening()
    }

    /// The resident memory of the process in MiB; 0 if the process has ended.
    var residentMiB: Double {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Double(line.filter(\.isNumber)).map { $0 / 1024 } ?? 0
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    private func waitUntilListening() {
        for _ in 0..<200 {
            if LoopbackConnection(port: port) != nil { return }
            usleep(50_000)
        }
    }
}
