import Foundation
import Testing

@testable import SystemFixtures

/// The page of security cases and the tests are consistent.
struct SecurityCaseIndexTests {
    /// A row of the page.
    private struct Row {
        let id: String
        let tests: Substring
        let later: Substring
        var isTested: Bool { !tests.isEmpty }
    }

    private let page: String
    private let rows: [Row]
    /// The sources of the tests by their paths relative to `Tests`.
    private let sources: [String: String]

    init() throws {
        page = try String(
            contentsOf: Repository.root.appending(path: "docs/internals/security-cases.md"), encoding: .utf8)
        rows = page.matches(of: /\| ([A-L]-[0-9]{2}) \| [^|\n]* \| ([^|\n]*) \| ([^|\n]*) \|/.anchorsMatchLineEndings())
            .map {
                Row(
                    id: String($0.1), tests: $0.2.trimmingPrefix(while: \.isWhitespace),
                    later: $0.3.trimmingPrefix(while: \.isWhitespace))
            }
        let folder = Repository.root.appending(path: "Tests")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        sources = try files.filter { $0.hasSuffix(".swift") }.reduce(into: [:]) { sources, file in
            sources[file] = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        }
    }

    /// The cases that a source names: as tags of a test (`.a01`), as the start of a name (`a01b02...`), or in a text
    /// (`A-01`).
    private static func identifiers(in source: String) -> Set<String> {
        var found: Set<String> = []
        for match in source.matches(of: /(?:func |\.tags\()((?:[., ]*[a-l][0-9]{2})+)(?![0-9])/) {
            for part in match.1.matches(of: /([a-l])([0-9]{2})/) { found.insert("\(part.1.uppercased())-\(part.2)") }
        }
        for match in source.matches(of: /(?:^|[^A-Za-z0-9-])([A-L]-[0-9]{2})(?![0-9])/) {
            found.insert(String(match.1))
        }
        return found
    }

    @Test func `every case is on the page once`() {
        #expect(rows.count == 198)
        #expect(Set(rows.map(\.id)).count == rows.count)
        for row in rows where !row.isTested { #expect(!row.later.isEmpty, "\(row.id) has neither a test nor a reason") }
    }

    @Test func `every case that a test names is on the page as tested`() {
        let tested = Set(rows.filter(\.isTested).map(\.id))
        for (file, source) in sources {
            let missing = Self.identifiers(in: source).subtracting(tested)
            #expect(
                missing.isEmpty,
                "Tests/\(file) tests \(missing.sorted()); docs/internals/security-cases.md does not list them")
        }
    }

    @Test func `every test on the page exists and names its case`() throws {
        for row in rows where row.isTested {
            for part in row.tests.split(separator: "<br>") {
                let link = try #require(part.firstMatch(of: /\]\(\.\.\/\.\.\/Tests\/([^)]+)\)/), "\(row.id): \(part)")
                let source = try #require(sources[String(link.1)], "\(row.id): no file Tests/\(link.1)")
                #expect(Self.identifiers(in: source).contains(row.id), "\(row.id) is not in Tests/\(link.1)")
                for name in part.matches(of: /`([^`]+)`/) {
                    let isThere = source.contains("func \(name.1)(") || source.contains("func `\(name.1)`(")
                    #expect(isThere, "\(row.id): no test \(name.1) in Tests/\(link.1)")
                }
            }
        }
    }

    @Test func `the counts on the page match its rows`() throws {
        for section in Array("ABCDEFGHIJKL").map(String.init) + ["all"] {
            let mine = rows.filter { section == "all" || $0.id.hasPrefix(section) }
            let tested = mine.filter(\.isTested)
            let partly = tested.filter { !$0.later.isEmpty }
            let line =
                "| \(section) | \(mine.count) | \(tested.count) | \(partly.count) | \(mine.count - tested.count) |"
            #expect(page.contains(line), "the table of counts should contain: \(line)")
        }
    }
}
