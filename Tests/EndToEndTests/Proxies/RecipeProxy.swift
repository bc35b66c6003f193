import Foundation
import Testing

@testable import SystemFixtures

/// A proxy with the configuration that its page of the manual prints, apart from ports.
enum RecipeProxy: String, CaseIterable, CustomTestStringConvertible {
    case nginx, caddy, traefik, envoy, haproxy
    case envoyGRPC = "envoy-grpc"

    /// The folder of the installed proxies. `nil` if the tests are not prepared for them.
    static let folder = ProcessInfo.processInfo.environment["GATEHOUSE_PROXIES"]

    var testDescription: String { rawValue }

    /// The names of the files, in the order in which the page prints them.
    private var files: [String] {
        switch self {
        case .nginx: ["nginx.conf"]
        case .caddy: ["Caddyfile"]
        case .traefik: ["traefik.yaml", "dynamic.yaml"]
        case .envoy, .envoyGRPC: ["envoy.yaml"]
        case .haproxy: ["haproxy.cfg", "gatehouse.lua"]
        }
    }

    /// The beginning of nginx's section, with its files in its own folder.
    private static let filesOfNginx = """
        events {}
        http {
          access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
          uwsgi_temp_path uwsgi; scgi_temp_path scgi;

        """

    private func command(in folder: ScratchFolder) -> [String] {
        let own = "\(Self.folder ?? "")/\(rawValue)"
        return switch self {
        case .nginx:
            [
                "/usr/sbin/nginx", "-p", folder.path, "-e", "stderr", "-c", folder.path("nginx.conf"), "-g",
                "daemon off; master_process off; pid \(folder.path("pid")); error_log stderr;",
            ]
        case .caddy: [own, "run", "--config", folder.path("Caddyfile"), "--adapter", "caddyfile"]
        case .traefik: [own, "--configFile=\(folder.path("traefik.yaml"))"]
        case .envoy, .envoyGRPC:
            [
                "\(Self.folder ?? "")/envoy", "-c", folder.path("envoy.yaml"), "--concurrency", "1",
                "--disable-hot-restart", "-l", "warning",
            ]
        case .haproxy: ["/usr/sbin/haproxy", "-db", "-f", folder.path("haproxy.cfg")]
        }
    }

    /// Starts the proxy and returns when it listens. If another program has taken the port meanwhile, it ends, and
    /// another port is used.
    func start(gatehouse: Int, service: Int) async throws -> RunningProxy {
        let page = try MarkdownPage("docs/guides/proxies/\(rawValue).md")
        let blocks = page.blocks.filter { $0.comment?.hasPrefix("A test runs this configuration") == true }
        try #require(blocks.count == files.count, "\(page.path) prints \(blocks.count) files")
        for _ in 0..<5 {
            let (folder, port) = (try ScratchFolder(), try Ports.free())
            for (name, block) in zip(files, blocks) {
                try folder.write(
                    block.text.replacing("8081", with: "\(port)").replacing("9000", with: "\(gatehouse)")
                        .replacing("3000", with: "\(service)").replacing(
                            "events {}\nhttp {\n", with: Self.filesOfNginx),
                    to: name)
            }
            if let proxy = try await RunningProxy(command(in: folder), in: folder, port: port) { return proxy }
        }
        throw Impatience("a port for \(rawValue)")
    }
}

/// A running proxy. It ends with its last reference.
final class RunningProxy: Sendable {
    private let process: SpawnedProcess
    private let folder: ScratchFolder
    let port: Int

    /// `nil` if the proxy ended.
    fileprivate init?(_ command: [String], in folder: ScratchFolder, port: Int) async throws {
        self.folder = folder
        self.port = port
        try folder.write("", to: "log")
        let log = try FileHandle(forWritingTo: URL(filePath: folder.path("log")))
        process = try SpawnedProcess(
            command[0], Array(command.dropFirst()), in: folder.path,
            environment: ProcessInfo.processInfo.environment.merging(["HOME": folder.path]) { $1 },
            output: .file(log), errors: .file(log))
        let process = process
        let isOpen: Bool = try await eventually("a proxy that listens") {
            if process.status != nil { return false }
            return (try? RawClient(port: port)) == nil ? nil : true
        }
        guard isOpen else { return nil }
    }

    deinit { end() }

    /// The output of the proxy, for failures.
    var log: String { folder.read("log") }
    var isRunning: Bool { process.status == nil }

    func end() {
        guard isRunning else { return }
        kill(process.pid, SIGKILL)
        _ = process.wait()
    }
}
