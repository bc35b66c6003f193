import DevelopmentIdentity
import Foundation
import Synchronization
import Testing

@testable import SystemFixtures

/// A client that an attack on the gateway must not affect.
///
/// It sends requests with tokens, alternately on a kept connection and on new connections, and checks every response.
private final class Bystander: Sendable {
    struct Experience {
        var answered = 0
        var wrong: [String] = []
        var slowest = Duration.zero
    }

    private let scenario: Scenario
    private let isDone = Mutex(false)
    private let ended = DispatchSemaphore(value: 0)
    private let experience = Mutex(Experience())

    init(_ scenario: Scenario) { self.scenario = scenario }

    func start() throws {
        let tokens = try (0..<4).map { ("bystander-\($0)", try scenario.token(.named("bystander-\($0)"))) }
        Thread.detachNewThread {
            self.run(tokens)
            self.ended.signal()
        }
    }

    func stop() -> Experience {
        isDone.withLock { $0 = true }
        ended.wait()
        return experience.withLock { $0 }
    }

    private func run(_ tokens: [(uid: String, token: String)]) {
        var kept = try? RawClient(port: scenario.gateway.port)
        var number = 0
        repeat {
            number += 1
            let (uid, token) = tokens[number % tokens.count]
            let began = ContinuousClock.now
            let request = WireRequest.bearer(token, "/me/\(number)")
            let answer: Result<WireResponse?, any Error>
            if number.isMultiple(of: 2), let response = try? kept?.exchange(request) {
                answer = .success(response)
            } else {
                // A kept connection can end by its idle timeout while this thread waits for a processor.
                let client = try? RawClient(port: scenario.gateway.port)
                answer = Result { try client?.exchange(request) }
                if number.isMultiple(of: 2) { kept = client }
            }
            record(answer, uid: uid, path: "/me/\(number)", took: began.duration(to: .now))
            // The rate is low: the client is not meant as load.
            Thread.sleep(forTimeInterval: 0.005)
        } while !isDone.withLock { $0 }
    }

    private func record(_ answer: Result<WireResponse?, any Error>, uid: String, path: String, took: Duration) {
        let report = (try? answer.get()).flatMap(EchoReport.init)
        experience.withLock { experience in
            experience.answered += 1
            experience.slowest = max(experience.slowest, took)
            guard report?.values("X-Auth-Uid") != [uid] || report?.path != path else { return }
            experience.wrong.append("\(path): \(answer)")
        }
    }
}

extension Scenario {
    /// Runs `body` while a bystander sends requests. Each of them must get a correct response in time.
    func unharmed<Value>(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
    ) async throws -> Value {
        let bystander = Bystander(self)
        try bystander.start()
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        let experience = bystander.stop()
        #expect(experience.wrong.prefix(3) == [], sourceLocation: sourceLocation)
        #expect(experience.slowest < Allowance.hang, sourceLocation: sourceLocation)
        return try result.get()
    }
}
