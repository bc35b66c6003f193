import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// `gatehouse demo`, and the commands that use its gateway.
@Suite(.serialized) struct DemoTests {
    @Test(arguments: [true, false])
    func `each printed request has the printed result`(hasStateFolder: Bool) async throws {
        let folder = try ScratchFolder()
        try folder.write("", to: "file")
        let run = try await CommandRun.run(
            "demo", "--check", "--any-ports",
            environment: ["XDG_STATE_HOME": folder.path(hasStateFolder ? "state of ada" : "file/state")], in: folder)
        #expect(run.exitCode == 0, "\(run.output)\(run.errors)")
        #expect(run.errors.isEmpty == hasStateFolder)
        let results = run.output.split(separator: "\n").filter { $0.contains(#/^[a-zA-Z]+ +[0-9]+\. /#) }
        #expect(results.count > 10)
        #expect(results.allSatisfy { $0.hasPrefix("ok ") }, "\(results)")
    }

    /// Runs a demo in a temporary folder until `body` returns. `body` gets the demo's output up to its last line.
    private func run(
        _ arguments: String..., until end: String, _ body: (ScratchFolder, String) throws -> Void
    ) async throws {
        let folder = try ScratchFolder()
        let child = try ChildProcess(
            ["demo", "--any-ports"] + arguments, environment: ["XDG_STATE_HOME": folder.path("state")], in: folder.url,
            output: (folder.path("out"), folder.path("err")))
        let output = try await eventually("the demo; \(folder.read("err"))") {
            let output = folder.read("out")
            return output.hasSuffix(end) ? output : nil
        }
        try body(folder, output)
        child.signal(SIGTERM)
        #expect(await child.exitCode() == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("state/gatehouse"))
        #expect(!left.contains { $0.hasSuffix(".sh") }, "\(left)")
    }

    private static let lastLine = "# Each request is logged below.\n"

    @Test(arguments: [["--container"], []])
    func `a demo in a container needs only the binary and the published ports`(option: [String]) async throws {
        let folder = try ScratchFolder()
        // No folder of the user can be created.
        try folder.write("", to: "file")
        let environment = ["HOME": folder.path("file"), "XDG_STATE_HOME": "", "GATEHOUSE_DEMO_CONTAINER": "1"]
        let child = try ChildProcess(
            ["demo", "--any-ports", "--json"] + option,
            environment: option.isEmpty ? environment : environment.filter { $0.key != "GATEHOUSE_DEMO_CONTAINER" },
            in: folder.url, output: (folder.path("out"), folder.path("err")))
        let output = try await eventually("the demo; \(folder.read("err"))") {
            let output = folder.read("out")
            return output.hasSuffix("}\n") ? output : nil
        }
        let printed = try JSONDecoder().decode(Printed.self, from: Data(output.utf8))
        let (port, admin) = (try #require(printed.ports["gateway"]), try #require(printed.ports["admin"]))
        #expect(printed.gateway == "http://127.0.0.1:\(port)" && printed.mint == "http://127.0.0.1:\(port)/mint")
        #expect(printed.admin == "http://localhost:\(admin)")
        // The user's shell is outside of the container, so no file is written.
        #expect(printed.load.contains("export ADA=eyJ") && printed.load.contains(printed.mint))
        #expect(folder.read("err").isEmpty, "\(folder.read("err"))")

        // A published port is forwarded to an address that is not 127.0.0.1.
        for port in [port, admin] { #expect(try Self.status(of: "127.0.0.2", port, "/livez") != nil) }
        let minted = try Program.run(
            "curl", ["-sS", "--interface", "127.0.0.1", "-d", #"{"user":"ada"}"#, printed.mint])
        let token = try #require(minted.firstMatch(of: /"token":"([^"]+)"/)).1
        #expect(try RawClient.exchange(port, .bearer(String(token), "/v1/hello")).status == 200)
        let page = try RawClient.exchange(port, WireRequest(target: "/", host: "127.0.0.1:\(port)"))
        #expect(page.text.contains(#""mint":"/mint""#))
        #expect(page["Content-Security-Policy"]?.contains("connect-src 'self'; ") == true)
        child.signal(SIGTERM)
        #expect(await child.exitCode() == 0)
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["err", "file", "out"])
    }

    /// The status of a request to another address of this machine. `nil` without a response.
    private static func status(of host: String, _ port: Int, _ path: String) throws -> Int? {
        let options = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: localhost"]
        return Int(try Program.run("curl", options + ["http://\(host):\(port)\(path)"]))
    }

    @Test func `in a container, each printed request has the printed result`() async throws {
        let run = try await CommandRun.run(
            "demo", "--check", "--any-ports", environment: ["GATEHOUSE_DEMO_CONTAINER": "1"], in: ScratchFolder())
        #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run.output)\(run.errors)")
        #expect(run.output.contains(#/The container needs the published port -p 127\.0\.0\.1:[0-9]+:[0-9]+, and -p/#))
    }

    @Test func `outside of a container, other machines cannot reach the demo`() async throws {
        let run = try await CommandRun.run("demo", "--any-ports", "--listen", "0.0.0.0:0", in: ScratchFolder())
        #expect(run.exitCode == 1 && run.errors.contains("an address that other machines can reach"), "\(run.errors)")
    }

    @Test func `the output fits a screen, and the tokens are in a file of the user`() async throws {
        try await run(until: Self.lastLine) { folder, output in
            #expect(output.split(separator: "\n", omittingEmptySubsequences: false).count <= 60)
            #expect(output.utf8.count <= 4_096)
            #expect(!output.contains("eyJ"))
            let file = try #require(output.firstMatch(of: /(?m)^\. (.+\/state\/gatehouse\/demo-[0-9]+\.sh)$/)).1
            let mode = try FileManager.default.attributesOfItem(atPath: String(file))[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(folder.read("state/gatehouse/\(file.split(separator: "/").last ?? "")").contains("export ADA=eyJ"))
        }
    }

    @Test func `the address without a path is the page`() async throws {
        try await run(until: Self.lastLine) { _, output in
            let address = /# Open http:\/\/127.0.0.1:([0-9]+)\/ in a browser/
            let port = try #require(output.prefixMatch(of: address).flatMap { Int($0.1) })
            for path in ["/", "/.gatehouse/"] {
                let page = try RawClient.exchange(port, WireRequest(target: path, host: "127.0.0.1"))
                #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8")
                #expect(page["Content-Security-Policy"]?.hasPrefix("default-src 'none'; style-src 'sha256-") == true)
                #expect(page.text.hasPrefix("<!doctype html>"))
            }
        }
    }

    @Test func `the printed token signs in to the console`() async throws {
        try await run(until: Self.lastLine) { _, output in
            let line = /admin API +http:\/\/127.0.0.1:([0-9]+), console at \/console\/ with the token (.+)/
            let found = try #require(output.firstMatch(of: line), "\(output)")
            let port = try #require(Int(found.1))
            let body = Array(#"{"token":"\#(found.2)"}"#.utf8)
            let request = WireRequest(
                method: "POST", target: "/console/session",
                fields: [
                    "Content-Type: application/json", "Content-Length: \(body.count)",
                    "Origin: http://127.0.0.1:\(port)",
                ],
                body: body, host: "127.0.0.1:\(port)")
            #expect(try RawClient.exchange(port, request).status == 200)
        }
    }

    @Test func `with a chosen port, users sign in by the sign-in page, to which the demo's page links`() async throws {
        let port = try Ports.free()
        func get(_ target: String, _ cookies: [String] = []) throws -> WireResponse {
            let fields = cookies.isEmpty ? [] : ["Cookie: \(cookies.joined(separator: "; "))"]
            return try RawClient.exchange(
                port, WireRequest(target: target, fields: fields, host: "127.0.0.1:\(port)"))
        }
        func cookies(_ response: WireResponse) -> [String] {
            response.values("Set-Cookie").map { String($0.prefix { $0 != ";" }) }
        }
        try await run("--listen", "127.0.0.1:\(port)", until: Self.lastLine) { _, output in
            let provider = try #require(
                output.firstMatch(of: /identity provider +http:\/\/127.0.0.1:([0-9]+)/).flatMap { Int($0.1) })
            #expect(try get("/").text.contains("<a href=\"/.gatehouse/\">"))
            let page = try get("/.gatehouse/").text
            for (id, user) in [("google.com", "ada"), ("github.com", "linus")] {
                let link = try #require(page.firstMatch(of: /href="(\/.gatehouse\/sign-in\/[^"]*)"/)).1
                let start = try get(String(link).replacing("google.com", with: id))
                let target = try #require(start["Location"]).replacing("http://127.0.0.1:\(provider)", with: "")
                let back = try RawClient.exchange(
                    provider, WireRequest(target: "\(target)&as=\(user)", host: "127.0.0.1:\(provider)"))
                let callback = try #require(back["Location"]).replacing("http://127.0.0.1:\(port)", with: "")
                let end = try get(callback, cookies(start))
                #expect(end["Location"] == "http://127.0.0.1:\(port)/.gatehouse/", "\(end.text)")
                #expect(try get("/.gatehouse/", cookies(end)).text.contains("data-reauthenticate=\"\(id)\""))
            }
        }
    }

    private struct Printed: Decodable {
        struct Command: Decodable {
            let command: String
            let status: Int
            let code: String?
        }
        let gateway, admin, mint: String
        let ports: [String: Int]
        let tokens: [String: String]
        let load: String
        let commands: [Command]
    }

    @Test func `a script gets one object of JSON`() async throws {
        try await run("--json", until: "}\n") { folder, output in
            let printed = try JSONDecoder().decode(Printed.self, from: Data(output.utf8))
            #expect(Set(printed.ports.keys) == ["gateway", "admin", "provider", "echo"])
            #expect(printed.load.hasPrefix(". /"))
            #expect(printed.commands.count > 10)
            #expect(printed.commands.contains { $0.status == 401 && $0.code == "auth/id-token-expired" })
            #expect(printed.commands.contains { $0.command.contains("Bearer $ADA\" \(printed.gateway)/v1/hello") })
            let (port, ada) = (try #require(printed.ports["gateway"]), try #require(printed.tokens["ADA"]))
            #expect(try RawClient.exchange(port, .bearer(ada, "/v1/hello")).status == 200)
            #expect(folder.read("out") == output)
        }
    }

    @Test(arguments: [("--provider-port", "identity provider"), ("--listen", "gateway")])
    func `a port in use is reported with its program and the option`(option: String, server: String) async throws {
        // A table of listeners that is too long for one read.
        let listeners = try (0..<100).map { _ in try Ports.listener() }
        defer { for (descriptor, _) in listeners { close(descriptor) } }
        let port = try #require(listeners.last).port
        let run = try await CommandRun.run(
            "demo", "--any-ports", option, option == "--listen" ? "127.0.0.1:\(port)" : "\(port)", in: ScratchFolder())
        #expect(run.exitCode == 1 && run.output.isEmpty)
        #expect(run.errorLines.count == 1)
        #expect(run.errors.contains("127.0.0.1:\(port), the port of the demo's \(server), is in use by "))
        #expect(run.errors.contains("choose another port with \(option) "))
        if FileManager.default.fileExists(atPath: "/proc/net/tcp") {
            #expect(run.errors.contains("(process \(getpid()))"), "\(run.errors)")
        }
    }

    @Test func `the demo chooses no other port without an option`() async throws {
        // If another program uses the default port, the listener is not needed.
        let echo = try? await EchoUpstream.start(port: 9903)
        let run = try await CommandRun.run("demo", "--check", in: ScratchFolder())
        #expect(run.exitCode == 1 && run.output.isEmpty)
        #expect(run.errors.contains("127.0.0.1:9903, the port of the demo's echo service, is in use by "))
        await echo?.stop()
    }
}
