import Foundation
import Testing

@testable import SystemFixtures

extension GatewayProcess {
    /// The current sum of a metric over its labels.
    ///
    /// - Parameter label: Counts only the lines with this label, such as `state="busy"`. `nil` for all lines.
    func metric(_ name: String, _ label: String = "") throws -> Int {
        let samples = try samples(of: name, containing: label)
        try #require(!samples.isEmpty, "no metric \(name)")
        return samples.reduce(0) { $0 + Int($1) }
    }

    /// The samples of a metric whose lines contain `label`.
    func samples(of name: String, containing label: String) throws -> [Double] {
        let response = try RawClient.exchange(adminPort, WireRequest(target: "/metrics", host: "localhost"))
        let lines = response.text.split(separator: "\n").filter { line in
            (line.hasPrefix("\(name) ") || line.hasPrefix("\(name){")) && (label.isEmpty || line.contains(label))
        }
        return lines.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
    }

    /// The resident memory of the process.
    func residentKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }
}

extension Scenario {
    /// Waits until there are no requests, no client connections, and no busy upstream connections.
    func untilQuiet() async throws {
        do {
            _ = try await eventually("") { try unfinished() == [0, 0, 0] ? true : nil }
        } catch {
            Issue.record("requests, client connections or upstream connections remain: \(try unfinished())")
        }
    }

    private func unfinished() throws -> [Int] {
        let requests = try gateway.metric("gatehouse_requests_in_flight")
        let clients = try gateway.metric("gatehouse_connections")
        return [requests, clients, try gateway.metric("gatehouse_upstream_connections", "state=\"busy\"")]
    }
}
