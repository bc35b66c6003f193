import DevelopmentIdentity
import JOSE
import Testing

@testable import SystemFixtures

/// Accounts and sessions through the admin API, on two gateways that share one Redis.
struct AdminAccountTests {
    private func json(_ gateway: Scenario, _ target: String) throws -> JSON {
        let response = try gateway.admin("GET", target)
        #expect(response.status == 200, "\(target): \(response.text)")
        return try #require(response.json)
    }

    /// The sessions of a user in the list of a gateway.
    private func sessions(_ uid: String, at gateway: Scenario) throws -> [String] {
        try json(gateway, "/v1/users/\(uid)/sessions").list("sessions").compactMap { $0.text("id") }
    }

    @Test func `a session ends on both gateways by its public ID`() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var apps = fleet.gateways.map { AccountApp($0) }
            let uid = try #require(try apps[0].signIn(.oidc("corp"), as: .ada)["uid"]?.stringValue)
            _ = try apps[1].signIn(.oidc("corp"), as: .ada)
            let ended = try #require(apps[0].session)
            let kept = try #require(apps[1].session)
            let listed = try sessions(uid, at: fleet.gateways[1])
            let elsewhere = try sessions(uid, at: fleet.gateways[0])
            #expect(listed.count == 2 && Set(listed) == Set(elsewhere))
            let sids = try [ended, kept].map { try sid(of: $0) }
            #expect(Set(listed).isDisjoint(with: sids), "an ID does not reveal the name")
            // The user sees which entry is the calling session.
            let own = try #require(try apps[0].get("/.gatehouse/account/sessions").json)
            let id = try #require(own.list("sessions").first { $0["current"] == .bool(true) }?.text("id"))
            let path = "/v1/users/\(uid)/sessions/\(id)"
            for _ in 0..<2 {
                let revoked = try fleet.gateways[1].admin("POST", "\(path)/revoke")
                #expect(revoked.status == 200 && revoked.text.contains(#""revoked":true"#), "\(revoked.text)")
                #expect(try json(fleet.gateways[0], path)["revoked"] == .bool(true))
            }
            for gateway in fleet.gateways {
                #expect(try gateway.send(.cookie(ended, "/strict/x")).status == 401)
                #expect(try gateway.send(.cookie(kept, "/strict/x")).status == 200)
            }
            try await fleet.eventuallyAll(.cookie(ended, "/me/x"), 401)
            try await fleet.eventuallyAll(.cookie(kept, "/me/x"), 200)
            #expect(try sessions(uid, at: fleet.gateways[1]).count == 1)
            // After a change of the session's name, its old ID ends nothing.
            let old = try #require(try sessions(uid, at: fleet.gateways[1]).first)
            let linked = try apps[1].call("link", apps[1].proof(.google, of: .ada))
            #expect(linked.status == 200, "\(linked.text)")
            let refused = try fleet.gateways[0].admin("POST", "/v1/users/\(uid)/sessions/\(old)/revoke")
            #expect(refused.status == 400, "\(refused.text)")
            #expect(try apps[1].get("/strict/x").status == 200)
            // The name of a session is accepted, too.
            let current = try #require(apps[1].session)
            let name = try sid(of: current)
            #expect(try fleet.gateways[0].admin("POST", "/v1/users/\(uid)/sessions/\(name)/revoke").status == 200)
            #expect(try apps[1].get("/strict/x").status == 401)
            #expect(try sessions(uid, at: fleet.gateways[0]).isEmpty)
            try await fleet.gateways[1].gateway.untilLogged("event=revoke_session")
        }
    }

    @Test func `the list of accounts is complete in parts`() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var uids: Set<String> = []
            for user in [DevelopmentUser.ada, .alan, .grace, .linus] {
                var app = AccountApp(fleet.first)
                uids.insert(try #require(try app.signIn(.oidc("corp"), as: user)["uid"]?.stringValue))
            }
            for limit in [1, 3, 100] {
                var listed: [JSON] = []
                var cursor: String?
                repeat {
                    let after = cursor.map { "&cursor=\($0)" } ?? ""
                    let page = try json(fleet.gateways[1], "/v1/accounts?limit=\(limit)\(after)")
                    listed += page.list("users")
                    cursor = page.text("next")
                } while cursor != nil
                #expect(Set(listed.compactMap { $0.text("uid") }) == uids)
                #expect(listed.allSatisfy { $0.list("providers") == ["oidc.corp"] })
            }
            #expect(try fleet.first.admin("GET", "/v1/accounts?cursor=x").status == 400)
        }
    }

    @Test func `after a merge, both gateways refuse the source and sign its identity in to the target`() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var (app, other) = (AccountApp(fleet.gateways[0]), AccountApp(fleet.gateways[1]))
            let target = try #require(try app.signIn(.google, as: .ada)["uid"]?.stringValue)
            let source = try #require(try other.signIn(.oidc("corp"), as: .grace)["uid"]?.stringValue)
            let ended = try #require(other.session)
            let bearer = try other.idToken(.oidc("corp"), of: .grace, nil)
            let before = try fleet.gateways[1].send(.bearer(bearer, "/strict/x"))
            #expect(before.status == 200 && before.text.contains(source), "\(before.text)")
            for _ in 0..<2 {
                let merged = try fleet.first.admin("POST", "/v1/accounts/\(source)/merge/\(target)")
                #expect(merged.status == 200 && merged.text.contains("oidc.corp"), "\(merged.text)")
            }
            for gateway in fleet.gateways {
                #expect(try gateway.send(.cookie(ended, "/strict/x")).status == 401)
                let page = try json(gateway, "/v1/accounts/\(source)")
                #expect(page.text("merged_into") == target && page.list("links").isEmpty)
            }
            try await fleet.eventuallyAll(.cookie(ended, "/me/x"), 401)
            // The identity belongs to the target, also on the gateway that had cached its owner.
            for gateway in fleet.gateways {
                _ = try await eventually("the new owner") {
                    let response = try gateway.send(.bearer(bearer, "/me/x"))
                    return response.status == 200 && response.text.contains(target) ? true : nil
                }
            }
            #expect(try app.get("/strict/x").status == 200, "the session of the target continues")
            other.session = nil
            let again = try other.signIn(.oidc("corp"), as: .grace)["uid"]?.stringValue
            #expect(again == target)
            let refused = try fleet.first.admin("POST", "/v1/accounts/\(target)/merge/\(source)")
            #expect(refused.status == 400, "\(refused.text)")
            let firebase = try fleet.first.admin("POST", "/v1/accounts/ada/merge/\(target)")
            #expect(firebase.status == 400, "\(firebase.text)")
            try await fleet.first.gateway.untilLogged("event=merge_accounts")
        }
    }

    /// The name of the session of a cookie.
    private func sid(of cookie: String) throws -> String {
        let parts = cookie.split(separator: ".")
        try #require(parts.count == 3)
        let payload = try #require(Base64URL.decode(String(parts[1])))
        let claims = JSON(parsing: payload)
        return try #require(claims?.text("sid"))
    }
}
