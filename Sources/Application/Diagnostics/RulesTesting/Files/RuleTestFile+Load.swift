import GatewayConfiguration
package import GatewayCore

extension RuleTestFile {
    /// Loads a test file and its rules, or a rules file and its tests.
    ///
    /// - Parameter file: `notes.test.yaml`, another YAML test file, or `notes.rules`.
    /// - Throws: All errors of both files, with line and column.
    package static func load(_ file: String) throws(ConfigurationErrors) -> RuleTestFile {
        let tests = testFile(for: file)
        return try load(bytes: read(tests, for: file), file: tests)
    }

    /// Returns the test file: `notes.test.yaml` for `notes.rules`, otherwise the file itself.
    package static func testFile(for file: String) -> String {
        guard file.hasSuffix(".rules") else { return file }
        return file.dropLast(".rules".count) + suffix
    }

    /// Loads a test file from memory, with rules files from `files` by path, or from the file system if it is `nil`.
    static func load(
        bytes: [UInt8], file: String, files: [String: [UInt8]]? = nil
    ) throws(ConfigurationErrors) -> RuleTestFile {
        let source: SourceText
        do {
            source = try SourceText(bytes, file: file)
        } catch {
            throw ConfigurationErrors([error])
        }
        let substitution = Substitution(environment: [:], directory: ".", isOff: true)
        let context = LoadingContext(document: try YAMLDocument(source), substitution: substitution)
        var reader = RuleTestReader(context: context, file: file, files: files)
        return try reader.read()
    }

    private static func read(_ tests: String, for file: String) throws(ConfigurationErrors) -> [UInt8] {
        do {
            return try BoundedFile.read(tests, atMost: SourceText.maximumSize)
        } catch {
            throw ConfigurationErrors([error.isMissing ? missing(tests, for: file) : failure(error, tests, for: file)])
        }
    }

    /// Returns the error for missing tests, or for a missing rules file.
    private static func missing(_ tests: String, for file: String) -> ConfigurationError {
        guard tests != file, FileFingerprint(of: file) != nil else {
            let isRules = file.hasSuffix(".rules")
            return MissingFile.error(
                file, kind: isRules ? "rules file" : "file of tests", suffixes: [isRules ? ".rules" : ".test.yaml"],
                creation: isRules ? "create it (docs/guides/rules.md)" : "name a rules file, whose tests are beside it")
        }
        return ConfigurationError(
            location: SourceLocation(file: tests, line: 1, column: 1), what: "\(Quoted(file)) has no tests",
            remedy: "create this file, as in tests: [{ request: GET /notes, auth: none, expect: deny }]")
    }

    private static func failure(_ failure: BoundedFile.Failure, _ tests: String, for file: String) -> ConfigurationError
    {
        let start = SourceLocation(file: tests, line: 1, column: 1)
        switch failure {
        case .tooLarge:
            return ConfigurationError(location: start, what: "the tests are larger than 1 MiB", remedy: "split them")
        case .unreadable(let reason):
            let isMeant = tests == file
            return ConfigurationError(
                location: start, what: "the tests\(isMeant ? "" : " of \(file)") cannot be read (\(reason))",
                remedy: isMeant ? "name a file of tests, or a .rules file with its tests beside it" : "write that file")
        }
    }
}
