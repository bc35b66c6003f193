import DevelopmentIdentity
import Foundation
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// A store that loses records: a revoked user is still denied.
struct LostStoreTests {
    @Test func `a Redis that restarts empty loses no revocation on any route`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(store: redis.store) { fleet in
            let gateway = fleet.first
            let ada = try gateway.token(.ada) { $0.signedIn(at: unixNow() - 100) }
            let eve = try gateway.token(.named("eve")) { $0.signedIn(at: unixNow() - 100) }
            #expect(try gateway.admin("POST", "/v1/users/eve/revoke").status == 200)
            try await redis.restart()
            try await fleet.eventuallyAll(.bearer(ada, "/strict/x"), 200)
            // A worker that has not reconnected yet responds with 503 on the strict route.
            for target in ["/me/x", "/strict/x"] {
                _ = try await eventually("the denial of \(target)") {
                    let status = try gateway.send(.bearer(eve, target)).status
                    #expect(status != 200)
                    return status == 401 ? true : nil
                }
            }
            _ = try await eventually("the note") {
                try gateway.gateway.readiness().text.contains("/v1/store/accept") ? true : nil
            }
            #expect(try gateway.gateway.readiness().status == 200)
            #expect(try gateway.metric("gatehouse_store_went_back") == 1)
            try await gateway.gateway.untilLogged("Redis has lost records")
            #expect(try gateway.admin("POST", "/v1/store/accept").status == 202)
            try await fleet.eventuallyAll(.bearer(eve, "/me/x"), 200)
            try await fleet.eventuallyAll(.bearer(eve, "/strict/x"), 200)
        }
    }

    @Test func `a renamed SQLite file accepts no revocation until it is restored`() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/gatehouse.db"
        try await Fleet.run(store: "sqlite:\(path)") { fleet in
            let gateway = fleet.first
            let ada = try gateway.token(.ada) { $0.signedIn(at: unixNow() - 100) }
            #expect(try gateway.send(.bearer(ada, "/strict/x")).status == 200)
            try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
            #expect(try gateway.admin("POST", "/v1/users/ada/revoke").status == 503)
            _ = try await eventually("the note") {
                try gateway.gateway.readiness().text.contains("moved") ? true : nil
            }
            #expect(try gateway.metric("gatehouse_store_writable") == 0)
            try await fleet.eventuallyAll(.bearer(ada, "/strict/x"), 503)
            try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
            _ = try await eventually("a revocation") {
                try gateway.admin("POST", "/v1/users/ada/revoke").status == 200 ? true : nil
            }
            try await fleet.eventuallyAll(.bearer(ada, "/strict/x"), 401)
            #expect(try gateway.metric("gatehouse_store_writable") == 1)
        }
    }
}
