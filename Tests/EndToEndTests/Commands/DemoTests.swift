import Foundation
import Testing

/// `gatehouse demo`, and the commands that its gateway serves.
@Suite(.serialized) struct DemoTests {
    @Test func eachPrintedRequestGivesWhatItSays() async throws {
        let run = try await CommandRun.run("demo", "--check", "--listen", "127.0.0.1:0", in: TemporaryFolder())
        #expect(run.exitCode == 0, "\(run.output)\(run.errors)")
        let results = run.output.split(separator: "\n").filter { $0.contains(#/^[a-zA-Z]+ +[0-9]+\. /#) }
        #expect(results.count > 10)
        #expect(results.allSatisfy { $0.hasPrefix("ok ") }, "\(results)")
    }

    @Test func itEndsAtSIGTERM() async throws {
        let folder = try TemporaryFolder()
        let child = try ChildProcess(
            ["demo", "--listen", "127.0.0.1:0"], in: folder.url, output: (folder.path("out"), folder.path("err")))
        _ = try await eventually("the printed requests") { folder.read("out").contains("curl") ? true : nil }
        child.signal(SIGTERM)
        #expect(await child.exitCode() == 0)
    }
}
