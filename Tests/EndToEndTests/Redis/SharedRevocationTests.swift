import DevelopmentIdentity
import Testing

@testable import RedisFixtures

/// Gateways with the same Redis make the same decisions.
struct SharedRevocationTests {
    @Test func `H-03: a revocation at one gateway applies at the other`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(2, store: redis.store) { fleet in
            let old = try fleet.first.token(.ada) { $0.signedIn(at: unixNow() - 100) }
            for scenario in fleet.gateways { #expect(try scenario.send(.bearer(old, "/me/h03")).status == 200) }
            #expect(try fleet.first.admin("POST", "/v1/users/ada/revoke").status == 200)
            // The gateway that received the call applies it immediately, the other ones within milliseconds.
            try fleet.first.expectRefusal(.bearer(old, "/me/h03"), 401, "auth/id-token-revoked")
            try fleet.gateways[1].expectRefusal(.bearer(old, "/strict/h03"), 401, "auth/id-token-revoked")
            try await fleet.eventuallyAll(.bearer(old, "/me/h03"), 401)
            let fresh = try fleet.first.token(.ada) { $0.signedIn(at: unixNow() + 1) }
            for scenario in fleet.gateways { #expect(try scenario.send(.bearer(fresh, "/me/h03")).status == 200) }
        }
    }

    @Test func `an undone revocation applies at the other gateway`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(2, store: redis.store) { fleet in
            let token = try fleet.first.token(.ada) { $0.signedIn(at: unixNow() - 100) }
            let request = WireRequest.bearer(token, "/me/back")
            for (undo, redo) in [("revoke", "unrevoke"), ("disable", "enable")] {
                #expect(try fleet.gateways[0].admin("POST", "/v1/users/ada/\(undo)").status == 200)
                try await fleet.eventuallyAll(request, 401)
                #expect(try fleet.gateways[1].admin("POST", "/v1/users/ada/\(redo)").status == 200)
                try await fleet.eventuallyAll(request, 200)
            }
        }
    }

    @Test func `a session revoked at one gateway ends at the other`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(2, store: redis.store) { fleet in
            let time = unixNow() - 100
            let ended = try fleet.first.token(.ada) { $0.signedIn(at: time) }
            let other = try fleet.first.token(.ada) { $0.signedIn(at: time - 1) }
            #expect(try fleet.first.admin("POST", "/v1/users/ada/sessions/\(time)/revoke").status == 200)
            try await fleet.eventuallyAll(.bearer(ended, "/me/session"), 401)
            for scenario in fleet.gateways { #expect(try scenario.send(.bearer(other, "/me/s")).status == 200) }
        }
    }

    @Test func `a change by another program applies`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(2, store: redis.store) { fleet in
            let token = try fleet.first.token(.ada) { $0.signedIn(at: unixNow() - 100) }
            try redis.write(user: "ada", "valid_since", unixNow())
            try await fleet.eventuallyAll(.bearer(token, "/me/other"), 401)
            try redis.write(user: "ada", "valid_since", 0)
            try await fleet.eventuallyAll(.bearer(token, "/me/other"), 200)
        }
    }

    @Test func `a record written before the start applies`() async throws {
        let redis = try await RedisServer()
        // The stream has no entry of the change, so the gateway reads the record itself.
        try redis.cli("HSET", "gatehouse:user:{ada%3A1}", "disabled", "1")
        try await Fleet.run(store: redis.store) { fleet in
            let token = try fleet.first.token(.named("ada:1"))
            try fleet.first.expectRefusal(.bearer(token, "/me/before"), 401, "auth/user-disabled")
        }
    }

    @Test func `a strict route reads a record that was not announced`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(store: redis.store) { fleet in
            let token = try fleet.first.token(.ada)
            try redis.cli("HSET", "gatehouse:user:{ada}", "disabled", "1")
            try fleet.first.expectRefusal(.bearer(token, "/strict/silent"), 401, "auth/user-disabled")
            #expect(try fleet.first.send(.bearer(token, "/me/silent")).status == 200)
            #expect(try fleet.first.metric("gatehouse_store_reads_total") == 1)
            #expect(try fleet.first.metric("gatehouse_store_read_duration_seconds_count") == 1)
        }
    }

    @Test func `H-04: an invalid record is 503 only for its user`() async throws {
        let redis = try await RedisServer()
        let now = unixNow()
        try redis.cli("HSET", "gatehouse:user:{millis}", "valid_since", "1700000000000")
        try redis.cli("HSET", "gatehouse:user:{word}", "disabled", "yes")
        try redis.cli("SET", "gatehouse:user:{string}", "1")
        try redis.cli("HSET", "gatehouse:user:{revoked}", "valid_since", "\(now)")
        try await Fleet.run(store: redis.store) { fleet in
            for name in ["millis", "word", "string"] {
                let token = try fleet.first.token(.named(name))
                for target in ["/me/h04", "/strict/h04"] {
                    try fleet.first.expectRefusal(.bearer(token, target), 503, "auth/store-unavailable", name)
                }
            }
            let revoked = try fleet.first.token(.named("revoked")) { $0.signedIn(at: now - 100) }
            try fleet.first.expectRefusal(.bearer(revoked, "/me/h04"), 401, "auth/id-token-revoked")
            #expect(try fleet.first.metric("gatehouse_store_faulty_records") == 3)
        }
    }
}
