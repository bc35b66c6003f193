import Gatehouse
import GatewayConfiguration
import GatewayCore
import Routing
import SecurityRules

extension KnownKeys {
    static let ruleTests = KnownKeys("", ["rules", "allow", "path", "now", "host", "users", "tests"])
    static let ruleTest = KnownKeys(
        "tests[]", ["name", "request", "auth", "expect", "rule"], empty: ["auth": .null])

    /// All mappings with fixed keys in a test file.
    static let ofRuleTests = [ruleTests, ruleTest, ruleTestRequest, ruleTestApp, stepUp, ruleTestUser]
}

/// A reader of one test file. It collects errors in the context.
struct RuleTestReader {
    /// The default time of requests, so that results do not depend on the current time.
    static let defaultTime: Int64 = 1_767_268_800
    static let defaultHost = "api.example.com"

    let context: LoadingContext
    let file: String
    private let files: [String: [UInt8]]?
    private(set) var time = RuleTestReader.defaultTime
    private(set) var host = RuleTestReader.defaultHost
    private(set) var users: [String: RuleTestUser] = [:]
    private(set) var rules: RulesUnderTest?
    /// Errors of the rules.
    private var problems: [ConfigurationError] = []

    init(context: LoadingContext, file: String, files: [String: [UInt8]]?) {
        self.context = context
        self.file = file
        self.files = files
    }

    mutating func read() throws(ConfigurationErrors) -> RuleTestFile {
        let tests = readDocument()
        let errors = context.errors + problems
        guard errors.isEmpty, let rules else { throw ConfigurationErrors(errors) }
        let warnings = rules.ruleset.warnings.map {
            ConfigurationWarning(location: SourceLocation($0.location), what: $0.what, remedy: $0.remedy)
        }
        return RuleTestFile(file: file, rules: rules, tests: tests, warnings: warnings)
    }

    private mutating func readDocument() -> [RuleTest] {
        let start = SourceLocation(file: file, line: 1, column: 1)
        guard let node = context.document.root else {
            context.fail(start, "the file is empty", "write at least one test under tests")
            return []
        }
        guard
            let root = ConfigurationValue(node, name: "", context: context, permitting: .collection).mapping(.ruleTests)
        else { return [] }
        root.set(&time, "now") { $0.moment() }
        root.set(&host, "host") { $0.string(atMost: 253) }
        readUsers(root)
        readRules(root)
        return readTests(root)
    }

    private mutating func readUsers(_ root: MappingReader) {
        guard let value = root.value("users"), let entries = value.entries(permitting: .collection) else { return }
        guard entries.count <= RuleTestFile.maximumUsers else {
            context.fail(value.location, "more than \(RuleTestFile.maximumUsers) users", "split the file")
            return
        }
        for entry in entries { users[entry.key] = entry.value.ruleTestUser(named: entry.key) }
    }

    private func readTests(_ root: MappingReader) -> [RuleTest] {
        guard let value = root.required("tests", "add at least one"), let elements = value.sequence() else { return [] }
        guard elements.count <= RuleTestFile.maximumTests else {
            context.fail(value.location, "more than \(RuleTestFile.maximumTests) tests", "split the file")
            return []
        }
        return elements.compactMap(readTest)
    }
}

// MARK: The rules

extension RuleTestReader {
    private mutating func readRules(_ root: MappingReader) {
        if let allow = root.value("allow") { return readCondition(allow, root) }
        if root.value("path") != nil {
            context.fail(root.location(of: "path"), "path requires allow", "add allow: CONDITION, or remove it")
        }
        guard let value = root.value("rules") else { return readNeighbour() }
        guard let name = value.string() else { return }
        load(name.hasPrefix("/") ? name : folder + name, namedAt: value.location)
    }

    /// Reads the rules file with the same base name.
    private mutating func readNeighbour() {
        guard file.hasSuffix(RuleTestFile.suffix) else {
            context.fail(
                SourceLocation(file: file, line: 1, column: 1), "neither rules nor allow is specified",
                "add rules: FILE, or allow: CONDITION and path: PATTERN")
            return
        }
        load(file.dropLast(RuleTestFile.suffix.count) + ".rules", namedAt: nil)
    }

    private var folder: String {
        file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    }

    private mutating func load(_ rules: String, namedAt place: SourceLocation?) {
        do throws(ConfigurationErrors) {
            let bytes = try RulesUnderTest.read(rules, namedAt: place, files: files)
            self.rules = try .file(rules, bytes)
        } catch {
            problems += error.errors
        }
    }

    private mutating func readCondition(_ allow: ConfigurationValue, _ root: MappingReader) {
        if root.value("rules") != nil {
            context.fail(root.location(of: "rules"), "both rules and allow are specified", "keep one of them")
        }
        guard let path = root.required("path", "add the route's pattern, as in /v1/users/{uid}"),
            let text = path.string(atMost: RoutePattern.maximumLength), let condition = allow.rulesExpression(),
            case .scalar(let scalar) = allow.content
        else { return }
        let place = Self.place(of: scalar, at: allow.location)
        do {
            rules = try .condition(condition.text, at: place, pattern: try RoutePattern(text))
        } catch let error as PatternError {
            context.fail(path.location, "path is not a valid pattern: \(error)", "write the pattern of the route")
        } catch {
            problems += (error as? ConfigurationErrors)?.errors ?? []
        }
    }
}

extension RuleTestReader {
    /// Returns the location of a scalar's text: after the quote, or on the line after `|` or `>`, whose indentation is
    /// unknown.
    private static func place(of scalar: ConfigurationValue.Scalar, at start: SourceLocation) -> SourceLocation {
        if scalar.isPlain { return start }
        let isBlock = scalar.text.contains("\n")
        return SourceLocation(
            file: start.file, line: start.line + (isBlock ? 1 : 0), column: isBlock ? 1 : start.column + 1)
    }
}

// MARK: A test

extension RuleTestReader {
    private func readTest(_ value: ConfigurationValue) -> RuleTest? {
        guard let mapping = value.mapping(.ruleTest) else { return nil }
        let name = mapping.required("name", "describe the test")?.string(atMost: 256)
        let request = mapping.required("request", "as in GET /v1/users/ann")?.ruleTestRequest(at: time, of: host)
        let expectation = mapping.required("expect", "write allow, deny, step-up or second-factor")?.ruleExpectation()
        let user = mapping.value("auth").map { readUser($0) }
        let line = mapping.value("rule")?.integer(in: 1...RuleSource.maximumSize)
        if line != nil, expectation == .deny {
            context.fail(mapping.location(of: "rule"), "a denial has no deciding rule", "remove rule")
        }
        if let request { check(request, mapping) }
        // An invalid user is not treated as anonymous; it is already an error.
        guard let name, let request, let expectation else { return nil }
        return RuleTest(
            location: value.location, name: name, request: request, user: user ?? nil, expectation: expectation,
            line: line)
    }

    private func readUser(_ value: ConfigurationValue) -> RuleTestUser? {
        guard case .scalar = value.content else { return value.ruleTestUser(named: nil) }
        guard let name = value.string() else { return nil }
        if let user = users[name] { return user }
        let remedy =
            Spelling.suggestion(for: name, among: users.keys.sorted()).map { "did you mean '\($0)'?" }
            ?? "add \(Quoted(name).unquoted) to users, or write { uid: ... } here"
        return value.fail("there is no user \(value.shown)", remedy)
    }

    /// Checks that the path matches the route's pattern, because the gateway evaluates the condition only then.
    private func check(_ request: RuleTestRequest, _ mapping: MappingReader) {
        guard let pattern = rules?.pattern, !pattern.matches(canonical: request.path) else { return }
        context.fail(
            mapping.location(of: "request"), "the request's path does not match the route's pattern",
            "the route's condition would not be evaluated; correct the path of the request, or path")
    }
}

extension RoutePattern {
    /// Returns whether a canonical path matches the pattern.
    fileprivate func matches(canonical path: [UInt8]) -> Bool {
        var parts = path.dropFirst().split(separator: PathBytes.slash, omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        guard parts.count == segments.count || (rest != .none && parts.count > segments.count) else { return false }
        return zip(segments, parts).allSatisfy { segment, part in
            guard case .literal(let literal) = segment else { return !part.isEmpty }
            return literal.elementsEqual(part.withUnsafeBytes(SegmentKey.decode))
        }
    }
}
