import DevelopmentIdentity
import Testing

/// Acknowledged changes survive every kind of process exit.
struct DurabilityTests {
    @Test func `an acknowledged revocation survives a kill`() async throws {
        try await Scenario.run { scenario in
            for number in 0..<20 {
                let uid = "durable-\(number)"
                let token = try scenario.token(.named(uid)) { $0.signedIn(at: unixNow() - 100) }
                #expect(try scenario.send(.bearer(token, "/me/d")).status == 200)
                #expect(try scenario.admin("POST", "/v1/users/\(uid)/revoke").status == 200)
                await scenario.gateway.kill()
                try await scenario.gateway.start()
                // The test does not wait for readiness: an early request waits for the store and is not permitted
                // without it.
                expectDenial(try scenario.send(.bearer(token, "/me/d")), 401, "auth/id-token-revoked", uid)
            }
        }
    }

    @Test func `every kind of record survives a kill`() async throws {
        try await Scenario.run { scenario in
            let time = unixNow() - 100
            let users = ["disabled", "unrevoked", "session"]
            let tokens = try users.map { user in try scenario.token(.named(user)) { $0.signedIn(at: time) } }
            try scenario.admin("POST", "/v1/users/unrevoked/revoke")
            try scenario.admin("POST", "/v1/users/unrevoked/unrevoke")
            try scenario.admin("POST", "/v1/users/session/sessions/\(time)/revoke")
            try scenario.admin("POST", "/v1/users/disabled/disable")
            await scenario.gateway.kill()
            try await scenario.gateway.start()
            expectDenial(try scenario.send(.bearer(tokens[0], "/me/d")), 401, "auth/user-disabled")
            #expect(try scenario.send(.bearer(tokens[1], "/me/d")).status == 200)
            expectDenial(try scenario.send(.bearer(tokens[2], "/me/d")), 401, "auth/id-token-revoked")
        }
    }

    @Test func `a store can have only one gateway`() async throws {
        try await Scenario.run { scenario in
            let second = try await CommandRun.run(
                "serve", "--config", "gatehouse.yaml", in: scenario.gateway.folder)
            #expect(second.exitCode == 1)
            #expect(second.errors.contains("gatehouse.db"), "\(second.errors)")
            #expect(try scenario.send(.bearer(scenario.token(), "/me/x")).status == 200)
        }
    }
}
