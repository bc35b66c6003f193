import DevelopmentIdentity
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// Changes of the profile and of the address, on two gateways that share one Redis.
struct ProfileRunTests {
    private static let secret = "whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="

    private func patch(_ members: JSON, _ app: AccountApp, _ fields: String...) -> WireRequest {
        var request = app.request("account", members)
        request.method = "PATCH"
        request.fields += fields
        return request
    }

    private func email(_ app: AccountApp) throws -> JSON? {
        try app.get("/.gatehouse/auth").json?["token"]?["email"]
    }

    /// The data of the latest event of a type.
    private func event(_ type: String, at receiver: Receiver) async throws -> JSON {
        try await eventually("the event \(type)") {
            receiver.accepted.compactMap { JSON(parsing: Array($0.body.utf8)) }
                .last { $0["type"] == .string(type) }?["data"]
        }
    }

    @Test func `a change of the profile reaches the user's sessions on every gateway`() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var apps = fleet.gateways.map { AccountApp($0) }
            for place in apps.indices { try apps[place].signIn(.google, as: .ada) }
            let change: JSON = ["name": "Ada King", "picture": "https://pictures.example/ada.png"]
            for fields in ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"] {
                expectDenial(try apps[0].scenario.send(patch(change, apps[0], fields)), 403, "request/cross-site")
            }
            expectDenial(
                try apps[0].scenario.send(patch(["nickname": "Ada"], apps[0])), 400, "request/malformed")
            let response = try apps[0].scenario.send(patch(change, apps[0]))
            #expect(response.status == 200 && response.json?["name"] == "Ada King", "\(response.text)")
            apps[0].keepCookie(of: response)
            apps[1].keepCookie(of: try apps[1].get("/.gatehouse/account"))
            for app in apps {
                for gateway in fleet.gateways {
                    let session = try #require(app.session)
                    let answer = try gateway.send(.cookie(session, "/.gatehouse/auth")).json
                    #expect(answer?["token"]?["name"] == "Ada King")
                    #expect(answer?["token"]?["picture"] == "https://pictures.example/ada.png")
                    #expect(try gateway.send(.cookie(session, "/strict/x")).status == 200)
                }
            }
        }
    }

    @Test func `O-25: a link changes the address once, on any gateway, and the old address is told`() async throws {
        let application = try await Receiver()
        application.setDown(false)
        try await Fleet.withAccounts({ _ in ", webhook: { url: '\(application.url)', secret: '\(Self.secret)' }" }) {
            fleet, redis in
            var apps = fleet.gateways.map { AccountApp($0) }
            let account = try apps[0].signIn(.google, as: .ada)["uid"]
            try apps[1].signIn(.google, as: .ada)
            let sessions = try apps.map { try #require($0.session) }
            let asked = try apps[0].call("account/email", ["email": "new@example.com"])
            #expect(asked.status == 200, "\(asked.text)")
            #expect(try email(apps[0]) == "ada@example.com")
            let link = try await event("account.email_verification", at: application)
            #expect(link["email"] == "new@example.com" && link["uid"] == account)
            let call: JSON = ["token": try #require(link["token"])]

            // Both gateways receive the link at once.
            apps[1].session = apps[0].session
            let clients = try apps.map { try $0.scenario.client(sending: $0.request("account/email", call)) }
            let responses = try clients.map { try $0.response(to: "POST") }
            let winner = try #require(responses.first { $0.status == 200 }, "\(responses.map(\.text))")
            let loser = try #require(responses.first { $0.status != 200 }, "the link counted twice")
            #expect(winner.json?["email"] == "new@example.com")
            #expect([400, 401].contains(loser.status), "\(loser.text)")
            for place in apps.indices { apps[place].keepCookie(of: winner) }
            for app in apps { #expect(try email(app) == "new@example.com") }
            expectDenial(try apps[1].call("account/email", call), 400, "auth/invalid-credential")

            // The earlier sessions end: in strict checks with the response, elsewhere with the replication.
            for gateway in fleet.gateways {
                for session in sessions { #expect(try gateway.send(.cookie(session, "/strict/x")).status == 401) }
            }
            for session in sessions { try await fleet.eventuallyAll(.cookie(session, "/me/x"), 401) }

            let told = try await event("account.email_changed", at: application)
            #expect(told["previous_email"] == "ada@example.com" && told["email"] == "new@example.com")
            let keys = try redis.cli("KEYS", "gatehouse:email:*")
            #expect(keys.contains("{new@example.com}") && !keys.contains("ada@example.com"), "\(keys)")
            // The free address belongs to the next user who proves it.
            var other = AccountApp(fleet.gateways[1])
            let next = try other.signIn(.oidc("corp"), as: .named("next")) {
                $0.setting("email", to: "ada@example.com").setting("email_verified", to: true)
            }
            #expect(next["is_new_user"] == true && next["uid"] != account)
        }
        try await application.close()
    }
}
