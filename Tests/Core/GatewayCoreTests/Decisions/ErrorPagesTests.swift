import Foundation
import GatewayCore
import Testing

@testable import SystemFixtures

/// The pages about errors and metrics, compared with each other and with the codes and metrics in the source.
@Suite struct ErrorPagesTests {
    private static let codes = DecisionCode.allCases.filter { $0 != .ok }

    private let errors: MarkdownPage
    /// The entries of the troubleshooting page about codes.
    private let codeEntries: [MarkdownPage.Section]

    init() throws {
        errors = try MarkdownPage("docs/reference/errors.md")
        codeEntries = try MarkdownPage("docs/troubleshooting.md").sections.filter { $0.level == 4 }
    }

    private static func codes(in text: some StringProtocol) -> [String] {
        String(text).matches(of: /`([a-z-]+\/[a-z-]+)`/).map { String($0.1) }
    }

    private static func metrics(in text: some StringProtocol) -> [String] {
        String(text).matches(of: /gatehouse_[a-z_]+/).map { String($0.output) }
    }

    @Test func `the page of errors has each code once, with its status`() {
        let rows = errors.rows.filter { $0.count > 2 && !Self.codes(in: $0[0]).isEmpty }
        #expect(rows.map { Self.codes(in: $0[0])[0] }.sorted() == Self.codes.map(\.wire.description).sorted())
        for code in Self.codes {
            let row = rows.first { Self.codes(in: $0[0]) == [code.wire.description] }
            #expect(row?[1] == String(code.status), "\(code.wire)")
        }
    }

    @Test func `the page of errors has the phases in their order, and no others`() {
        let phases = DecisionPhase.allCases.map { String(describing: $0.name) }
        let table = errors.sections.first { $0.title == "Phases" }?.text ?? ""
        #expect(table.matches(of: #/(?m)^\| `([a-z_]+)` /#).map { String($0.1) } == phases)
        for row in errors.rows where row.count == 5 && !Self.codes(in: row[0]).isEmpty {
            let named = row[2].matches(of: /`([a-z_]+)`/).map { String($0.1) }
            #expect(Set(named).isSubset(of: phases), "\(row[0])")
        }
    }

    @Test func `troubleshooting has one entry for each code`() {
        let titles = codeEntries.flatMap { Self.codes(in: $0.title) }
        #expect(titles.sorted() == Self.codes.map(\.wire.description).sorted())
    }

    @Test func `each entry about a code has its status, causes, a way to find out and a fix`() throws {
        for entry in codeEntries {
            for part in ["Client receives", "Causes", "Find out", "Fix"] {
                #expect(entry.text.contains("- **\(part):** "), "\(entry.title) lacks '\(part)'")
            }
            for name in Self.codes(in: entry.title) where name != DecisionCode.clientClosed.wire.description {
                let code = try #require(Self.codes.first { $0.wire.description == name })
                #expect(entry.text.contains("**Client receives:** \(code.status)"), "\(entry.title)")
            }
        }
    }

    @Test func `every metric that a page names exists, and every metric is on its page`() throws {
        let folder = Repository.root.appending(path: "Sources/Operations/Observability")
        let files = (FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []).compactMap { $0 as? String }
        let source = try files.filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
        let metrics = Set(Self.metrics(in: source))
        #expect(metrics.count > 70)
        let listed = Set(Self.metrics(in: try MarkdownPage("docs/reference/metrics.md").text))
        #expect(metrics.subtracting(listed).isEmpty, "\(metrics.subtracting(listed).sorted())")
        let suffixes = ["_bucket", "_sum", "_count"]
        let known = metrics.union(metrics.flatMap { name in suffixes.map { name + $0 } })
        for path in try MarkdownPage.paths() {
            let page = try MarkdownPage(path)
            let unknown = Set(Self.metrics(in: page.text)).subtracting(known)
            #expect(unknown.isEmpty, "\(path) names metrics that do not exist: \(unknown.sorted())")
        }
    }
}
