import DevelopmentIdentity
import Foundation
import GatewayConfiguration
import GatewayCore
import Revocation
import Testing

@testable import Diagnostics

@Suite struct RuleExplanationTests {
    private static let rules = """
        rules_version = '2';
        service gatehouse.http {
          match /v1/{uid}/{rest=**} {
            allow read: if request.auth.token.admin == true;
            allow read: if request.auth.uid == uid;
            allow delete: if recentSignIn(duration.value(5, 'm'));
          }
        }
        """

    private func explain(
        _ method: String = "GET", _ url: String, allow: String? = nil, file: String? = rules,
        records: RecordEvidence = .nothingRecorded, token: String? = nil, fields: [(name: String, value: String)] = []
    ) async throws -> Explanation {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).rules").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let route = Given.route("/v1/{uid}/{rest=**}") { route in
            route.allow = allow.map { .init($0, location: SourceLocation(file: "test.yaml", line: 7, column: 12)) }
        }
        var configuration = Given.configuration([route])
        if let file {
            try file.write(toFile: path, atomically: true, encoding: .utf8)
            configuration.rules = .init(path: path, location: SourceLocation(file: "test.yaml", line: 1, column: 8))
        }
        let request = ExplainedRequest(method: method, url: url, token: try token ?? Given.idToken(), fields: fields)
        return try await Given.explainer(configuration, records: records).explain(request)
    }

    private func lines(_ explanation: Explanation, _ name: String) -> [String] {
        explanation.steps.filter { $0.name == name }.map { step in
            // The folder of the rules file is not relevant here.
            step.detail.replacing(/\S+\.rules/, with: "api.rules")
        }
    }

    @Test func `each evaluated statement is reported with the outcome`() async throws {
        let explanation = try await explain("GET", "/v1/ada/x")
        #expect(explanation.code == .ok)
        let lines = lines(explanation, "rules")
        #expect(lines.count == 3, "\(lines)")
        #expect(
            lines[0].hasPrefix("api.rules:4 is not true, because it failed (") && lines[0].contains("allow read: if"))
        #expect(lines[1].hasPrefix("api.rules:5 is true: allow read: if request.auth.uid == uid"))
        #expect(lines[2] == "allowed by api.rules:5")
        let parts = self.lines(explanation, "").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(parts.contains("request.auth.uid is 'ada'") && parts.contains("uid is 'ada'"), "\(parts)")
    }

    @Test func `a denial is reported with the value of each part`() async throws {
        let explanation = try await explain("GET", "/v1/ada/x", allow: "auth.token.email_verified == false")
        #expect(explanation.code == .permissionDenied)
        #expect(explanation.failures == ["allow"])
        let lines = lines(explanation, "allow")
        #expect(
            lines == [
                "test.yaml:7 is false: auth.token.email_verified == false", "denied: no evaluated condition is true",
            ])
    }

    @Test func `a path without a rule is reported`() async throws {
        let explanation = try await explain("POST", "/v1/ada/x")
        #expect(explanation.code == .permissionDenied)
        #expect(lines(explanation, "rules") == ["denied: no allow matches this path and method"])
    }

    @Test func `a required sign-in is reported with its rule`() async throws {
        let token = try Given.idToken { $0.signedIn(at: Given.now - 9000) }
        let old = try await explain("DELETE", "/v1/ada/x", token: token)
        #expect(old.code == .requiresRecentLogin && old.failures == ["rules"])
        #expect(lines(old, "rules").last == "api.rules:6 requires a sign-in at most 5 min ago")
        let recorded = try await explain(
            "DELETE", "/v1/ada/x", records: .recorded(.init(), .init(signedInAt: UnixTime(clamping: Given.now - 10))),
            token: token)
        #expect(recorded.code == .ok)
        #expect(
            lines(recorded, "rules").last?.hasPrefix("allowed by api.rules:6, by the sign-in that is recorded") == true)
        let unknown = try await explain("DELETE", "/v1/ada/x", records: .unknown("no answer"), token: token)
        #expect(unknown.code == nil)
    }

    @Test func `a route without rules has no such step`() async throws {
        let explanation = try await explain("GET", "/v1/ada/x", file: nil)
        #expect(explanation.code == .ok && explanation.step("rules") == nil && explanation.step("allow") == nil)
    }

    @Test func `claims are shown without control characters`() async throws {
        let token = try Given.idToken { $0.setting("line", to: "a\n\u{1b}[31mb\u{202e}") }
        let explanation = try await explain("GET", "/v1/ada/x", allow: "auth.token.line == uid", token: token)
        for step in explanation.steps {
            #expect(step.detail.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E }, "\(step)")
        }
    }
}
