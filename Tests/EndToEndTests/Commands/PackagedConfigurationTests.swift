import Foundation
import Testing

@testable import SystemFixtures

/// The configuration that the packages install.
struct PackagedConfigurationTests {
    private static func text() throws -> String {
        try String(contentsOf: Repository.root.appending(path: "packaging/gatehouse.yaml"), encoding: .utf8)
    }

    @Test func `check reports only the value that an operator has to set`() async throws {
        let run = try await CommandRun.check(Self.text())
        #expect(run.exitCode == 1)
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].contains("identity.firebase.project is empty"), "\(run.errors)")
    }

    @Test func `with a project it is valid without a warning`() async throws {
        let text = try Self.text().replacing("    project:\n", with: "    project: my-app\n")
        let run = try await CommandRun.check(text)
        #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run.errors)")
    }
}
