import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

extension Fleet {
    /// Two gateways with accounts on one Redis, which take the tokens of every provider.
    static func withAccounts(_ body: (Fleet, RedisServer) async throws -> Void) async throws {
        let redis = try await RedisServer()
        let folder = try ScratchFolder()
        let key = folder.path("session.pem")
        try Data(SigningKey.generate(.es256, keyID: "").pem()).write(to: URL(fileURLWithPath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        try await Fleet.run(
            2, store: redis.store,
            arrangeWith: { provider, configuration in
                configuration.identifyAll(provider)
                configuration["accounts"] =
                    "{ session_key: '\(key)', calls_per_address: 100000, calls_per_account: 100000 }"
            }
        ) { try await body($0, redis) }
        withExtendedLifetime(folder) {}
    }
}
