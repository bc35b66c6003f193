import DevelopmentIdentity
import Foundation
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// The messages of `serve` to a service manager, as systemd receives them.
struct SupervisionTests {
    /// Runs a gateway with a service manager. A shell sets the variables, because WATCHDOG_PID must be the ID of the
    /// process.
    private static func run(
        _ variables: String = "", at address: String? = nil, arrange: (inout GatewayConfiguration) -> Void = { _ in },
        _ body: (ReloadScenario, DatagramReceiver) async throws -> Void
    ) async throws {
        let folder = try ScratchFolder()
        let address = address ?? folder.path("notify")
        let manager = try DatagramReceiver(address)
        try await ReloadScenario.run(
            arrange: {
                $0.environment["NOTIFY_SOCKET"] = address
                $0.launcher = ["sh", "-c", "export LC_ALL=C \(variables); exec \"$0\" \"$@\""]
                arrange(&$0)
            },
            { try await body($0, manager) })
    }

    private static func status(_ port: Int, _ configuration: Int) -> String {
        "STATUS=Serving on 127.0.0.1:\(port), configuration \(configuration)"
    }

    /// An address of the abstract namespace, and a path.
    @Test(arguments: ["@gatehouse-\(UUID().uuidString)", nil])
    func `start, reloads and stop are reported`(address: String?) async throws {
        try await Self.run(at: address) { reload, manager in
            let gateway = reload.gateway
            let port = gateway.port
            #expect(try await manager.next("") == "READY=1\n\(Self.status(port, 1))")

            let before = DispatchTime.now().uptimeNanoseconds / 1000
            try await reload.reload { $0.routes.append("path: /added/**, auth: none, upstream: api") }
            let began = try await manager.next("").split(separator: "\n")
            #expect(began.first == "RELOADING=1" && began.last == "STATUS=Reloading the configuration")
            let time = try #require(began.first { $0.hasPrefix("MONOTONIC_USEC=") }?.dropFirst(15))
            #expect(try #require(UInt64(time)) >= before)
            #expect(try await manager.next("") == "READY=1\n\(Self.status(port, 2))")

            try await reload.reload(ends: "refused") { $0.routes = ["path: /x, upstream: nowhere"] }
            #expect(try await manager.next("").hasPrefix("RELOADING=1\n"))
            let rejected = "; the last reload was rejected: see the log"
            #expect(try await manager.next("") == "READY=1\n\(Self.status(port, 2))\(rejected)")

            gateway.signal(SIGTERM)
            // The drain timeout of the configuration and 15 s.
            #expect(
                try await manager.next("")
                    == "STOPPING=1\nSTATUS=Stopping within 20 s\nEXTEND_TIMEOUT_USEC=20000000")
            #expect(await gateway.exitCode() == 0)
            #expect(manager.receive() == nil)
        }
    }

    @Test func `a reload by the admin API is reported`() async throws {
        try await Self.run { reload, manager in
            _ = try await manager.next("READY=1")
            #expect(try reload.scenario.admin("POST", "/v1/reload").status == 200)
            #expect(try await manager.next("").hasPrefix("RELOADING=1\n"))
            #expect(try await manager.next("") == "READY=1\n\(Self.status(reload.gateway.port, 2))")
        }
    }

    @Test func `pings are sent until the process stops`() async throws {
        try await Self.run("WATCHDOG_PID=$$ WATCHDOG_USEC=200000") { reload, manager in
            for _ in 1...5 { _ = try await manager.next("WATCHDOG=1") }
            // Pings continue during a running request and during the drain.
            let slow = try reload.scenario.client(sending: WireRequest.get("/public/slow?hold=drain"))
            await reload.scenario.echo.waitForHeads(1)
            reload.gateway.signal(SIGTERM)
            _ = try await manager.next("STOPPING=1")
            for _ in 1...3 { _ = try await manager.next("WATCHDOG=1") }
            reload.scenario.echo.release("drain")
            #expect(try slow.response().status == 200)
            #expect(await reload.gateway.exitCode() == 0)
        }
    }

    @Test(arguments: ["WATCHDOG_PID=1 WATCHDOG_USEC=1000", "WATCHDOG_PID=$$"])
    func `without a watchdog for this process there is no ping`(variables: String) async throws {
        try await Self.run(variables) { reload, manager in
            // A watchdog with this interval would cause many pings before the end of a reload.
            #expect(try await manager.next("").hasPrefix("READY=1\n"))
            try await reload.reload { _ in }
            for prefix in ["RELOADING=1\n", "READY=1\n"] {
                #expect(try await manager.next("").hasPrefix(prefix))
            }
            #expect(manager.receive() == nil)
        }
    }

    @Test func `the configuration does not see the variables`() async throws {
        try await Self.run(arrange: {
            $0["response_headers"] = "{ set: { X-Manager: '${NOTIFY_SOCKET:-none}' } }"
        }) { reload, _ in
            #expect(try reload.scenario.send(.get("/public/1"))["X-Manager"] == "none")
            try await reload.reload { _ in }
            #expect(try reload.scenario.send(.get("/public/1"))["X-Manager"] == "none")
        }
    }

    @Test func `an absent service manager does not harm the gateway`() async throws {
        try await ReloadScenario.run(arrange: { $0.environment["NOTIFY_SOCKET"] = "/nowhere/notify" }) { reload in
            #expect(try reload.scenario.send(.get("/public/1")).status == 200)
            try await reload.reload { _ in }
            #expect(try reload.scenario.send(.get("/public/1")).status == 200)
            reload.gateway.signal(SIGTERM)
            #expect(await reload.gateway.exitCode() == 0)
            let warning = "msg=\"the service manager receives no messages\" error=\"No such file or directory\""
            #expect(reload.gateway.errors.components(separatedBy: warning).count == 2, "\(reload.gateway.errors)")
        }
    }

    @Test func `a service manager that reads nothing does not harm the gateway`() async throws {
        try await Self.run("WATCHDOG_PID=$$ WATCHDOG_USEC=1000") { reload, manager in
            _ = try await eventually("a full queue") {
                reload.gateway.errors.contains("error=\"its queue is full\"") ? true : nil
            }
            #expect(try reload.scenario.send(.get("/public/1")).status == 200)
            reload.gateway.signal(SIGTERM)
            #expect(await reload.gateway.exitCode() == 0)
            withExtendedLifetime(manager) {}
        }
    }
}
