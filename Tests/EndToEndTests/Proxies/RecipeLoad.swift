import Foundation
import Synchronization

@testable import SystemFixtures

/// Clients that send requests through a proxy until they are stopped: one with a token and one without, in turn.
final class RecipeLoad: Sendable {
    struct Counts: Sendable {
        var passed = 0
        /// The number of responses 401 to requests without a token.
        var denied = 0
        /// The number of requests for which there was no decision.
        var failed = 0
        /// Requests that passed without a permit, or with another identity than the token's.
        var wronglyPassed: [String] = []
    }

    private let port: Int
    private let bearer: String
    private let counts = Mutex((Counts(), isStopped: false))
    private static let clients = 4

    init(_ port: Int, bearer: String) throws {
        self.port = port
        self.bearer = bearer
    }

    /// Starts the clients. The result is that of all of them, after ``stop()``.
    func start() -> Task<Counts, Never> {
        Task {
            await withTaskGroup { group in
                for _ in 0..<Self.clients {
                    group.addTask {
                        await withCheckedContinuation { continuation in
                            Thread.detachNewThread {
                                self.send()
                                continuation.resume()
                            }
                        }
                    }
                }
            }
            return counts.withLock { $0.0 }
        }
    }

    func stop() { counts.withLock { $0.isStopped = true } }

    /// Waits until a count has increased by ten.
    func progress(_ name: String, _ count: @Sendable (Counts) -> Int) async throws {
        let before = count(counts.withLock { $0.0 })
        _ = try await eventually(name) {
            count(self.counts.withLock { $0.0 }) >= before + 10 ? true : nil
        }
    }

    private func send() {
        var number = 0
        while !counts.withLock(\.isStopped) {
            let hasToken = number.isMultiple(of: 2)
            number += 1
            let fields = (hasToken ? [bearer] : []) + ["X-Auth-Uid: root", "Connection: close"]
            let request = WireRequest(target: "/a", fields: fields, host: "gateway.example")
            let response = try? RawClient.exchange(port, request)
            counts.withLock { Self.record(response, hasToken, &$0.0) }
        }
    }

    private static func record(_ response: WireResponse?, _ hasToken: Bool, _ counts: inout Counts) {
        guard let response else { return counts.failed += 1 }
        switch response.status {
        case 200..<300:
            let isRight = hasToken && EchoReport(response)?.values("X-Auth-Uid") == ["ada"]
            if isRight { counts.passed += 1 } else { counts.wronglyPassed.append(response.text) }
        case 401 where !hasToken: counts.denied += 1
        // A permitted request may be denied while the keys are not known.
        default: counts.failed += 1
        }
    }
}
