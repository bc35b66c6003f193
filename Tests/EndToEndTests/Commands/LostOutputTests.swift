import Testing

@testable import SystemFixtures

/// A command fails if its result cannot be written.
struct LostOutputTests {
    static let commands: [[String]] = [
        ["check", "--config", "gatehouse.yaml"],
        ["completion", "bash"],
        ["rules", "test", "notes.test.yaml"],
        ["rules", "test", "notes.test.yaml", "--json"],
        ["token", "mint", "--user", "ada", "--keys", "keys"],
        ["explain", "GET", "http://localhost/x", "--config", "gatehouse.yaml"],
    ]

    @Test(arguments: commands)
    func `a command whose result is lost fails`(arguments: [String]) async throws {
        let folder = try ScratchFolder()
        try folder.write(
            CheckTests.valid.replacing("upstream: api", with: "upstream: api\n    auth: none"), to: "gatehouse.yaml")
        try folder.write(
            "allow: auth == null\npath: /x\ntests: [{ name: a, request: GET /x, expect: allow }]\n",
            to: "notes.test.yaml")
        let whole = try await CommandRun.run(arguments, in: folder)
        #expect(whole.exitCode == 0, "\(whole.errors)")
        let child = try ChildProcess(arguments, in: folder.url, output: ("/dev/full", folder.path("errors")))
        #expect(await child.exitCode() == 1)
        #expect(folder.read("errors").contains("cannot be written to standard output (No space left on device)"))
    }
}
