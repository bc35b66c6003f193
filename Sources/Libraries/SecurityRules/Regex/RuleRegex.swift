/// A regular expression in RE2 syntax. Matching is linear in the text and in the pattern.
///
/// Texts are Unicode scalars; `\d`, `\s`, `\w`, `\b` and `[[:alpha:]]` are ASCII. Back references, lookahead,
/// lookbehind and `\C` are not supported; `\p{...}` supports only general categories. `(?i)` uses simple case folding.
package struct RuleRegex: Sendable {
    private let compiled: Compiled

    /// A class, so that a program stores one word.
    private final class Compiled: Sendable {
        let program: RegexProgram
        /// `nil` if the pattern requires `ThreadMatcher`.
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

    /// Compiles a pattern during a request, at its cost. It omits the tables that only pay off for repeated use.
    package init(compiling pattern: String, _ work: inout WorkBudget) throws(RuleFailure) {
        let bytes = pattern.utf8.count
        guard bytes <= RegexLimits.patternBytes else { throw RuleFailure(.invalidText) }
        try work.take(bytes * RegexLimits.compileStepsPerByte)
        guard let source = try? RegexParser.parse(pattern) else { throw RuleFailure(.invalidText) }
        try work.take(source.root.size)
        compiled = Compiled(RegexProgram(source), nil)
    }

    var program: RegexProgram { compiled.program }

    /// The number of instructions, which bounds the cost for each scalar of a text.
    package var size: Int { program.instructions.count }

    /// The number of capturing groups.
    package var groups: Int { program.groups }

    /// Returns whether the whole text matches.
    package func matches(_ text: String, _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        try text.withBytes { bytes throws(RuleFailure) in
            if let word = compiled.word { return try word.matches(bytes, program, &work) }
            var matcher = try ThreadMatcher(program, bytes, groups: 0, &work)
            return try matcher.matchesWhole(&work)
        }
    }
}

extension String {
    /// Calls `body` with the text's bytes.
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
