import DevelopmentIdentity
import Foundation
import Testing

@testable import RedisFixtures

/// A middlebox between the gateway and Redis drops, repeats or reorders replies. A revoked user is still denied.
struct LostReplyTests {
    @Test(arguments: RedisMiddlebox.Fault.allCases)
    func `a revoked user never passes because replies are out of order`(fault: RedisMiddlebox.Fault) async throws {
        let redis = try await RedisServer()
        let middlebox = try RedisMiddlebox(before: redis)
        defer { middlebox.stop() }
        try await Fleet.run(store: "redis://127.0.0.1:\(middlebox.port)") { fleet in
            let gateway = fleet.first
            let tokens = [
                "ada": try gateway.token(.ada) { $0.signedIn(at: unixNow() - 100) },
                "eve": try gateway.token(.named("eve")) { $0.signedIn(at: unixNow() - 100) },
            ]
            #expect(try gateway.admin("POST", "/v1/users/eve/revoke").status == 200)
            for round in 1...5 {
                let requests = Task { await Self.statuses(of: tokens, at: gateway.gateway.port) }
                // The replies with the records of ada and eve.
                middlebox.apply(fault) { $0.starts(with: "*2\r\n$".utf8) && $0.count < 40 }
                let statuses = await requests.value
                #expect(middlebox.faults == round)
                #expect(statuses["eve"]?.isSubset(of: [401, 503]) == true, "\(statuses)")
                #expect(statuses["ada"]?.isSubset(of: [200, 503]) == true, "\(statuses)")
                try await fleet.eventuallyAll(.bearer(tokens["ada"] ?? "", "/strict/x"), 200)
                try await fleet.eventuallyAll(.bearer(tokens["eve"] ?? "", "/strict/x"), 401)
            }
        }
    }

    /// The statuses of many requests of both users at the same time, over kept connections.
    private static func statuses(of tokens: [String: String], at port: Int) async -> [String: Set<Int>] {
        await withTaskGroup(of: (String, Set<Int>).self) { group in
            for (uid, token) in tokens {
                for _ in 0..<6 { group.addTask { (uid, await statuses(of: token, at: port)) } }
            }
            return await group.reduce(into: [:]) { $0[$1.0, default: []].formUnion($1.1) }
        }
    }

    private static func statuses(of token: String, at port: Int) async -> Set<Int> {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var seen: Set<Int> = []
                let client = try? RawClient(port: port)
                for _ in 0..<100 {
                    guard let response = try? client?.exchange(.bearer(token, "/strict/x")) else { break }
                    seen.insert(response.status)
                }
                continuation.resume(returning: seen)
            }
        }
    }
}
