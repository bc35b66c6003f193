import Testing

@testable import Routing
@testable import SystemFixtures

/// Random paths that consist of special pieces.
@Suite struct CanonicalPathFuzzTests {
    static let pieces = [
        "/", "/", "/", "//", ".", "..", "a", "B", "~", ";", "%2e", "%2E", "%2f", "%2F", "%25", "%41", "%7e", "%c3%a9",
        "%3B", "%20", "%40", "@", "2", "e", "E", "f", "5", "c", "%32", "%65", "0", "%", "%5c", "\\", "#", "%00",
        "\u{1}", "é", "?",
        "|",
    ]
    /// Without pieces that are always rejected, so that most paths are accepted.
    static let mildPieces = Array(pieces.prefix(30)).filter { !["%25", ";", "%3B", "%2f", "%2F"].contains($0) }

    private static func path(_ random: inout SeededRandom, of pieces: [String]) -> String {
        let count = Int.random(in: 0...12, using: &random)
        return "/" + (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    }

    private static func paths(seed: UInt64) -> [String] {
        var random = SeededRandom(seed: seed)
        return (0..<Thoroughness.rounds(1_000, full: 4_000)).map {
            path(&random, of: $0 % 2 == 0 ? pieces : mildPieces)
        }
    }

    @Test(arguments: [1, 2, 3, 4])
    func `canonicalization is idempotent`(seed: UInt64) throws {
        var accepted = 0
        for path in Self.paths(seed: seed) {
            guard let forms = try? canonicalForms(path) else { continue }
            accepted += 1
            let again = try canonicalForms(forms.merged)
            if again.merged != forms.merged || again.unmerged != forms.merged { Issue.record("\(path)") }
            if try canonicalForms(forms.unmerged).unmerged != forms.unmerged { Issue.record("\(path)") }
        }
        #expect(accepted > Thoroughness.rounds(250, full: 1_000))
    }

    @Test(arguments: [11, 12, 13, 14])
    func `the result has no dot segment, empty segment or unreserved escape`(seed: UInt64) {
        for path in Self.paths(seed: seed) {
            guard let forms = try? canonicalForms(path) else { continue }
            let segments = forms.unmerged.split(separator: "/", omittingEmptySubsequences: false)
            let isClean =
                !segments.contains(".") && !segments.contains("..") && !forms.merged.contains("//")
                && forms.merged.hasPrefix("/") && forms.merged.utf8.count <= path.utf8.count
                && Self.escapes(in: forms.unmerged).allSatisfy(Self.mayStay)
            if !isClean { Issue.record("\(path): \(forms)") }
        }
    }

    @Test(arguments: [21, 22, 23, 24])
    func `the result equals the rules applied one by one`(seed: UInt64) {
        for path in Self.paths(seed: seed) {
            let forms = try? canonicalForms(path)
            let expected = ReferenceCanonicalizer.canonicalize(path)
            if forms?.unmerged != expected?.unmerged || forms?.merged != expected?.merged {
                Issue.record("\(path): \(String(describing: forms)), not \(String(describing: expected))")
            }
        }
    }

    @Test func `the scan for canonical paths agrees with the rewriting`() {
        var random = SeededRandom(seed: 31)
        for _ in 0..<Thoroughness.rounds(2_500, full: 10_000) {
            let path = Self.path(&random, of: Self.mildPieces)
            let isCanonical = Array(path.utf8).withUnsafeBytes { CanonicalPath.isCanonical($0) }
            let expected = ReferenceCanonicalizer.canonicalize(path)
            if isCanonical, expected?.unmerged != path || expected?.merged != path { Issue.record("\(path)") }
        }
    }

    private static func escapes(in path: String) -> [Substring] {
        path.indices.filter { path[$0] == "%" }.map { path[$0...].prefix(3) }
    }

    private static func mayStay(_ escape: Substring) -> Bool {
        guard escape.count == 3, let value = UInt8(escape.dropFirst(), radix: 16) else { return false }
        let character = Character(Unicode.Scalar(value))
        let isUnreserved = character.isASCII && (character.isLetter || character.isNumber || "-._~".contains(character))
        return escape == escape.uppercased() && !isUnreserved && value != 0 && value != 0x5C
    }
}

/// The rules of the design, applied in turn to strings: a slow reference.
enum ReferenceCanonicalizer {
    static func canonicalize(_ path: String) -> (merged: String, unmerged: String)? {
        guard path.hasPrefix("/"), let decoded = decode(path), !isDoublyEncoded(decoded) else { return nil }
        var result: [Substring] = []
        let segments = decoded.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            guard !isRefused(segment) else { return nil }
            switch segment {
            case ".": if isLast { result.append("") }
            case "..":
                guard result.popLast() != nil else { return nil }
                if isLast { result.append("") }
            default: result.append(segment)
            }
        }
        let unmerged = "/" + result.joined(separator: "/")
        var merged = unmerged
        while let range = merged.firstRange(of: "//") { merged.replaceSubrange(range, with: "/") }
        return (merged, unmerged)
    }

    private static func decode(_ path: String) -> String? {
        var output = ""
        var rest = path[...]
        while let character = rest.first {
            guard let value = character.asciiValue, value > 0x20, value < 0x7F, !"\\#?".contains(character) else {
                return nil
            }
            guard character == "%" else {
                output.append(rest.removeFirst())
                continue
            }
            let escape = rest.prefix(3)
            guard escape.count == 3, escape.dropFirst().allSatisfy(\.isHexDigit),
                let value = UInt8(escape.dropFirst(), radix: 16), value != 0, value != 0x5C
            else { return nil }
            let decoded = Character(Unicode.Scalar(value))
            let isUnreserved = decoded.isASCII && (decoded.isLetter || decoded.isNumber || "-._~".contains(decoded))
            output += isUnreserved ? String(decoded) : escape.uppercased()
            rest = rest.dropFirst(3)
        }
        return output
    }

    private static func isDoublyEncoded(_ path: String) -> Bool {
        let lower = path.lowercased()
        return ["%252e", "%252f", "%255c", "%2500", "%2525"].contains { lower.contains($0) }
    }

    private static func isRefused(_ segment: Substring) -> Bool {
        let pieces = segment.split(separator: "%2F", omittingEmptySubsequences: false)
        let hasParameter = pieces.contains { piece in
            [".;", "..;", ".%3B", "..%3B"].contains { piece.hasPrefix($0) }
        }
        return hasParameter || pieces.count > 1 && (pieces.contains(".") || pieces.contains(".."))
    }
}
