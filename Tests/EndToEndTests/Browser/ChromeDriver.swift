import DevelopmentIdentity
import Foundation

@testable import SystemFixtures

/// A chromedriver on a free port. The driver and its browsers end with this object, also if the tests are killed.
final class ChromeDriver {
    /// The program. `script/test` sets it, so these tests run only on request.
    static let program = ProcessInfo.processInfo.environment["GATEHOUSE_CHROMEDRIVER"].flatMap {
        FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil
    }

    /// The timeout of a command in seconds. The first command starts a browser.
    private static let timeout = Allowance.hangSeconds

    /// The folder of the browser's profile.
    let folder: ScratchFolder
    private var process: SpawnedProcess?
    private let lifeline = Pipe()
    private var port = 0

    init() async throws {
        folder = try ScratchFolder()
        try folder.write("", to: "log")
        try start()
        let log = folder
        port = try await eventually("the port of chromedriver: \(log.read("log"))") {
            log.read("log").firstMatch(of: /started successfully on port ([0-9]+)/).flatMap { Int($0.1) }
        }
    }

    deinit {
        try? lifeline.fileHandleForWriting.close()
        process?.wait()
    }

    private func start() throws {
        let log = try FileHandle(forWritingTo: folder.url.appending(path: "log"))
        // The driver binds a free port of IPv6, and then the same port of IPv4. It exits if that port is in use, so
        // retry. With job control, the loop leads a process group that contains the driver and its browsers.
        let tries = "for _ in 1 2 3 4 5 6 7 8; do \"$0\" --port=0; done"
        let script = "set -m; \(tries) & driver=$!; read -r line; kill -9 -- -$driver; wait $driver"
        // The browser does not inherit the environment of the tests, such as the library of a sanitizer.
        let environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "TMPDIR": folder.path]
        process = try SpawnedProcess(
            "/bin/bash", ["-c", script, Self.program ?? "chromedriver"], in: folder.path, environment: environment,
            input: .pipe(lifeline), output: .file(log), errors: .file(log))
    }

    private struct CommandResponse<Value: Decodable>: Decodable { let value: Value }

    /// Sends a WebDriver command and returns the `value` of its response.
    func command<Value: Decodable>(
        _ method: String, _ path: String, _ body: JSON? = nil, as type: Value.Type = Value.self
    ) throws -> Value {
        let client = try RawClient(port: port, timeout: Self.timeout)
        var request = WireRequest(method: method, target: path, host: "127.0.0.1:\(port)")
        if let body {
            request.body = body.bytes
            request.fields = ["Content-Type: application/json", "Content-Length: \(request.body.count)"]
        }
        let response = try client.exchange(request)
        guard response.status == 200 else {
            throw Impatience("\(method) \(path) of WebDriver: \(response.text.prefix(500))")
        }
        return try JSONDecoder().decode(CommandResponse<Value>.self, from: Data(response.body)).value
    }
}
