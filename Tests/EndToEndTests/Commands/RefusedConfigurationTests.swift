import Testing

@testable import SystemFixtures

/// `gatehouse check` on configurations that would silently remove a restriction, or expand to more than their size.
///
/// `GatewayConfigurationTests` has every error, and `RouteConflictTests` of `GatehouseTests` every warning.
struct RefusedConfigurationTests {
    static let refused: [(yaml: String, error: String)] = [
        (CheckTests.valid + "store: ${EMPTY}\n", "6:8: the environment variable EMPTY is empty"),
        (CheckTests.valid + "store: ${file:empty}\n", "6:8: the file 'empty' is empty"),
        (
            CheckTests.valid + "listen:\n  - address: 127.0.0.1:0\n    tls:\n      # certificate: a\n",
            "8:5: listen[].tls is empty"
        ),
        (
            CheckTests.valid.replacing("/{path=**}", with: "/users/:id"),
            "4:11: routes[].path has the segment ':id', which would match only literally; write {id}"
        ),
        (bomb, "1:10: YAML anchors ('&') are not allowed"),
    ]

    /// A key that expands to 2^40 strings, in fewer than 1,500 bytes. A reader that expanded it would not end.
    static let bomb: String = {
        let levels = (1...40).map { "\"\($0)\":&\($0) [*\($0 - 1),*\($0 - 1)]" }
        return "--- {\"0\":&0 [x,y],\(levels.joined(separator: ",")),? [*40] : 1}\n"
    }()

    @Test(arguments: refused)
    func `check rejects it and reports the position`(yaml: String, error: String) async throws {
        let run = try await CommandRun.check(yaml, environment: ["EMPTY": ""], files: ["empty": "\n"])
        #expect(run.exitCode == 1 && run.output == "", "\(run.errors)")
        #expect(run.errors.contains("gatehouse.yaml:\(error)"), "\(run.errors)")
    }

    @Test func `check warns and reports the position`() async throws {
        let run = try await CommandRun.check(
            "identity: { firebase: { project: a } }\n\(CheckTests.upstreams)"
                + "routes: [{ path: '/a/**', strip_prefix: /a, merge_slashes: false, upstream: api }]\n")
        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(run.errorLines.count == 1, "\(run.errors)")
        #expect(run.errors.contains("gatehouse.yaml:3:18: warning: merge_slashes: false with strip_prefix"))
    }
}
