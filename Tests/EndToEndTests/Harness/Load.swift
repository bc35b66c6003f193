import DevelopmentIdentity
import Foundation

/// Clients that send requests of different users over kept connections, each on its own thread.
struct Load: Sendable {
    struct Counts: Sendable {
        var passed = 0
        /// The number of responses with status 502 or 504.
        var failed = 0
        /// The number of requests that ended because the gateway no longer listens.
        var turnedAway = 0
        /// The number of other failures.
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
                    total.turnedAway += part.turnedAway
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
                record(response, uid, number, &counts)
                client = response["Connection"]?.lowercased() == "close" ? nil : open
            } catch let failure as RawClient.Failure where failure.call == "connect" {
                counts.turnedAway += 1
                return counts
            } catch {
                counts.wrong.append("\(error)")
                client = nil
            }
        }
        return counts
    }

    private func record(_ response: WireResponse, _ uid: String, _ number: Int, _ counts: inout Counts) {
        switch (response.status, EchoReport(response)) {
        case (200, let report?) where report.values("X-Auth-Uid") == [uid] && report.path == "/me/\(uid)/\(number)":
            counts.passed += 1
        case (502, nil), (504, nil): counts.failed += 1
        default: counts.wrong.append("\(response.status) to \(uid)/\(number): \(response.text.prefix(300))")
        }
    }
}
