extension RuleRegex {
    /// Returns the error of a replacement for this pattern, if any.
    package func problem(ofReplacement replacement: String) -> RegexProblem? {
        do throws(RegexProblem) {
            _ = try RegexReplacement(replacement, groups: groups)
            return nil
        } catch {
            return error
        }
    }

    /// Replaces all matches, like RE2's GlobalReplace: the leftmost first, with the preferred alternative. An empty
    /// match directly after the previous match does not count.
    ///
    /// - Parameter replacement: `\0` to `\9` and `\\` as in RE2. Other escapes and unknown groups fail.
    package func replaceAll(
        in text: String, with replacement: String, _ work: inout WorkBudget
    ) throws(RuleFailure) -> String {
        try work.take(replacement.utf8.count)
        guard let parsed = try? RegexReplacement(replacement, groups: groups) else {
            throw RuleFailure(.invalidArgument)
        }
        return try text.withBytes { bytes throws(RuleFailure) in
            var (output, copied) = ([UInt8](), 0)
            try eachMatch(in: bytes, groups: parsed.groups, &work) { found, work throws(RuleFailure) in
                try output.append(bytes, copied..<found[0], &work)
                try output.append(parsed, bytes, found, &work)
                copied = found[1]
            }
            try output.append(bytes, copied..<bytes.count, &work)
            return String(decoding: output, as: UTF8.self)
        }
    }

    /// Returns the parts of the text between matches, like Go's Split: an empty match separates scalars, except at
    /// the start.
    package func split(_ text: String, _ work: inout WorkBudget) throws(RuleFailure) -> [String] {
        guard !text.isEmpty else { return [""] }
        return try text.withBytes { bytes throws(RuleFailure) in
            var (parts, start, end) = ([String](), 0, 0)
            try eachMatch(in: bytes, groups: 0, &work) { found, work throws(RuleFailure) in
                end = found[0]
                guard found[1] > 0 else { return }
                try work.take(1 + end - start)
                parts.append(String(decoding: bytes[start..<end], as: UTF8.self))
                start = found[1]
            }
            if end < bytes.count {
                try work.take(1 + bytes.count - start)
                parts.append(String(decoding: bytes[start...], as: UTF8.self))
            }
            return parts
        }
    }

    /// Calls `body` with the bounds of each match and its groups.
    private func eachMatch(
        in bytes: UnsafeBufferPointer<UInt8>, groups: Int, _ work: inout WorkBudget,
        _ body: ([Int], inout WorkBudget) throws(RuleFailure) -> Void
    ) throws(RuleFailure) {
        var matcher = try ThreadMatcher(program, bytes, groups: groups, &work)
        var (offset, lastEnd) = (0, -1)
        while offset <= bytes.count, try matcher.search(from: offset, &work) {
            let (start, end) = (matcher.found[0], matcher.found[1])
            if start == end, start == lastEnd {
                guard start < bytes.count else { return }
                offset = start + TextScalar(bytes, at: start).length
            } else {
                try body(matcher.found, &work)
                (offset, lastEnd) = (end, end)
            }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ work: inout WorkBudget
    ) throws(RuleFailure) {
        try work.take(range.count)
        append(contentsOf: bytes[range])
    }

    fileprivate mutating func append(
        _ replacement: RegexReplacement, _ bytes: UnsafeBufferPointer<UInt8>, _ found: [Int],
        _ work: inout WorkBudget
    ) throws(RuleFailure) {
        for part in replacement.parts {
            switch part {
            case .text(let text):
                try work.take(1 + text.count)
                append(contentsOf: text)
            case .group(let group):
                // A group without a match is empty.
                guard found[2 * group] >= 0, found[2 * group] <= found[2 * group + 1] else { continue }
                try append(bytes, found[2 * group]..<found[2 * group + 1], &work)
            }
        }
    }
}
