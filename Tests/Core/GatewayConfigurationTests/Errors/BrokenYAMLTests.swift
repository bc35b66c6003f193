import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import SystemFixtures

@Suite struct BrokenYAMLTests {
    static let cases: [BrokenConfiguration] = [
        .file("", "1:1 the file is empty"),
        .file("# nothing but a comment\n", "1:1 the file is empty"),
        .file("- a\n- b\n", "1:1 is not a mapping"),
        .file("just text", "1:1 the file is not a mapping"),
        .section(
            "limits:\n\tconnections: 1",
            "2:1 found character that cannot start any token); quote the string; indent with spaces, not tabs"),
        .section("limits:\n  \tconnections: 1", "2:3 cannot start any token"),
        .section("limits: &a { connections: 1 }", "1:9 YAML anchors"),
        .file("limits: &a { connections: 1 }\ndrain: *a\n", "1:9 YAML anchors", "2:8 YAML aliases"),
        .file("routes:\n  - host: *.example.com\n", "2:11 quote strings that begin with '*'"),
        .section("workers: !!int 4", "1:10 YAML tags"),
        .section(
            "a: |\n  *x &y\n  !z\nb: \"*x\" # *x\nlog: { level: 'it''s *x' }", "1:1 unknown key 'a'",
            "4:1 unknown key 'b'", "5:15 log.level cannot be"),
        .section("drain: { delay: 5s", "2:10 not valid YAML"),
        .file("workers: \"4\n", "1:10 not valid YAML (the quoted text that begins here does not end); close the quote"),
        .section("identity:\n  firebase: { project: 'demo }", "2:24 the quoted text that begins here does not end)"),
        // The first quote ends at the next one, some lines later.
        .file(
            "identity: { firebase: { project: \"demo } }\n" + BrokenConfiguration.rest,
            "1:34 not valid YAML (the quoted text that begins here ends only in line 2); close the quote in this line"),
        .file("routes: [\n", "2:1 not valid YAML (did not find expected node content)"),
        .file("workers: 4: 5\n", "1:11 not valid YAML (mapping values are not allowed in this context)"),
        .file("limits:\n  connections: 1\n drain: 1\n", "3:2 not valid YAML"),
        .file("workers: 1\n---\nworkers: 2\n", "2:1 a second YAML document"),
        .file("a: \u{7}\n", "1:4 control character U+7"),
        .file("a: \u{2028}\n", "1:4 control character U+2028"),
        // A CR ends a line in YAML, so the anchor would be outside of the comment.
        .file("workers: 1 # \rlimits: &a { connections: 1 }\n", "1:14 control character U+D"),
        .file("workers: 1\r", "1:11 control character U+D"),
        .section("workers: 1\nworkers: 2", "2:1 duplicate key 'workers'; remove one of them"),
        .section(
            "workers: 1\n\"workers\": 2\nlimits: { head_fields: 1, head_fields: 2, x: 1 }",
            "2:1 duplicate key 'workers'", "3:27 duplicate key 'head_fields'", "3:43 unknown key 'x' in limits"),
        .section("workers: 1\nworkers: 2\nworkers: 3", "2:1 duplicate key 'workers'", "3:1 duplicate key 'workers'"),
        .section("'workers': 1\n'workers': 2", "2:1 duplicate key 'workers'"),
        .section("? [a]\n: 1", "1:3 a key that is not a string"),
        .file("{ [a]: 1, [a]: 2 }", "1:3 a key that is not a string", "1:11 a key that is not a string"),
        .file("--- {\"a\":&a [x],\"b\":*a}\n", "1:10 YAML anchors", "1:21 YAML aliases"),
        .file(
            "%YAML 1.1\n--- {\"a\":&a [x],\"b\":*a}\n", "1:1 a YAML directive", "2:10 YAML anchors",
            "2:21 YAML aliases"),
        .file("%TAG ! tag:example,2000:\n--- !x\na: 1\n", "1:1 a YAML directive", "2:5 YAML tags"),
        .file("--- !!map\nworkers: 4\n", "1:5 YAML tags"),
        .file("--- &a\nworkers: 4\n", "1:5 YAML anchors"),
        .file("? &a x\n: *a\n", "1:3 YAML anchors", "2:3 YAML aliases"),
        .file("{? *a : 1}", "1:4 YAML aliases"),
        .file("a: [1, &b 2, ! 3, !<x> 4]", "1:8 YAML anchors", "1:14 YAML tags", "1:19 YAML tags"),
        .file("a: &\n", "1:4 YAML anchors"), .file("a: !x!y z\n", "1:4 not valid YAML (found undefined tag handle)"),
        .section("\"lim\\nits\": 1", "1:1 unknown key 'lim\\u000aits'"),
        .file(
            "upstreams: { \"a\\n\\eb\": { x: 1 } }\nroutes: [{ path: /, auth: none, upstream: api }]\n",
            "1:14 'a\\u000a\\u001bb' is not a valid upstream name",
            "1:24 upstreams.a\\u000a\\u001bb.servers is missing",
            "1:26 unknown key 'x' in upstreams.a\\u000a\\u001bb;", "2:43 there is no upstream 'api'"),
        .section("rules: { a: 1, a: 2 }", "1:8 rules is not the path of a file", "1:16 duplicate key 'a'"),
        .section("<<: { a: 1 }", "1:1 unknown key '<<'"),
        .file(String(repeating: "[", count: 2_000), "1:1 nested deeper than 64 levels"),
        .file(String(repeating: "[", count: 64) + "a" + String(repeating: "]", count: 64), "1:1 is not a mapping"),
    ]

    @Test(arguments: cases)
    func `invalid YAML is reported with line and column`(broken: BrokenConfiguration) { broken.check() }

    @Test func `invalid UTF-8 is reported with its position`() {
        let errors = ConfigurationTesting.errors(inBytes: Array("workers: 1\nlog: \u{e9}".utf8) + [0xC3, 0x28])
        #expect(errors.map(\.description) == ["gatehouse.yaml:2:7: not valid UTF-8; save the file as UTF-8"])
    }

    @Test func `a file larger than 1 MiB is rejected`() {
        let errors = ConfigurationTesting.errors(in: "#" + String(repeating: "x", count: 1_048_576))
        #expect(errors.map(\.what) == ["the file is larger than 1 MiB"])
    }

    @Test func `a missing file is reported with the reason`() throws {
        let errors = #expect(throws: ConfigurationErrors.self) {
            try Configuration.load(file: "/nowhere/gatehouse.yaml", environment: [:])
        }
        #expect(
            errors?.description.hasPrefix("/nowhere/gatehouse.yaml:1:1: there is no folder '/nowhere'; ")
                == true)
    }

    @Test(arguments: [
        ("gatehose.yaml", "did you mean 'gatehouse.yaml'? or create it"),
        ("production.yaml", "it has 'gatehouse.yaml', 'staging.yml'; or create it"),
    ])
    func `a missing file is reported with its folder and similar files`(name: String, remedy: String) throws {
        let folder = try ScratchFolder()
        for file in ["gatehouse.yaml", "staging.yml", "api.rules"] { try folder.write("", to: file) }
        let errors = #expect(throws: ConfigurationErrors.self) {
            try Configuration.load(file: folder.path(name), environment: [:])
        }
        #expect(errors?.errors.first?.what == "the folder '\(folder.path)' has no configuration file '\(name)'")
        #expect(errors?.errors.first?.remedy.hasPrefix(remedy) == true, "\(errors?.description ?? "")")
    }

    @Test func `a folder in place of the file is reported with the system's reason`() throws {
        let folder = try ScratchFolder()
        let errors = #expect(throws: ConfigurationErrors.self) {
            try Configuration.load(file: folder.path, environment: [:])
        }
        #expect(errors?.errors.first?.what == "the file cannot be read (Is a directory)")
    }

    /// Composing the key would hash 2^60 nodes.
    @Test(arguments: ["", "--- ", "%YAML 1.1\n--- "]) func `an alias bomb in a key is rejected without delay`(
        _ start: String
    ) {
        let levels = (1...60).map { "\"a\($0)\":&a\($0) [*a\($0 - 1),*a\($0 - 1)]" }
        let bomb = "\(start){\"a0\":&a0 [x],\(levels.joined(separator: ",")),? *a60 : 1,? [*a60] : 2}\n"
        #expect(bomb.utf8.count < 2_600)
        #expect(ConfigurationTesting.errors(in: bomb).count == ConfigurationErrors.maximumCount)
    }

    @Test func `parsing stops at its time limit`() throws {
        let source = try SourceText(Array("workers: 1\n".utf8), file: "gatehouse.yaml")
        let errors = #expect(throws: ConfigurationErrors.self) { try YAMLDocument(source, timeLimit: .seconds(-1)) }
        #expect(errors?.errors.map(\.what) == ["the file takes too long to parse"])
    }

    /// libyaml would compare each directive with all previous ones, for seconds in one call.
    @Test(arguments: ["%TAG !a#! tag:example,2000:a#\n", "%YAML 1.1\r\n", "%X\n"])
    func `many directives are rejected without delay`(line: String) {
        let lines = (0..<20_000).map { line.replacing("#", with: "\($0)") }.joined()
        var errors: [ConfigurationError] = []
        let time = processorTime { errors = ConfigurationTesting.errors(in: "# comment\n" + lines + "--- {}\n") }
        #expect(errors.map(\.description) == ["gatehouse.yaml:2:1: a YAML directive ('%'); remove it"])
        #expect(time < .seconds(3))
    }

    @Test func `an alias bomb is rejected without delay`() {
        let levels = (1...40).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]" }
        let errors = ConfigurationTesting.errors(in: "a0: &a0 [x]\n" + levels.joined(separator: "\n"))
        #expect(errors.count == ConfigurationErrors.maximumCount)
    }

    @Test func `a byte order mark and CRLF line endings are read`() throws {
        let yaml = "\u{FEFF}workers: 3\r\n" + BrokenConfiguration.rest.replacing("\n", with: "\r\n")
        #expect(try ConfigurationTesting.load(yaml).workers == 3)
    }

    @Test func `at most fifty errors are reported`() throws {
        let yaml = (0..<80).map { "key\($0): 1\n" }.joined()
        let errors = try #require(throws: ConfigurationErrors.self) { try ConfigurationTesting.load(yaml) }
        #expect(errors.errors.count == 50 && errors.isTruncated)
        #expect(errors.description.hasSuffix("(more errors follow; these are the first)"))
    }
}
