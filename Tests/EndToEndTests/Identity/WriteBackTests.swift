import DevelopmentIdentity
import Synchronization
import Testing

@testable import SystemFixtures

/// The write-back of changes of users to Identity Toolkit.
struct WriteBackTests {
    @Test func `changes survive an outage of Google and a crash of the gateway`() async throws {
        let toolkit = try await FakeToolkit()
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["identity"] = "{ firebase: { project: demo-gatehouse } }"
            configuration["revocation"] = "{ write_back: { identity_toolkit: true } }"
            configuration.environment = ["FIREBASE_AUTH_EMULATOR_HOST": toolkit.host]
        }) { scenario in
            toolkit.setDown(true)
            for (target, body) in [
                ("ada/revoke", ""), ("grace/revoke", #"{"at":1000}"#), ("linus/disable", ""), ("ken/disable", ""),
            ] {
                let response = try scenario.admin("POST", "/v1/users/\(target)", body: body)
                #expect(
                    response.text.contains(#""write_back":{"local":true,"identity_toolkit":"queued"}"#),
                    "\(response.text)")
            }
            _ = try await eventually("a failed delivery") { toolkit.refused > 0 ? true : nil }
            #expect(try scenario.admin("POST", "/v1/users/linus/enable").status == 200)
            await scenario.gateway.kill()
            toolkit.setDown(false)
            try await scenario.gateway.start()
            _ = try await eventually("the deliveries; \(scenario.gateway.errors)") {
                try scenario.metric("gatehouse_write_back_queue") == 0 && toolkit.updates.count >= 4 ? true : nil
            }
            #expect(toolkit.last("ada", "validSince") == "\"\(FakeToolkit.now)\"", "not later than Google's clock")
            #expect(toolkit.last("grace", "validSince") == "\"1000\"")
            #expect(toolkit.last("linus", "disableUser") == "false" && toolkit.last("ken", "disableUser") == "true")
            #expect(try scenario.gateway.readiness().text.contains(#"{"name":"write_back","ok":true}"#))
            #expect(try scenario.metric("gatehouse_write_back_dropped_total") == 0)
        }
        try await toolkit.close()
    }

    @Test func `a change is written to the project and tenant of its user`() async throws {
        let toolkit = try await FakeToolkit()
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["identity"] =
                "{ firebase: { projects: [{ project: demo-gatehouse }, { project: demo-b, tenant: '*' }] } }"
            configuration["revocation"] = "{ write_back: { identity_toolkit: true } }"
            configuration.environment = ["FIREBASE_AUTH_EMULATOR_HOST": toolkit.host]
        }) { scenario in
            let users = ["demo-gatehouse/users/ada", "demo-b/users/grace", "demo-b/tenants/t1/users/ken"]
            for user in users {
                let response = try scenario.admin("POST", "/v1/projects/\(user)/disable")
                #expect(response.text.contains(#""identity_toolkit":"queued""#), "\(response.text)")
            }
            _ = try await eventually("the deliveries; \(scenario.gateway.errors)") {
                try scenario.metric("gatehouse_write_back_queue") == 0 && toolkit.updates.count >= 3 ? true : nil
            }
            let path = "POST /identitytoolkit.googleapis.com/v1/projects"
            #expect(toolkit.target("ada") == "\(path)/demo-gatehouse/accounts:update")
            #expect(toolkit.target("grace") == "\(path)/demo-b/accounts:update")
            #expect(toolkit.target("ken") == "\(path)/demo-b/tenants/t1/accounts:update")
        }
        try await toolkit.close()
    }

    @Test func `revocations reach the security rules after an outage and a crash, and the larger time wins`()
        async throws
    {
        let database = try await FakeDatabase(["grace": 5_000])
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["identity"] = "{ firebase: { project: demo-gatehouse } }"
            configuration["revocation"] =
                "{ write_back: { realtime_database: 'http://\(database.host)?ns={project}' } }"
            configuration.environment = ["FIREBASE_AUTH_EMULATOR_HOST": database.host]
        }) { scenario in
            database.setDown(true)
            for (target, body) in [("ada/revoke", ""), ("grace/revoke", #"{"at":1000}"#), ("ken/revoke", #"{"at":7}"#)]
            {
                let response = try scenario.admin("POST", "/v1/users/\(target)", body: body)
                #expect(
                    response.text.contains(
                        #""write_back":{"local":true,"identity_toolkit":"off","realtime_database":"queued"}"#),
                    "\(response.text)")
            }
            let disabled = try scenario.admin("POST", "/v1/users/linus/disable")
            #expect(disabled.text.contains(#""write_back":{"local":true,"identity_toolkit":"off"}"#))
            _ = try await eventually("a failed delivery") { database.refused > 0 ? true : nil }
            await scenario.gateway.kill()
            database.setDown(false)
            try await scenario.gateway.start()
            _ = try await eventually("the deliveries; \(scenario.gateway.errors)") {
                try scenario.metric("gatehouse_write_back_queue") == 0 ? true : nil
            }
            #expect(
                database.entries == ["ada": FakeToolkit.now, "grace": 5_000, "ken": 7],
                "ada's is not later than Google's clock")
            #expect(try scenario.gateway.readiness().text.contains(#"{"name":"write_back","ok":true}"#))
            let updated = #"destination="realtime_database",result="updated""#
            #expect(try scenario.metric("gatehouse_write_back_total", containing: updated) == 2)
            let call = #"project="demo-gatehouse",call="realtime_database""#
            #expect(try scenario.metric("gatehouse_firebase_failing", containing: call) == 0)
        }
        try await database.close()
    }

    @Test func `users whom Firebase does not know do not block others`() async throws {
        let toolkit = try await FakeToolkit()
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["identity"] = "{ firebase: { project: demo-gatehouse } }"
            configuration["revocation"] = "{ write_back: { identity_toolkit: true } }"
            configuration.environment = ["FIREBASE_AUTH_EMULATOR_HOST": toolkit.host]
        }) { scenario in
            try scenario.admin("POST", "/v1/users/unknown/disable")
            try scenario.admin("POST", "/v1/users/ada/disable")
            _ = try await eventually("the deliveries; \(scenario.gateway.errors)") {
                try scenario.metric("gatehouse_write_back_queue") == 0 && !toolkit.updates.isEmpty ? true : nil
            }
            #expect(toolkit.last("ada", "disableUser") == "true")
            try await scenario.gateway.untilLogged("does not exist at Firebase")
        }
        try await toolkit.close()
    }
}

/// Identity Toolkit in the Auth emulator's place, with the users ada, grace, linus and ken, and a clock that stands.
private final class FakeToolkit: Sendable {
    /// The time of its `Date` field.
    static let now = 1_700_000_000

    private struct State {
        var isDown = false
        var refused = 0
        var updates: [String] = []
        /// The method and path of the last update of each user.
        var targets: [String: String] = [:]
    }

    private let state: Box
    private let source: MisbehavingSource

    private final class Box: Sendable {
        let value = Mutex(State())
    }

    init() async throws {
        let state = Box()
        self.state = state
        source = try await MisbehavingSource { request in
            state.value.withLock { state in
                guard !state.isDown else {
                    state.refused += 1
                    return .send(Self.response("503 Service Unavailable", "{}"))
                }
                guard let user = ["ada", "grace", "linus", "ken"].first(where: { request.body.contains("\"\($0)\"") })
                else { return .send(Self.response("400 Bad Request", #"{"error":{"message":"USER_NOT_FOUND"}}"#)) }
                if request.head.contains("accounts:update") {
                    state.updates.append(request.body)
                    state.targets[user] = request.head.split(separator: " ").prefix(2).joined(separator: " ")
                    return .send(Self.response("200 OK", "{}"))
                }
                return .send(Self.response("200 OK", #"{"users":[{"localId":"\#(user)","validSince":"0"}]}"#))
            }
        }
    }

    private static func response(_ status: String, _ body: String) -> [UInt8] {
        httpAnswer(status: status, headers: ["Date: Tue, 14 Nov 2023 22:13:20 GMT"], Array(body.utf8))
    }

    /// HOST:PORT, as in the variable.
    var host: String { String(source.url.dropFirst("http://".count).prefix { $0 != "/" }) }
    var refused: Int { state.value.withLock { $0.refused } }
    var updates: [String] { state.value.withLock { $0.updates } }

    /// The method and path of the last update of a user. `nil` without such an update.
    func target(_ user: String) -> String? { state.value.withLock { $0.targets[user] } }

    func setDown(_ isDown: Bool) { state.value.withLock { $0.isDown = isDown } }

    /// The value of a member in the last update of a user. `nil` without such an update.
    func last(_ user: String, _ member: String) -> String? {
        let start = #"{"localId":"\#(user)","\#(member)":"#
        return updates.last { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count).dropLast()) }
    }

    func close() async throws { try await source.close() }
}

/// The Realtime Database of the emulators, with conditional writes and a clock that stands.
private final class FakeDatabase: Sendable {
    private struct State {
        var isDown = false
        var refused = 0
        var entries: [String: Int]
    }

    private final class Box: Sendable {
        let value: Mutex<State>
        init(_ entries: [String: Int]) { value = Mutex(State(entries: entries)) }
    }

    private let state: Box
    private let source: MisbehavingSource

    init(_ entries: [String: Int]) async throws {
        let state = Box(entries)
        self.state = state
        source = try await MisbehavingSource { request in
            state.value.withLock { state in
                guard !state.isDown else {
                    state.refused += 1
                    return .send(Self.response("503 Service Unavailable", "{}"))
                }
                let line = request.head.split(separator: " ")
                let path = line[1].split(separator: "/")
                guard path.count == 3, path[0] == "metadata", path[2] == "revokeTime.json?ns=demo-gatehouse",
                    request.head.lowercased().contains("\r\nauthorization: bearer owner\r\n")
                else { return .send(Self.response("400 Bad Request", "{}")) }
                let user = String(path[1])
                let current = state.entries[user].map { "\($0)" } ?? "null"
                if line[0] == "GET" { return .send(Self.response("200 OK", current, etag: "v\(current)")) }
                guard request.head.lowercased().contains("\r\nif-match: v\(current)\r\n") else {
                    return .send(Self.response("412 Precondition Failed", current, etag: "v\(current)"))
                }
                state.entries[user] = Int(request.body)
                return .send(Self.response("200 OK", request.body))
            }
        }
    }

    private static func response(_ status: String, _ body: String, etag: String? = nil) -> [UInt8] {
        let fields = ["Date: Tue, 14 Nov 2023 22:13:20 GMT"] + (etag.map { ["ETag: \($0)"] } ?? [])
        return httpAnswer(status: status, headers: fields, Array(body.utf8))
    }

    /// HOST:PORT.
    var host: String { String(source.url.dropFirst("http://".count).prefix { $0 != "/" }) }
    var refused: Int { state.value.withLock { $0.refused } }
    var entries: [String: Int] { state.value.withLock { $0.entries } }
    func setDown(_ isDown: Bool) { state.value.withLock { $0.isDown = isDown } }
    func close() async throws { try await source.close() }
}
