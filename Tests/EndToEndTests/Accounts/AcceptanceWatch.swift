import Foundation
import Synchronization
import Testing

@testable import SystemFixtures

/// A client that repeats a request on one connection without a pause, until its credential was denied 32 times. The
/// requests after the first denial show that none passes any more.
final class AcceptanceWatch: Sendable {
    /// The accepted requests in relation to a time and to the first denial.
    struct Report: Sendable, CustomStringConvertible {
        /// The number of accepted requests that began after the time, and the start of the last accepted one in seconds
        /// after it; negative for a request that began before.
        var acceptedAfter = 0
        var lastAccepted = 0.0
        var deniedCount = 0
        /// The number of accepted requests that began after the response of the first denial.
        var acceptedAfterDenial = 0
        var others: [Int] = []

        var description: String {
            "accepted after: \(acceptedAfter), last: \(lastAccepted) s, denied: \(deniedCount), "
                + "accepted after a denial: \(acceptedAfterDenial), other responses: \(others)"
        }
    }

    private struct Sample: Sendable {
        let began: ContinuousClock.Instant
        let ended: ContinuousClock.Instant
        let status: Int
    }

    private static let denials = 32

    let target: String
    private let accepted = Atomic<Int>(0)
    private let samples = Mutex<Task<[Sample], any Error>?>(nil)

    /// The number of accepted requests so far.
    var acceptedCount: Int { accepted.load(ordering: .relaxed) }

    init(_ scenario: Scenario, _ request: WireRequest) {
        target = request.target
        let (port, bytes) = (scenario.gateway.port, request)
        samples.withLock { samples in
            samples = Task {
                try await withCheckedThrowingContinuation { continuation in
                    Thread.detachNewThread { continuation.resume(with: Result { try self.run(port, bytes) }) }
                }
            }
        }
    }

    private func run(_ port: Int, _ request: WireRequest) throws -> [Sample] {
        let client = try RawClient(port: port)
        let end = ContinuousClock.now + Allowance.hang
        var (samples, denied): ([Sample], Int) = ([], 0)
        while denied < Self.denials, ContinuousClock.now < end {
            let began = ContinuousClock.now
            let status = try client.exchange(request).status
            samples.append(Sample(began: began, ended: .now, status: status))
            if status == 200 { accepted.add(1, ordering: .relaxed) }
            if status == 401 { denied += 1 }
        }
        return samples
    }

    /// Waits for the end, and compares the requests with a time.
    func report(since time: ContinuousClock.Instant) async throws -> Report {
        let samples = try await samples.withLock { $0 }?.value ?? []
        let accepted = samples.filter { $0.status == 200 }
        var report = Report()
        report.acceptedAfter = accepted.count { $0.began > time }
        report.lastAccepted = accepted.last.map { (time.duration(to: $0.began)) / .seconds(1) } ?? 0
        report.deniedCount = samples.count { $0.status == 401 }
        if let denial = samples.first(where: { $0.status == 401 }) {
            report.acceptedAfterDenial = accepted.count { $0.began > denial.ended }
        }
        report.others = samples.map(\.status).filter { $0 != 200 && $0 != 401 }
        return report
    }
}
