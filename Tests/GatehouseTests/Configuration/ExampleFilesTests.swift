import Foundation
import Gatehouse
import Testing

/// The files under `config/`, found from this one.
enum ExampleFiles {
    static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "config")

    static func paths(withExtension suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".\(suffix)") }.map { directory.appending(path: $0).path }
    }
}

@Suite struct ExampleFilesTests {
    @Test(arguments: try ExampleFiles.paths(withExtension: "yaml"))
    func load(_ file: String) throws {
        let configuration = try Configuration.load(file: file, environment: [:])
        #expect(configuration.warnings.isEmpty)
    }

    @Test func theReferenceShowsTheDefaults() throws {
        let file = ExampleFiles.directory.appending(path: "reference.yaml").path
        let reference = try Configuration.load(file: file, environment: [:])
        var expected = Configuration()
        expected.identity.firebase = .init(project: "my-app")
        expected.headers.extra = reference.headers.extra
        expected.upstreams = [.init(name: "api", servers: [.init(host: "127.0.0.1", port: 3000)])]
        expected.routes = reference.routes
        #expect(reference == expected)
    }

    @Test func theExampleTakesProjectAndServiceFromTheEnvironment() throws {
        let file = ExampleFiles.directory.appending(path: "gatehouse.yaml").path
        let configuration = try Configuration.load(
            file: file, environment: ["FIREBASE_PROJECT": "my-app", "UPSTREAM": "http://backend:80"])
        #expect(configuration.identity.firebase?.project == "my-app")
        #expect(configuration.upstreams[0].servers.map(\.description) == ["http://backend:80"])
    }
}
