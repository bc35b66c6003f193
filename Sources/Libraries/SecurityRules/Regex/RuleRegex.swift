/// A regular expression in the syntax of RE2, matched in time linear in text and pattern, whatever both are.
///
/// Texts are Unicode scalars; `\d`, `\s`, `\w`, `\b` and `[[:alpha:]]` are ASCII. There are no back references, no looking ahead or behind,
/// no `\C`, and of `\p{...}` the general categories alone. `(?i)` takes scalars for the same that have the same simple case folding.
package struct RuleRegex: Sendable {
    private let compiled: Compiled

    /// A class, so that a program holds one word.
    private final class Compiled: Sendable {
        let program: RegexProgram
        /// Nil: the threads match.
        let word: WordMatcher?

        init(_ program: RegexProgram, _ word: WordMatcher?) {
            self.program = program
            self.word = word
        }
    }

    /// Compiles a pattern of at most `RegexLimits.patternBytes`.
    package init(_ pattern: String) throws(RegexProblem) {
        let program = RegexProgram(try RegexParser.parse(pattern))
        compiled = Compiled(program, WordMatcher(program))
    }

    /// Compiles a pattern that came with a request, charged to its work; without the tables that pay only when it is used again.
    package init(compiling pattern: String, _ work: inout WorkBudget) throws(RuleFailure) {
        let bytes = pattern.utf8.count
        guard bytes <= RegexLimits.patternBytes else { throw RuleFailure(.invalidText) }
        try work.take(bytes * RegexLimits.compileStepsPerByte)
        guard let source = try? RegexParser.parse(pattern) else { throw RuleFailure(.invalidText) }
        try work.take(source.root.size)
        compiled = Compiled(RegexProgram(source), nil)
    }

    var program: RegexProgram { compiled.program }

    /// How many instructions it has: what a scalar of a text costs at most grows with that.
    package var size: Int { program.instructions.count }

    /// How many groups capture.
    package var groups: Int { program.groups }

    /// Whether the whole text matches.
    package func matches(_ text: String, _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        try text.withBytes { bytes throws(RuleFailure) in
            if let word = compiled.word { return try word.matches(bytes, program, &work) }
            var matcher = try ThreadMatcher(program, bytes, groups: 0, &work)
            return try matcher.matchesWhole(&work)
        }
    }
}

extension String {
    /// The text's bytes.
    func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) throws(RuleFailure) -> R) throws(RuleFailure) -> R {
        let direct = utf8.withContiguousStorageIfAvailable { Self.outcome($0, body) }
        if let direct { return try direct.get() }
        return try Array(utf8).withUnsafeBufferPointer(body)
    }

    private static func outcome<R>(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws(RuleFailure) -> R
    ) -> Result<R, RuleFailure> {
        do throws(RuleFailure) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
}
