import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// A transmitter in Python that pushes and offers security events, and two gateways that share one Redis.
@Suite(
    .enabled(if: PythonTransmitter.interpreter != nil, "GATEHOUSE_ORACLE_PYTHON names no Python: script/test sets it"))
struct TransmitterRunTests {
    private static let base = "https://schemas.openid.net/secevent/"

    /// Events that end the sessions of their user, with their members. The configuration revokes after all risks.
    private static let ending: [(event: String, members: JSON)] = [
        ("caep/event-type/session-revoked", [:]),
        ("caep/event-type/token-claims-change", ["claims": ["role": "guest"]]),
        ("caep/event-type/credential-change", ["credential_type": "password", "change_type": "update"]),
        ("caep/event-type/assurance-level-change", ["current_level": "nist-aal1", "change_direction": "decrease"]),
        ("caep/event-type/device-compliance-change", ["current_status": "not-compliant"]),
        ("caep/event-type/risk-level-change", ["current_level": "HIGH", "principal": "USER"]),
        ("risc/event-type/account-disabled", ["reason": "hijacking"]),
        ("risc/event-type/account-purged", [:]),
        ("risc/event-type/account-credential-change-required", [:]),
        ("risc/event-type/credential-compromise", ["credential_type": "password"]),
        ("risc/event-type/sessions-revoked", [:]),
        ("oauth/event-type/tokens-revoked", [:]),
    ]
    /// Events after which the user stays signed in.
    private static let others = [
        "caep/event-type/session-established", "caep/event-type/session-presented", "risc/event-type/account-enabled",
        "risc/event-type/identifier-changed", "risc/event-type/identifier-recycled", "risc/event-type/opt-in",
        "risc/event-type/opt-out-initiated", "risc/event-type/opt-out-cancelled", "risc/event-type/opt-out-effective",
        "risc/event-type/recovery-activated", "risc/event-type/recovery-information-changed",
        "oauth/event-type/token-revoked", "ssf/event-type/verification", "ssf/event-type/stream-updated",
    ]

    private enum Delivery: String { case push, poll }

    private static func run(_ body: (Fleet, PythonTransmitter) async throws -> Void) async throws {
        let transmitter = try await PythonTransmitter()
        try await Fleet.withAccounts({ _ in
            """
            , transmitters: { corp: { issuer: 'https://ssf.corp.example', audiences: ['https://gateway.example'],
                provider: oidc.corp, discovery_url: '\(transmitter.url)/metadata', authorization: Bearer agreed,
                management_authorization: Bearer management-token,
                assurance_level_change: revoke, device_compliance_change: revoke, risk_level_change: revoke,
                poll: { url: '\(transmitter.url)/poll', authorization: Bearer poll-token, interval: 1s } } }
            """
        }) { fleet, _ in try await body(fleet, transmitter) }
    }

    /// Sends an event about a user, by one of both ways.
    private static func emit(
        _ event: String, _ members: JSON = [:], about user: DevelopmentUser, _ delivery: Delivery, id: String,
        _ fleet: Fleet, _ transmitter: PythonTransmitter
    ) throws {
        var command: JSON = [
            "jti": .string(id), "type": .string(base + event), "members": members,
            "subject": [
                "format": "iss_sub", "iss": .string(fleet.first.provider.issuer(of: .oidc("corp"))),
                "sub": .string(user.subject(at: "oidc.corp")),
            ],
        ]
        if delivery == .push {
            let url = "http://127.0.0.1:\(fleet.first.gateway.port)/.gatehouse/events/ssf"
            command = command.with("push", .string(url)).with("authorization", "Bearer agreed")
        }
        let result = try transmitter.emit(command)
        #expect(result["status"] == JSON.integer(delivery == .push ? 202 : 0), "\(event): \(result)")
    }

    @Test func `O-33: all events, pushed and polled, take effect on both gateways`() async throws {
        try await Self.run { fleet, transmitter in
            for delivery in [Delivery.push, .poll] {
                let clock = ContinuousClock()
                var times: [Duration] = []
                for (number, event) in Self.ending.enumerated() {
                    let name = "\(delivery)-\(number)"
                    let user = DevelopmentUser(uid: name, email: "\(name)@example.com")
                    var app = AccountApp(fleet.first)
                    try app.signIn(.oidc("corp"), as: user) { $0.issued(at: unixNow() - 5) }
                    let session = try #require(app.session)
                    for gateway in fleet.gateways {
                        #expect(try gateway.send(.cookie(session, "/me/x")).status == 200, "\(event.event)")
                    }
                    let start = clock.now
                    try Self.emit(event.event, event.members, about: user, delivery, id: name, fleet, transmitter)
                    try await fleet.eventuallyAll(.cookie(session, "/me/x"), 401)
                    times.append(clock.now - start)
                }
                times.sort()
                print(
                    "security events by \(delivery): \(times.count) events, from the event to the denials on both"
                        + " gateways: median \(times[times.count / 2]), at most \(times[times.count - 1])")
            }
            try await Self.sendOthers(fleet, transmitter)
            let state = try await eventually("the acknowledgements") { () -> JSON? in
                let state = try transmitter.state()
                return state["pending"] == JSON.array([]) ? state : Optional<JSON>.none
            }
            #expect(state.list("acknowledged").count == Self.ending.count + Self.others.count, "\(state)")
            #expect(
                state["errors"] == JSON.object(JSONObject()) && state["most_concurrent"] == JSON.integer(1), "\(state)")
            let holders = try fleet.gateways.map { try $0.gateway.metric("gatehouse_security_event_polls_lease") }
            #expect(holders.sorted() == [0, 1])
        }
    }

    /// Sends the events without a revocation, by both ways.
    private static func sendOthers(_ fleet: Fleet, _ transmitter: PythonTransmitter) async throws {
        let user = DevelopmentUser(uid: "stays", email: "stays@example.com")
        var app = AccountApp(fleet.first)
        try app.signIn(.oidc("corp"), as: user) { $0.issued(at: unixNow() - 5) }
        for delivery in [Delivery.push, .poll] {
            for event in others {
                try emit(event, about: user, delivery, id: "\(delivery) \(event)", fleet, transmitter)
            }
        }
        for event in others {
            let name = event.split(separator: "/").last.map(String.init) ?? ""
            _ = try await eventually("both deliveries of \(event)") {
                let counts = try fleet.gateways.flatMap {
                    try $0.gateway.samples(of: "gatehouse_security_events_total", containing: #"event="\#(name)""#)
                }
                return counts.reduce(0, +) >= 2 ? true : nil
            }
        }
        let session = try #require(app.session)
        for gateway in fleet.gateways { #expect(try gateway.send(.cookie(session, "/me/x")).status == 200) }
    }

    @Test func `streams are registered and verified by the command line`() async throws {
        try await Self.run { fleet, transmitter in
            let gateway = fleet.first.gateway
            func events(_ arguments: String...) async throws -> CommandRun {
                try await CommandRun.run(
                    ["events"] + arguments + ["--config", gateway.folder.path("gatehouse.yaml")], in: gateway.folder)
            }
            #expect(try await events("status", "corp").output == "no stream\n")
            let missing = try await events("verify", "corp")
            #expect(missing.exitCode == 1 && missing.errors.contains("events register"))
            #expect(try await events("status", "other").exitCode == 1)
            let created = try await events("register", "corp", "--poll")
            #expect(created.exitCode == 0 && created.output.contains("stream     stream-1"), "\(created.errors)")
            #expect(created.output.contains("delivery   urn:ietf:rfc:8936 \(transmitter.url)/poll"))
            #expect(created.output.contains("event-type/account-purged") && !created.output.contains("warning"))
            let again = try await events("register", "corp", "--push", "https://api.example.com/.gatehouse/events/ssf")
            #expect(again.exitCode == 1 && again.errors.contains("409"))
            #expect(try await events("register", "corp").exitCode == 64)
            let status = try await events("status", "corp")
            #expect(status.output.contains("status     enabled"), "\(status.errors)")
            let verified = try await events("verify", "corp")
            let state = try #require(verified.output.firstMatch(of: /state +(\S+)/)?.output.1, "\(verified.errors)")
            _ = try await eventually("the verification event in a log") {
                fleet.gateways.contains { $0.gateway.errors.contains(state) } ? true : nil
            }
        }
    }

    @Test func `another gateway polls when the first one stops, and an invalid event is reported`() async throws {
        try await Self.run { fleet, transmitter in
            let lease = "gatehouse_security_event_polls_lease"
            let holder = try await eventually("the holder of the lease") {
                try fleet.gateways.firstIndex { try $0.gateway.metric(lease) == 1 }
            }
            fleet.gateways[holder].gateway.signal(SIGTERM)
            let other = fleet.gateways[1 - holder].gateway
            _ = try await eventually("the other gateway polls") { try other.metric(lease) == 1 ? true : nil }
            let user = DevelopmentUser(uid: "late", email: "late@example.com")
            let subject: JSON = [
                "format": "iss_sub", "iss": .string(fleet.first.provider.issuer(of: .oidc("corp"))),
                "sub": .string(user.subject(at: "oidc.corp")),
            ]
            let revoked = JSON.string(Self.base + "caep/event-type/session-revoked")
            _ = try transmitter.emit(["jti": "good", "type": revoked, "members": [:], "subject": subject])
            _ = try transmitter.emit(["jti": "bad", "type": revoked, "members": [:], "subject": "nobody"])
            let state = try await eventually("the acknowledgements") { () -> JSON? in
                let state = try transmitter.state()
                return state["pending"] == JSON.array([]) ? state : Optional<JSON>.none
            }
            #expect(state["acknowledged"] == JSON.array(["good"]))
            #expect(state["errors"]?["bad"]?.text("err") == "invalid_request", "\(state)")
        }
    }
}

/// `ssf_transmitter.py` on a free port.
final class PythonTransmitter: Sendable {
    /// The interpreter with `cryptography`. `script/test` sets it.
    static let interpreter = ProcessInfo.processInfo.environment["GATEHOUSE_ORACLE_PYTHON"].flatMap {
        $0.isEmpty ? nil : $0
    }

    let url: String
    private let port: Int
    private let folder: ScratchFolder
    private let server: ServerProcess

    init() async throws {
        let folder = try ScratchFolder()
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "ssf_transmitter.py")
        server = try await ServerProcess(Self.interpreter ?? "", [script.path, folder.path], in: folder, log: "log")
        port = try await eventually("the transmitter; \(folder.read("log"))") { Int(folder.read("port")) }
        url = "http://127.0.0.1:\(port)"
        self.folder = folder
    }

    /// Sends a command to push or to offer an event. Returns the result.
    func emit(_ command: JSON) throws -> JSON {
        var request = WireRequest.post("/emit", body: command.bytes)
        request.fields.append("Content-Type: application/json")
        return try #require(try RawClient.exchange(port, request).json)
    }

    /// The state of the transmitter.
    func state() throws -> JSON {
        try #require(try RawClient.exchange(port, WireRequest(target: "/state", host: "localhost")).json)
    }
}
