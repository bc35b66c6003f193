import Foundation
import JOSE
import Testing

@testable import Authentication
@testable import GatewayCore
@testable import SystemFixtures

/// App Check tokens at Gatehouse and at the Firebase Admin SDK, with the same keys and moment.
@Suite(
    .serialized,
    .enabled(
        if: AdminSDK.interpreter != nil,
        "GATEHOUSE_ORACLE_PYTHON names no Python with firebase-admin: script/test sets it"))
struct AppCheckOracleTests {
    private struct Setting: Encodable { let projects: [String], now: Int64 }
    private struct Verdict: Decodable { let app: String?, error: String? }

    private static let number = "123456789012"
    private static let appID = "1:123456789012:web:0a1b2c3d"
    private static let together = Thoroughness.rounds(1000, full: 4000)

    /// A right token, all single mutations, and combinations.
    private static func drafts() -> [(name: String, draft: TokenDraft)] {
        var random = SeededRandom(seed: 0x6170_7063_6865_636B)
        let mutations = Mutation.all + Self.ownMutations
        var lists = [[]] + mutations.map { [$0] }
        for _ in 0..<together {
            let count = 2 + random.index(of: 0..<2)
            lists.append((0..<count).map { _ in mutations[random.index(of: mutations)] })
        }
        return lists.map { list in
            var draft = TokenDraft(.idToken)
            draft.claims = claims
            for mutation in list { mutation.apply(&draft) }
            return (list.map(\.name).joined(separator: "; "), draft)
        }
    }

    private static var claims: Members {
        let now = TokenDraft.now
        return Members([
            "sub": "\"\(appID)\"", "aud": "[\"projects/\(number)\",\"projects/\(TokenDraft.project)\"]",
            "iss": "\"https://firebaseappcheck.googleapis.com/\(number)\"", "iat": "\(now - 50)",
            "exp": "\(now + 3500)",
        ])
    }

    private static let ownMutations: [Mutation] =
        [
            "\"projects/\(number)\"", "\"projects/my-app\"", "[\"projects/\(number)\"]", "[\"projects/my-app\"]",
            "[\"projects/my-app\",7]", "[\"projects/other\"]", "[\"my-app\"]",
            "[\"projects/other\",\"projects/my-app\"]",
        ].map { .claim("aud", $0) }
        + [
            "\"https://firebaseappcheck.googleapis.com/\"", "\"https://firebaseappcheck.googleapis.com/other\"",
            "\"https://firebaseappcheck.googleapis.com\"",
        ].map { .claim("iss", $0) }
        + ["\"1:123456789012:web:other\"", "\"\(appID) \""].map { .claim("sub", $0) }
        + [nil, "\"jwt\"", "\"\""].map { .header("typ", $0) }
        + (1...200).map { Mutation("times \($0)", times(UInt64($0))) }

    /// Times around the current one.
    private static func times(_ seed: UInt64) -> @Sendable (inout TokenDraft) -> Void {
        { draft in
            var random = SeededRandom(seed: seed)
            for name in ["exp", "iat", "nbf"] where random.index(of: 0..<2) == 0 {
                draft.claims[name] = "\(TokenDraft.now - 3 + Int64(random.index(of: 0..<7)))"
            }
        }
    }

    @Test func `no App Check token is accepted that the SDK refuses`() throws {
        let keys = try OracleKeys(now: TokenDraft.now)
        let published = "{\"keys\":[\([keys.first, keys.second, keys.elliptic].map(\.jwk).joined(separator: ","))]}"
        let drafts = Self.drafts()
        let tokens = try drafts.map { try $0.draft.made(with: keys) }
        let verdicts = try Self.verdicts(tokens, keys: published)
        let ours = try Self.accepted(tokens, keys: published)
        #expect(verdicts.count == tokens.count)
        var (both, neither, stricter) = (0, 0, 0)
        var laxer: [String] = []
        for (index, verdict) in verdicts.enumerated() {
            switch (ours[index], verdict.app) {
            case (true, let app?):
                both += 1
                #expect(app == Self.appID)
            case (false, nil): neither += 1
            case (false, _?): stricter += 1
            case (true, nil): laxer.append("\(verdict.error ?? ""): \(drafts[index].name)")
            }
        }
        print(
            """
            App Check oracle: \(tokens.count) tokens, \(Set(tokens).count) distinct
            accepted by both: \(both)
            refused by both: \(neither)
            stricter than the SDK: \(stricter)
            laxer than the SDK: \(laxer.count)
            """)
        #expect(laxer.prefix(5) == [])
        #expect(both >= 100 && neither >= 1000 && stricter >= 10)
    }

    private static func accepted(_ tokens: [[UInt8]], keys: String) throws -> [Bool] {
        let app = AppCheckApp(id: appID, name: "web", index: 0, counterPlace: 0, field: nil)
        let verifier = AppCheckVerifier(
            issuer: "https://firebaseappcheck.googleapis.com/\(number)",
            audiences: ["projects/\(number)", "projects/\(TokenDraft.project)"], apps: [app], keySet: 0, clockSkew: 0)
        let authenticator = AppCheckAuthenticator(
            verifier, hasher: try #require(SHA256Hasher()), counters: WorkerCounters(routes: 1, upstreams: 1)
        ) { _ in }
        authenticator.install(
            KeySetView(
                keys: try KeySet(jwkSet: Array(keys.utf8)), generation: 1, isLoaded: true, lastFetchSucceeded: true,
                completedFetches: 1, usableUntil: .max, cooldownUntil: .max, nextFetchAt: .max),
            set: 0)
        return tokens.map { token in
            let outcome = token.withUnsafeBytes {
                authenticator.authenticate($0, now: TokenDraft.now, monotonic: 0, waitingSince: nil)
            }
            if case .verified = outcome { return true }
            return false
        }
    }

    private static func verdicts(_ tokens: [[UInt8]], keys: String) throws -> [Verdict] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-oracle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try JSONEncoder().encode(Setting(projects: [TokenDraft.project, number], now: TokenDraft.now))
            .write(to: folder.appending(path: "setting.json"))
        try Data(keys.utf8).write(to: folder.appending(path: "jwks.json"))
        let lines = tokens.map { "\"\(Data($0).base64EncodedString())\"\n" }.joined()
        try Data(lines.utf8).write(to: folder.appending(path: "tokens.jsonl"))
        try AdminSDK(interpreter: try #require(AdminSDK.interpreter)).run("app_check_oracle.py", in: folder)
        return try Data(contentsOf: folder.appending(path: "verdicts.jsonl")).split(separator: UInt8(ascii: "\n"))
            .map { try JSONDecoder().decode(Verdict.self, from: $0) }
    }
}
