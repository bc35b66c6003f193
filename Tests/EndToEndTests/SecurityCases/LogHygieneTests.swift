import DevelopmentIdentity
import Foundation
import GRDB
import Testing

@testable import SystemFixtures

/// L-02: untrusted text in logs and error messages forges no lines, and contains no control or bidirectional
/// characters.
struct LogHygieneTests {
    private static let hostile =
        "x\ntime=2026-11-22T09:00:00.000Z level=notice msg=forged\u{1B}[2J\u{202E}\u{85}\u{2028}"

    /// Returns whether the text contains no control or formatting characters except line feeds.
    private func isClean(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar == "\n"
            default: true
            }
        }
    }

    @Test func `l02 a damaged store forges no line of the log`() async throws {
        try await Scenario.run { scenario in
            await scenario.gateway.kill()
            let queue = try DatabaseQueue(path: scenario.gateway.folder.path("gatehouse.db"))
            try await queue.write { db in
                try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
                try db.execute(
                    sql: "INSERT INTO user (uid, valid_since, disabled) VALUES (?, 'soon', 0)",
                    arguments: [Self.hostile])
            }
            try queue.close()
            try await scenario.gateway.start()
            try await scenario.gateway.ready()
            try await scenario.gateway.untilLogged("invalid record in the store")
            let errors = scenario.gateway.errors
            #expect(isClean(errors))
            #expect(!errors.split(separator: "\n").contains { $0.contains("forged") && !$0.contains("invalid record") })
        }
    }

    @Test func `l02 the access log shows every character of a uid`() async throws {
        try await Scenario.run { scenario in
            let uid = "evil\u{202E}\u{2066}\u{200F}\u{61C}\u{2028}\u{85}"
            _ = try scenario.send(.bearer(scenario.token(.named(uid)), "/me/x"))
            _ = await scenario.accessLog()
            #expect(isClean(scenario.gateway.output))
            #expect(scenario.gateway.output.contains(#""uid":"evil\u202e\u2066\u200f\u061c\u2028\u0085""#))
        }
    }

    @Test func `l02 errors of a configuration stay on their lines`() async throws {
        let folder = try ScratchFolder()
        let run = try await CommandRun.run("check", "--config", "none\(Self.hostile).yaml", in: folder)
        #expect(run.exitCode == 1 && run.errorLines.count == 1, "\(run.errors)")
        #expect(isClean(run.errors))
        try folder.write(#""bad\u202E\u001B[2J\nkey": 1"#, to: "bad.yaml")
        let key = try await CommandRun.run("check", "--config", "bad.yaml", in: folder)
        #expect(key.exitCode == 1)
        #expect(isClean(key.errors) && key.errors.contains(#"bad\u202e\u001b[2J\u000akey"#), "\(key.errors)")
    }
}
