import DevelopmentIdentity
import Foundation
import Gatehouse
import GatewayConfiguration
import GatewayCore
import Logging
import NIOCore
import Testing

/// A gateway that checks revocations at Identity Toolkit, beside the Admin SDK with `check_revoked` at the same one.
@Suite(
    .serialized,
    .enabled(
        if: AdminSDK.interpreter != nil,
        "GATEHOUSE_ORACLE_PYTHON names no Python with firebase-admin: script/test sets it"))
struct RevocationOracleTests {
    private struct Setting: Encodable {
        let project, identity_toolkit, certificates, service_account, gateway: String
    }

    private struct Verdict: Decodable {
        let sdk, gateway: String

        /// Whether both have the same verdict.
        var agrees: Bool {
            switch sdk {
            case "accepted": gateway == "accepted"
            case "UserDisabledError": gateway == "auth/user-disabled"
            // A deleted user has no valid tokens.
            case "RevokedIdTokenError", "UserNotFoundError": gateway == "auth/id-token-revoked"
            default: false
            }
        }
    }

    @Test func `the gateway and the SDK agree on revoked users`() async throws {
        let provider = try await DevelopmentProvider.start()
        let upstream = try await EchoUpstream.start()
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-oracle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let serviceAccount = try provider.makeServiceAccount().write(toDirectory: folder.path)
        let gateway = try await Gateway.start(
            try Self.configuration(provider, upstream, serviceAccount), logger: Logger(label: "oracle"))
        let port = try #require(gateway.listenAddresses.first?.port)
        try Self.prepare(provider, in: folder)
        try JSONEncoder().encode(
            Setting(
                project: provider.project, identity_toolkit: "http://127.0.0.1:\(provider.port)/v1",
                certificates: provider.url(.idTokenX509), service_account: serviceAccount,
                gateway: "http://127.0.0.1:\(port)/x")
        ).write(to: folder.appending(path: "setting.json"))
        let sdk = AdminSDK(interpreter: try #require(AdminSDK.interpreter))
        try await Task.detached { try sdk.run("revocation_oracle.py", in: folder) }.value
        let lines = try Data(contentsOf: folder.appending(path: "verdicts.jsonl")).split(separator: UInt8(ascii: "\n"))
        let verdicts = try lines.map { try JSONDecoder().decode(Verdict.self, from: $0) }
        await gateway.stop()
        await upstream.stop()
        await provider.stop()
        judge(verdicts)
    }

    private func judge(_ verdicts: [Verdict]) {
        #expect(verdicts.count == RevocationCase.all.count)
        var (accepted, refused, stricter) = (0, 0, 0)
        for (one, verdict) in zip(RevocationCase.all, verdicts) {
            if one.wasRefreshedAfterRevocation, verdict.sdk == "accepted" {
                stricter += 1
                #expect(verdict.gateway == "auth/id-token-revoked", "\(one): \(verdict)")
            } else {
                accepted += verdict.gateway == "accepted" ? 1 : 0
                refused += verdict.gateway == "accepted" ? 0 : 1
                #expect(verdict.agrees, "\(one): \(verdict)")
            }
        }
        print(
            "revocation oracle: accepted by both: \(accepted), refused by both: \(refused), stricter (iat against auth_time): \(stricter)"
        )
        #expect(accepted > 0 && refused > 0 && stricter > 0)
    }

    private static func prepare(_ provider: DevelopmentProvider, in folder: URL) throws {
        var lines = Data()
        let now = provider.now
        for one in RevocationCase.all {
            let user = DevelopmentUser(uid: one.uid)
            provider.deleteAccount(one.uid)
            if let record = one.account.record(of: user, now: now) { try provider.setAccount(record) }
            let token = provider.idToken(for: user).signedIn(at: now - one.token.signedIn)
                .merging(["iat": .integer(now - one.token.issued)])
            lines += try JSONEncoder().encode(["token": try provider.sign(token)])
            lines.append(UInt8(ascii: "\n"))
        }
        try lines.write(to: folder.appending(path: "cases.jsonl"))
    }

    private static func configuration(
        _ provider: DevelopmentProvider, _ upstream: EchoUpstream, _ serviceAccount: String
    ) throws -> Configuration {
        var configuration = try Configuration.shortcut(
            project: provider.project, upstream: "http://127.0.0.1:\(upstream.port)",
            environment: [
                Configuration.Firebase.keysURLVariable: provider.url(.idTokenJWKSet),
                Configuration.Firebase.sessionKeysURLVariable: provider.url(.sessionJWKSet),
            ])
        configuration.listen = [Configuration.Listener(address: ListenAddress(host: "127.0.0.1", port: 0))]
        configuration.admin.address = nil
        configuration.workers = 1
        configuration.store = .sqliteMemory
        configuration.log.access = .off
        configuration.drain.delay = .zero
        var accounts = Configuration.FirebaseAccounts(serviceAccount: serviceAccount)
        accounts.lookupURL = "http://127.0.0.1:\(provider.port)/v1/projects/{project}/accounts:lookup"
        configuration.revocation.firebase = accounts
        return configuration
    }
}
