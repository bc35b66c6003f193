import Dispatch
import Foundation
import Testing

@testable import SecurityRules

@Suite struct RuleLimitTests {
    private static let limit = RuleVerdict.denied(RuleDenial(.limit, rule: 0))

    /// An expression that costs `count` evaluations: calls of a function that returns a constant, and a chain around
    /// them.
    private func file(costing count: Int) -> String {
        let calls = Array(repeating: "f()", count: (count - 1) / 2).joined(separator: " && ")
        return "function f() { return true; } match /a { allow read: if \(calls); }"
    }

    @Test(arguments: [(999, true), (1001, false)])
    func `a request evaluates at most 1,000 expressions`(count: Int, isAllowed: Bool) throws {
        let verdict = try TestRequest("GET", "/a").verdict(file: file(costing: count))
        #expect(verdict == (isAllowed ? .isTrue : Self.limit))
    }

    @Test func `the limit applies to the request, not to each rule`() throws {
        let one = try Ruleset.file(file(costing: 601))
        let verdicts = TestRequest("GET", "/a").verdicts([one, one])
        #expect(verdicts == [.isTrue, Self.limit])
    }

    @Test func `an exceeded limit is not absorbed`() throws {
        let calls = Array(repeating: "f()", count: 600).joined(separator: " && ")
        let verdict = try TestRequest("GET", "/a").verdict(
            file: """
                function f() { return true; }
                match /a { allow read: if (\(calls)) || true; allow read; }
                """)
        #expect(verdict == Self.limit)
    }

    @Test func `a member costs as much as its parts`() throws {
        let claim = auth("ada", ["a": ["b": ["c": true]]])
        let chain = Array(repeating: "auth.token.a.b.c", count: 200).joined(separator: " && ")
        let recorder = RuleRecorder()
        var request = TestRequest("GET", "/a", auth: claim)
        #expect(try request.verdict(chain) == Self.limit)
        request.recorder = recorder
        #expect(try request.verdict(chain) == Self.limit)
        // The chain and 199 claims with 5 expressions each are 996. Of the next claim, 4 expressions begin without an
        // outcome.
        #expect(recorder.entries.filter { if case .value = $0.outcome { true } else { false } }.count == 995)
    }

    @Test func `long strings cost work`() throws {
        let doubled = (0..<40).reduce("'0123456789abcdef'") { text, _ in "d(\(text))" }
        let file = """
            function d(a) { return a + a + a + a; }
            match /a { allow read: if \(doubled) == '' || true; }
            """
        let verdict = try TestRequest("GET", "/a").verdict(file: file)
        #expect(verdict == Self.limit)
    }

    @Test(arguments: [(100, true), (101, false)])
    func `a path has at most 100 segments`(count: Int, isAllowed: Bool) throws {
        let request = TestRequest("GET", String(repeating: "/a", count: count))
        let verdict = isAllowed ? RuleVerdict.isTrue : .denied(RuleDenial(.limit))
        #expect(try request.verdict(file: "match /{rest=**} { allow read: if true; }") == verdict)
        #expect(try request.verdict("true") == verdict)
    }

    /// Each form nests as deep as functions and texts permit, which is more open expressions than a request can
    /// evaluate.
    @Test(arguments: [
        ("[", "][0]"), ("{'a': ", "}.a"), ("{'a': ", "}.get('a', 0)"), ("[", "].concat([])[0]"), ("debug(", ")"),
        ("math.abs(", ")"),
    ])
    func `the deepest rules fit a small stack`(before: String, after: String) throws {
        func nested(_ inner: String) -> String {
            String(repeating: before, count: 18) + inner + String(repeating: after, count: 18)
        }
        let functions = (2...20).map { "function f\($0)(a) { return \(nested("f\($0 - 1)(a)")); }\n" }
        let ruleset = try Ruleset.file(
            "function f1(a) { return \(nested("a")); }\n\(functions.joined())match /a { allow read: if f20(1) == 1; }")
        #expect(onSmallStack { TestRequest("GET", "/a").verdict(ruleset) } != nil)
    }
}

/// The default stack size of threads on small systems. Without optimization, eight times as much.
private let smallStack = {
    #if DEBUG
        8 * 512 * 1024
    #else
        512 * 1024
    #endif
}()

/// Runs a closure on a thread with a small stack.
func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
    let outcome = Outlet<Result>()
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
        outcome.value = body()
        isDone.signal()
    }
    thread.stackSize = smallStack
    thread.start()
    isDone.wait()
    return outcome.value
}

/// Written before the semaphore is signalled, and read after the wait.
private final class Outlet<Value: Sendable>: @unchecked Sendable {
    var value: Value?
}
