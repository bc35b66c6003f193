import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// The version, which the source contains once.
struct VersionTests {
    private static func scriptVersion() throws -> String {
        try Program.run("bash", [Repository.root.appending(path: "script/version").path])
            .trimmingCharacters(in: .newlines)
    }

    @Test func `the program, its metrics, its admin API and the script have the same version`() async throws {
        let version = try Self.scriptVersion()
        #expect(version.contains(/^[0-9]+\.[0-9]+\.[0-9]+/))
        #expect(try await CommandRun.run("--version", in: ScratchFolder()).output == "\(version)\n")
        try await Scenario.run { scenario in
            let metrics = try RawClient.exchange(
                scenario.gateway.adminPort, WireRequest(target: "/metrics", host: "localhost"))
            #expect(metrics.text.contains("gatehouse_build_info{version=\"\(version)\","))
            #expect(try scenario.admin("GET", "/v1/status").text.contains("\"version\":\"\(version)\""))
        }
    }

    /// The release of a heading `## 1.2.3` or `## 1.2.3 (2026-11-23)`, as numbers. A pre-release counts as its release.
    private static func release(_ heading: Substring) -> [Int]? {
        let numbers = heading.split(separator: ".").compactMap { Int($0.prefix { $0.isNumber }) }
        return numbers.count == 3 ? numbers : nil
    }

    /// Returns the problem of a changelog. `nil` if its newest release is the version, or, below `Unreleased`, an
    /// earlier one.
    private static func flaw(in changelog: String, of version: String) -> String? {
        let headings = changelog.matches(of: /(?m)^## \[?([^\]\n]+)/).map(\.1)
        guard let first = headings.first, let current = release(version[...]) else { return "no heading" }
        let newest = headings.compactMap(release).first
        if first != "Unreleased" { return newest == current ? nil : "the first heading is \(first), not \(version)" }
        guard let newest, current.lexicographicallyPrecedes(newest) else { return nil }
        return "\(newest) is released, after \(version)"
    }

    @Test func `the changelog has the version, or changes since an earlier one`() throws {
        let changelog = try String(contentsOf: Repository.root.appending(path: "CHANGELOG.md"), encoding: .utf8)
        #expect(Self.flaw(in: changelog, of: try Self.scriptVersion()) == nil)
    }

    @Test(arguments: [
        ("## Unreleased\n", true), ("## 1.2.0\n", true), ("## 1.2.0 (2026-11-23)\n## 1.1.0\n", true),
        ("## Unreleased\n## 1.1.9\n", true), ("## Unreleased\n\n## 1.2.0\n", true),
        ("## Unreleased\n## 1.10.0\n", false), ("## 1.3.0\n", false), ("## 1.1.0\n", false), ("", false),
    ])
    func `a changelog of another version is detected`(changelog: String, isGood: Bool) {
        #expect((Self.flaw(in: changelog, of: "1.2.0") == nil) == isGood)
    }

    @Test(arguments: ["1.2", "v1.2.3", "1.2.3\"; x = \"", "", "1.02.3"])
    func `the script rejects a constant that is not a version`(text: String) throws {
        let folder = try ScratchFolder()
        let source = folder.url.appending(path: "Sources/Application/Gatehouse/Gateway")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "script"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: Repository.root.appending(path: "script/version"), to: folder.url.appending(path: "script/version"))
        try Data("    package static let current = \"\(text)\"\n".utf8).write(
            to: source.appending(path: "GatehouseVersion.swift"))
        #expect(throws: Impatience.self) { try Program.run("bash", [folder.path("script/version")]) }
    }
}
