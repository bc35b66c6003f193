import Foundation
import Testing

@testable import SystemFixtures

/// `gatehouse demo`, and the commands that its gateway serves.
@Suite(.serialized) struct DemoTests {
    @Test func `each printed request has the printed result`() async throws {
        let run = try await CommandRun.run("demo", "--check", "--listen", "127.0.0.1:0", in: ScratchFolder())
        #expect(run.exitCode == 0, "\(run.output)\(run.errors)")
        let results = run.output.split(separator: "\n").filter { $0.contains(#/^[a-zA-Z]+ +[0-9]+\. /#) }
        #expect(results.count > 10)
        #expect(results.allSatisfy { $0.hasPrefix("ok ") }, "\(results)")
    }

    @Test func `the first line names the page`() async throws {
        let folder = try ScratchFolder()
        let child = try ChildProcess(
            ["demo", "--listen", "127.0.0.1:0"], in: folder.url, output: (folder.path("out"), folder.path("err")))
        let port = try await eventually("the address of the page") {
            folder.read("out").prefixMatch(of: /# Open http:\/\/127.0.0.1:([0-9]+)\/.gatehouse\/ in a browser/)
                .flatMap { Int($0.1) }
        }
        let page = try RawClient.exchange(port, WireRequest(target: "/.gatehouse/", host: "127.0.0.1"))
        #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8")
        #expect(page["Content-Security-Policy"]?.hasPrefix("default-src 'none'; style-src 'sha256-") == true)
        #expect(page.text.hasPrefix("<!doctype html>"))
        child.signal(SIGTERM)
        #expect(await child.exitCode() == 0)
    }
}
