import DevelopmentIdentity
import Foundation
import Synchronization
import Testing

/// The service behind the gateway ends and comes back.
struct UpstreamRestartTests {
    @Test func aRequestIsSentAgainWhenAnIdleConnectionWasClosed() async throws {
        try await Scenario.run { scenario in
            let client = try RawClient(port: scenario.gateway.port)
            for _ in 0..<5 {
                #expect(try client.exchange(.get("/public/again")).status == 200)
                await scenario.echo.stopListening()
                try await scenario.echo.resumeListening()
                #expect(try client.exchange(.get("/public/again")).status == 200)
            }
        }
    }

    @Test func underLoadNobodyGetsAnothersAnswer() async throws {
        try await Scenario.run { scenario in
            let load = try Load(connections: 16, requests: 250, of: scenario)
            let answers = load.start()
            for _ in 0..<4 {
                try await Task.sleep(for: .milliseconds(150))
                await scenario.echo.stopListening()
                try await Task.sleep(for: .milliseconds(50))
                try await scenario.echo.resumeListening()
            }
            let counts = await answers.value
            #expect(counts.wrong == [])
            #expect(counts.passed + counts.failed == 16 * 250)
            #expect(counts.passed > 1000, "\(counts)")
        }
    }
}

/// Clients that send requests of different users over connections that they keep, each on a thread of its own.
private struct Load: Sendable {
    struct Counts: Sendable {
        var passed = 0
        /// Answered 502 or 504.
        var failed = 0
        /// Anything else.
        var wrong: [String] = []
    }

    private let port: Int
    private let connections: Int
    private let requests: Int
    private let tokens: [(uid: String, token: String)]

    init(connections: Int, requests: Int, of scenario: Scenario) throws {
        port = scenario.gateway.port
        self.connections = connections
        self.requests = requests
        tokens = try (0..<64).map { ("user-\($0)", try scenario.token(.named("user-\($0)"))) }
    }

    func start() -> Task<Counts, Never> {
        Task {
            await withTaskGroup { group in
                for connection in 0..<connections { group.addTask { await run(connection) } }
                return await group.reduce(into: Counts()) { total, part in
                    total.passed += part.passed
                    total.failed += part.failed
                    total.wrong += part.wrong
                }
            }
        }
    }

    private func run(_ connection: Int) async -> Counts {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: send(connection)) }
        }
    }

    private func send(_ connection: Int) -> Counts {
        var counts = Counts()
        var client: RawClient?
        for number in 0..<requests {
            let (uid, token) = tokens[(connection * 7 + number) % tokens.count]
            do {
                let open = if let client { client } else { try RawClient(port: port) }
                let response = try open.exchange(.bearer(token, "/me/\(uid)/\(number)"))
                judge(response, uid, number, &counts)
                client = response["Connection"]?.lowercased() == "close" ? nil : open
            } catch {
                counts.wrong.append("\(error)")
                client = nil
            }
        }
        return counts
    }

    private func judge(_ response: WireResponse, _ uid: String, _ number: Int, _ counts: inout Counts) {
        switch (response.status, EchoReport(response)) {
        case (200, let report?) where report.values("X-Auth-Uid") == [uid] && report.path == "/me/\(uid)/\(number)":
            counts.passed += 1
        case (502, nil), (504, nil): counts.failed += 1
        default: counts.wrong.append("\(response.status) to \(uid)/\(number): \(response.text.prefix(300))")
        }
    }
}
