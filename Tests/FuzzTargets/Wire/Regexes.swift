internal import SecurityRules

/// Regular expressions of rules: every matcher has the same result as a simple one, within the limit of work.
///
/// The input is a pattern, a text and a replacement, on a line each; the replacement may have several.
public func fuzzRegexes(_ input: UnsafeRawBufferPointer) {
    let lines = input.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    let texts = lines.map { String(decoding: $0, as: UTF8.self) } + ["", "", ""]
    let (pattern, text, replacement) = (texts[0], texts[1], texts[2])
    let plain = PlainRegex(pattern)
    guard let regex = compiled(pattern) else {
        return require(plain == nil, "what the plainest reader can read is a pattern")
    }
    let matches = checkMatch(regex, text)
    checkThreads(pattern, text, matches)
    checkAnchored(pattern, text, matches)
    checkReplace(regex, text, replacement)
    checkSplit(regex, text)
    if let plain, let expected = plain.matches(text), let matches {
        require(matches == expected, "a text matches where the plainest matcher says so")
    }
}

/// Returns the compiled pattern; checks the error of an invalid one.
private func compiled(_ pattern: String) -> RuleRegex? {
    var work = WorkBudget()
    let again = try? RuleRegex(compiling: pattern, &work)
    do throws(RegexProblem) {
        let regex = try RuleRegex(pattern)
        require(again.map { $0.size == regex.size } ?? (work.left == 0), "a pattern compiles to the same again")
        require(regex.size <= 10_001, "a program is bounded")
        return regex
    } catch {
        require(again == nil, "what is no pattern is none for a request")
        require((0...pattern.unicodeScalars.count).contains(error.offset), "a problem has its place in the pattern")
        for text in [error.what, error.remedy] {
            require(!text.isEmpty && !text.unicodeScalars.contains { $0.value < 0x20 }, "it is told on one line")
        }
        return nil
    }
}

/// Returns a result; `nil` after too much work, which the sizes must justify.
private func bounded<R>(
    _ regex: RuleRegex, _ text: String, _ body: (inout WorkBudget) throws(RuleFailure) -> R
) -> R? {
    var work = WorkBudget()
    let limit = work.left
    let bound = (text.utf8.count + 2) * (8 * regex.size + 64)
    do throws(RuleFailure) {
        let result = try body(&work)
        require(limit - work.left <= bound, "work is linear in text and program")
        return result
    } catch {
        require(error.reason == .tooMuchWork, "a match fails by its work alone")
        require(limit <= bound, "and only where text or program are large")
        return nil
    }
}

private func checkMatch(_ regex: RuleRegex, _ text: String) -> Bool? {
    let first = bounded(regex, text) { work throws(RuleFailure) in try regex.matches(text, &work) }
    let second = bounded(regex, text) { work throws(RuleFailure) in try regex.matches(text, &work) }
    require(first == second, "matching twice is the same")
    return first
}

/// Adds an alternative that never matches and does not fit in a machine word.
private func checkThreads(_ pattern: String, _ text: String, _ matches: Bool?) {
    guard let matches, let threads = try? RuleRegex(#"\b\B|"# + pattern), let found = checkMatch(threads, text) else {
        return
    }
    require(found == matches, "both matchers say the same")
}

/// Anchors at both ends do not change a match of the whole text.
private func checkAnchored(_ pattern: String, _ text: String, _ matches: Bool?) {
    guard let matches, let anchored = try? RuleRegex(#"\A(?:"# + pattern + #")\z"#) else { return }
    var work = WorkBudget()
    guard let found = try? anchored.matches(text, &work) else { return }
    require(found == matches, "anchors at both ends change nothing")
    guard let replaced = try? anchored.replaceAll(in: text, with: "x", &work) else { return }
    require(replaced.utf8.elementsEqual((matches ? "x" : text).utf8), "what matches whole is replaced whole")
}

private func checkReplace(_ regex: RuleRegex, _ text: String, _ replacement: String) {
    var work = WorkBudget()
    if let same = try? regex.replaceAll(in: text, with: #"\0"#, &work) {
        require(same.utf8.elementsEqual(text.utf8), "matches replaced by themselves leave the text")
    }
    let problem = regex.problem(ofReplacement: replacement)
    var fresh = WorkBudget()
    do throws(RuleFailure) {
        _ = try regex.replaceAll(in: text, with: replacement, &fresh)
        require(problem == nil, "what is no replacement is refused")
    } catch {
        let isFit = problem == nil
        require(error.reason == (isFit ? .tooMuchWork : .invalidArgument), "a replacement fails for its reason")
        if let problem {
            require((0..<replacement.unicodeScalars.count).contains(problem.offset), "whose place is in it")
        }
    }
}

private func checkSplit(_ regex: RuleRegex, _ text: String) {
    var work = WorkBudget()
    guard let parts = try? regex.split(text, &work), let rest = try? regex.replaceAll(in: text, with: "", &work)
    else { return }
    require(text.isEmpty || parts.joined().utf8.elementsEqual(rest.utf8), "parts are what is left without the matches")
    require(!parts.isEmpty && parts.count <= text.unicodeScalars.count + 1, "there is no part too many")
}
