import Foundation
import Testing

@testable import SystemFixtures

/// `gatehouse rules test`, tested from outside.
struct RulesTestCommandTests {
    private static let workedRules = Repository.configurations.appending(path: "rules")

    private static let rules = """
        rules_version = '2';
        service gatehouse.http {
          match /users/{uid} {
            allow read: if auth.uid == uid;
          }
        }

        """
    private static let tests = """
        users: { ann: { uid: ann } }
        tests:
          - { name: the owner reads, request: GET /users/ann, auth: ann, expect: allow }

        """

    private func folder(_ rules: String = rules, _ tests: String = tests) throws -> ScratchFolder {
        let folder = try ScratchFolder()
        try folder.write(rules, to: "notes.rules")
        try folder.write(tests, to: "notes.test.yaml")
        return folder
    }

    @Test func `the example rules pass their tests with full coverage`() async throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.workedRules.path).sorted()
        let rules = files.filter { $0.hasSuffix(".rules") }
        #expect(rules.count >= 20)
        // Each rules file has its tests in the same folder, and no tests are left out.
        #expect(Set(rules.map { $0.replacing(".rules", with: ".test.yaml") }).isSubset(of: files))
        let named = rules + ["route.test.yaml"]
        #expect(files.count == named.count + rules.count)
        let paths = named.map { Self.workedRules.appending(path: $0).path }
        let run = try await CommandRun.run(
            ["rules", "test", "--min-coverage", "100"] + paths, in: ScratchFolder())
        #expect(run.exitCode == 0, "\(run.output)\n\(run.errors)")
        #expect(run.errors == "")
        #expect(run.output.contains(/\n[0-9]+ tests, all passed; coverage 100 % \(([0-9]+) of \1 outcomes\)\n$/))
    }

    @Test func `a failure is reported with the rule and its parts`() async throws {
        let folder = try folder(Self.rules, Self.tests.replacing("expect: allow", with: "expect: deny"))
        let run = try await CommandRun.run("rules", "test", "notes.rules", in: folder)
        #expect(run.exitCode == 1)
        #expect(
            run.output.hasPrefix(
                """
                FAIL  notes.test.yaml: 0 of 1 passed

                  FAILED  the owner reads
                          notes.test.yaml:3:5
                    request   GET /users/ann
                    auth      ann
                    expected  deny
                    came      allow by notes.rules:4
                    notes.rules:4  allow read: if auth.uid == uid;
                      auth.uid == uid  true
                        auth.uid       'ann'
                        uid            'ann'

                """), "\(run.output)")
        #expect(run.output.contains("notes.rules:4:20: never false: auth.uid == uid"))
        #expect(run.output.hasSuffix("\n1 test, 1 FAILED; coverage 50 % (1 of 2 outcomes)\n"))
    }

    @Test(arguments: [(50, 0), (51, 1), (100, 1)])
    func `insufficient coverage fails`(demanded: Int, code: Int32) async throws {
        let run = try await CommandRun.run(
            "rules", "test", "notes.rules", "--min-coverage", "\(demanded)", in: try folder())
        #expect(run.exitCode == code)
        let complaint = "the coverage is 50 %, below \(demanded) %; add tests for what is not covered\n"
        #expect(run.errors == (code == 0 ? "" : complaint))
    }

    @Test func `the coverage page is written`() async throws {
        let folder = try folder()
        let run = try await CommandRun.run("rules", "test", "notes.rules", "--coverage", "page.html", in: folder)
        #expect(run.exitCode == 0)
        #expect(folder.read("page.html").contains("<strong>50 %</strong>"))
    }

    @Test func `a page that cannot be written is an error`() async throws {
        let run = try await CommandRun.run(
            "rules", "test", "notes.rules", "--coverage", "absent/page.html", in: try folder())
        #expect(run.exitCode == 1)
        #expect(run.errors.hasPrefix("absent/page.html cannot be written; "))
    }

    @Test func `a missing rules file is reported with its folder and similar files`() async throws {
        let run = try await CommandRun.run("rules", "test", "note.rules", in: try folder())
        #expect(run.exitCode == 1)
        #expect(run.errors.hasPrefix("note.rules:1:1: the folder '/"), "\(run.errors)")
        #expect(run.errors.contains("has no rules file 'note.rules'; did you mean 'notes.rules'? or create it"))
    }

    @Test func `missing tests of a rules file are reported with how to create them`() async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.rules, to: "notes.rules")
        let run = try await CommandRun.run("rules", "test", "notes.rules", in: folder)
        #expect(run.exitCode == 1)
        #expect(
            run.errors == "notes.test.yaml:1:1: 'notes.rules' has no tests; create this file, as in "
                + "tests: [{ request: GET /notes, auth: none, expect: deny }]\n", "\(run.errors)")
    }

    @Test func `with --quiet only failures and the summary are printed`() async throws {
        let run = try await CommandRun.run("rules", "test", "notes.rules", "--quiet", in: try folder())
        #expect(run.output == "1 test, all passed; coverage 50 % (1 of 2 outcomes)\n")
    }

    @Test func `with --verbose passing tests are explained too`() async throws {
        let run = try await CommandRun.run("rules", "test", "notes.test.yaml", "--verbose", in: try folder())
        #expect(run.exitCode == 0)
        #expect(run.output.contains("      auth.uid == uid  true\n"))
    }

    @Test func `with --json the output is one document`() async throws {
        let run = try await CommandRun.run("rules", "test", "notes.rules", "--json", in: try folder())
        let document = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(document["tests"] as? Int == 1 && document["failed"] as? Int == 0)
        let result = try #require((document["results"] as? [[String: Any]])?.first)
        #expect(result["came"] as? String == "allow by notes.rules:4" && result["passed"] as? Bool == true)
        let coverage = try #require(document["coverage"] as? [String: Any])
        #expect(coverage["outcomes"] as? Int == 2 && coverage["seen"] as? Int == 1)
    }

    @Test func `every error of every file is reported and no test runs`() async throws {
        let folder = try folder(Self.rules.replacing("auth.uid", with: "auht.uid"))
        try folder.write("tests: 7\n", to: "more.test.yaml")
        let run = try await CommandRun.run("rules", "test", "notes.rules", "more.test.yaml", "absent.rules", in: folder)
        #expect(run.exitCode == 1)
        #expect(run.output == "")
        let places = run.errorLines.map { $0.prefix { $0 != " " } }
        #expect(places == ["notes.rules:4:20:", "more.rules:1:1:", "more.test.yaml:1:8:", "absent.rules:1:1:"])
        for line in run.errorLines { #expect(line.contains("; "), "\(line)") }
    }

    @Test func `the same tests run once`() async throws {
        let run = try await CommandRun.run(
            "rules", "test", "notes.rules", "notes.test.yaml", "--quiet", in: try folder())
        #expect(run.output.hasPrefix("1 test, "))
    }

    /// Wrong usage.
    static let misuse = [
        ["rules", "test"], ["rules", "test", "a.rules", "--min-coverage", "101"],
        ["rules", "test", "a.rules", "--min-coverage", "most"], ["rules", "test", "a.rules", "--json", "--quiet"],
        ["rules", "test", "a.rules", "--quiet", "--verbose"], ["rules", "run"],
    ]

    @Test(arguments: misuse)
    func `wrong usage exits with 64`(arguments: [String]) async throws {
        let run = try await CommandRun.run(arguments, in: ScratchFolder())
        #expect(run.exitCode == 64)
        #expect(run.errors.contains("Usage: gatehouse rules"))
    }

    @Test func `control characters in names are escaped`() async throws {
        let tests = Self.tests.replacing("the owner reads", with: "\"\u{202E}sdaer\"").replacing("allow", with: "deny")
        let run = try await CommandRun.run("rules", "test", "notes.rules", in: try folder(Self.rules, tests))
        #expect(run.output.contains("FAILED  \\u202esdaer"))
        #expect(!run.output.unicodeScalars.contains("\u{202E}"))
    }
}
