import AdminAPI
import Authorization
import Foundation
import GatewayConfiguration
import GatewayCore
import SecurityRules
import Synchronization
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

/// The evaluation of rules for requests that operators state.
@Suite struct RulePlaygroundTests {
    private static let rules = """
        rules_version = '2';
        service gatehouse.http {
          match /v1/{uid} {
            allow read: if auth.uid == uid;
            allow write: if recentSignIn(duration.value(5, 'm'));
          }
        }
        """

    private func snapshot(allow: String? = nil) throws -> Snapshot {
        let folder = try ScratchFolder()
        let file = folder.path("api.rules")
        try Data(Self.rules.utf8).write(to: URL(filePath: file))
        var configuration = try ConfigurationTesting.load(BrokenConfiguration.beforeRoute + "    path: /v1/{uid}\n")
        let place = SourceLocation(file: "gatehouse.yaml", line: 2, column: 8)
        configuration.rules = Configuration.RulesFile(path: file, location: place)
        configuration.routes[0].allow = allow.map { Configuration.RulesExpression($0, location: place) }
        return try Snapshot(configuration)
    }

    private func evaluate(
        _ body: String, allow: String? = nil, clock: GatewayClock = ManualClock().clock
    ) async throws -> RuleAnswer {
        let question = try RuleQuestion(Array(body.utf8))
        return try await RulePlayground(clock: clock).evaluate(question, with: try snapshot(allow: allow))
    }

    /// The reason that a question is invalid.
    private func flaw(_ body: String) async throws -> String {
        do {
            _ = try await evaluate(body)
            return "none"
        } catch AdministrationError.invalid(let reason) {
            return reason
        }
    }

    private func edited(_ condition: String, auth: String = "null", more: String = "") -> String {
        let rules = "rules_version = '2'; service gatehouse.http { match /{p=**} { allow read: if \(condition); } }"
        return #"{"path":"/v1/ada","rules":"\#(rules)","auth":\#(auth)\#(more)}"#
    }

    @Test func `the active rules are evaluated with the stated user, and then the route's condition`() async throws {
        let body = #"{"method":"GET","path":"/v1/ada?x=1","auth":{"uid":"ada","token":{}}}"#
        let answer = try await evaluate(body, allow: "request.query.x == '2'")
        #expect(answer.route == "/v1/{uid}" && answer.path == "/v1/ada" && answer.applies)
        #expect(answer.results.map(\.verdict) == [.allowed(rule: 0, signedInAt: nil), .isFalse])
        #expect(answer.results[1].rule == "gatehouse.yaml:2")
        #expect(answer.results[1].reason == "rules: the condition is false")
        let lines = answer.results[0].trace.sections.flatMap(\.lines).map { "\($0.depth) \($0.text) \($0.outcome)" }
        #expect(lines.first == "0 auth.uid == uid true" && lines.contains("1 auth.uid 'ada'"))
    }

    @Test func `the sign-in is that of the stated claims, at the stated time`() async throws {
        for (time, verdict) in [
            (1_700_000_100, RuleVerdict.allowed(rule: 1, signedInAt: nil)),
            (1_700_001_000, .needsRecentSignIn(maxAge: 300, rule: 1)),
        ] {
            let auth = #"{"uid":"eve","token":{"auth_time":1700000000}}"#
            let body = #"{"method":"PUT","path":"/v1/ada","auth":\#(auth),"time":\#(time)}"#
            let answer = try await evaluate(body)
            #expect(answer.results.map(\.verdict) == [verdict])
        }
    }

    @Test func `edited rules replace the file, and their errors have places`() async throws {
        let answer = try await evaluate(edited("request.host == 'localhost'"))
        #expect(answer.results.map(\.verdict) == [.allowed(rule: 0, signedInAt: nil)])
        let flaw = try await flaw(edited("nothing == 1"))
        #expect(flaw.contains("api.rules:1:") && flaw.contains("nothing"))
    }

    @Test(arguments: [
        "get(/databases/(default)/documents/a).data.b == 1", "exists(/databases/(default)/documents/a)",
        "getAfter(/a/b).data.c == 1", "firestore.get(/a/b).data.c", "environment.PATH == ''", "secrets.token == ''",
        "request.auth.store == 1 && process.env.X == 1",
    ])
    func `rules have no function or name that reads other data`(condition: String) async throws {
        let reason = try await flaw(edited(condition))
        #expect(reason.contains("api.rules:1:"), "\(reason)")
    }

    @Test func `credentials and the fields of the gateway are not readable, as for requests`() async throws {
        let headers =
            #","headers":{"Authorization":"Bearer x","Cookie":"a=b","X-Auth-Uid":"eve","X-Mine":"yes"}"#
        let answer = try await evaluate(edited("request.headers.keys().hasOnly(['host', 'x-mine'])", more: headers))
        #expect(answer.results.map(\.verdict) == [.allowed(rule: 0, signedInAt: nil)])
    }

    @Test func `a request that the gateway rejects before rules is an error`() async throws {
        for body in [
            #"{"path":"/v1/a%00b"}"#, #"{"path":"nothing"}"#, #"{"method":"G T"}"#,
            #"{"path":"/v1/a HTTP/1.1\r\nX: y"}"#, #"{"headers":{"x":"a\r\nHost: b"}}"#, #"{"headers":{"a b":"c"}}"#,
        ] {
            let reason = try await flaw(body)
            #expect(reason != "none", "\(body)")
        }
    }

    @Test func `a path without a route is evaluated, and marked`() async throws {
        let answer = try await evaluate(#"{"path":"/elsewhere"}"#)
        #expect(answer.route == nil && !answer.applies)
        #expect(answer.results.map(\.verdict) == [.denied(RuleDenial(.noRule))])
    }

    @Test func `an evaluation beyond the deadline is denied`() async throws {
        let calls = Mutex<UInt64>(0)
        // Each look at the clock takes a second.
        let clock = GatewayClock(
            now: { ManualClock.start },
            monotonic: {
                calls.withLock { calls in
                    calls += 1
                    return calls * 1_000_000_000
                }
            })
        let answer = try await evaluate(edited("'a' == 'b' || 'a' == 'c' || 'a' == 'd'"), clock: clock)
        #expect(answer.results.map(\.verdict) == [.denied(RuleDenial(.limit, rule: 0))])
    }

    @Test func `one evaluation runs at a time`() async throws {
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let first = Mutex(true)
        let clock = GatewayClock(
            now: { ManualClock.start },
            monotonic: {
                let isFirst = first.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if isFirst {
                    entered.signal()
                    leave.wait()
                }
                return 0
            })
        let (playground, snapshot) = (RulePlayground(clock: clock), try snapshot())
        let question = try RuleQuestion(Array("{}".utf8))
        let running = Task { try await playground.evaluate(question, with: snapshot) }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                entered.wait()
                continuation.resume()
            }
        }
        await #expect(throws: AdministrationError.unavailable("Another evaluation runs. Repeat the call.")) {
            try await playground.evaluate(question, with: snapshot)
        }
        leave.signal()
        let answer = try await running.value
        #expect(answer.results.count == 1)
    }
}

extension RuleVerdict {
    fileprivate static let isFalse = RuleVerdict.denied(RuleDenial(.conditionIsFalse, rule: 0))
}
