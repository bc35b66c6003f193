import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@testable import SystemFixtures

/// Unbounded input uses bounded time and memory.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status"), "reads /proc"))
struct ExhaustionCaseTests {
    @Test(.tags(.k07, .k08)) func `many clients that send nothing are closed after their timeout`() async throws {
        try await Scenario.run(arrange: {
            $2["limits"] =
                "{ head_timeout: \(Allowance.setting(milliseconds: 500)), "
                + "idle_timeout: \(Allowance.setting(milliseconds: 700)), connections: 1000 }"
        }) { scenario in
            let before = try scenario.gateway.residentKilobytes()
            let beginnings = [
                "", "G", "GET /public/x HTTP/1.1\r\n", "GET /public/x HTTP/1.1\r\nHost: a\r\nX-A: ",
                "POST /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\n",
                "POST /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 9223372036854775807\r\n\r\nx",
                "POST /public/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
                "POST /public/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\nx",
                "POST /public/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;",
                "POST /public/x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9999999999\r\n\r\n",
            ]
            let clients = try (0..<200).map { number in
                try scenario.client(sending: beginnings[number % beginnings.count])
            }
            #expect(try scenario.send(.get("/public/other")).status == 200)
            #expect(try scenario.gateway.residentKilobytes() - before < Allowance.memory(kilobytes: 32_000))
            for (number, client) in clients.enumerated() {
                let rest = String(decoding: (try? client.readToEnd()) ?? [], as: UTF8.self)
                #expect(client.hasEnded, "\(beginnings[number % beginnings.count])")
                #expect(rest.isEmpty || rest.contains("408"), "\(rest)")
            }
            _ = try await eventually("an end of all connections") {
                try scenario.metric("gatehouse_connections") == 0 ? true : nil
            }
        }
    }

    /// A token with a wrong signature is not cached, neither as valid nor as invalid.
    @Test(.tags(.k15, .k16)) func `a flood of invalid tokens fills no cache`() async throws {
        try await Scenario.run { scenario in
            let parts = try scenario.token().split(separator: ".")
            let entries = try scenario.metric("gatehouse_token_cache_entries")
            let before = try scenario.gateway.residentKilobytes()
            let client = try scenario.connect()
            for batch in 0..<20 {
                let requests = (0..<100).map { number in
                    let signature = Base64URL.encode([UInt8](repeating: UInt8(batch), count: 255) + [UInt8(number)])
                    return WireRequest.bearer("\(parts[0]).\(parts[1]).\(signature)", "/me/k16").bytes
                }
                try client.send(Array(requests.joined()))
                for _ in requests { expectDenial(try client.response(), 401, "auth/invalid-id-token") }
            }
            #expect(try scenario.metric("gatehouse_token_cache_entries") == entries)
            #expect(try scenario.gateway.residentKilobytes() - before < Allowance.memory(kilobytes: 16_000))
        }
    }

    /// The processor time for the same number of requests of each size. If the cost were quadratic, four times the
    /// bytes would take sixteen times as long.
    @Test(.tags(.b22)) func `the cost of a long path is proportional to its length`() async throws {
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["workers"] = "1"
            configuration["limits"] = "{ head_size: 256KiB }"
            let patterns = (0..<1000).flatMap { number in
                [
                    "path: '/r/{a}/{b}/x\(number)/**', upstream: api",
                    "path: '/r/a/{b}/y\(number)/{rest=**}', upstream: api",
                ]
            }
            configuration.routes = ["path: '/r/**', auth: none, upstream: down"] + patterns
        }) { scenario in
            func cost(_ size: Int, _ piece: String) throws -> Int {
                let client = try scenario.connect()
                let path = "/r/a/a/" + String(repeating: piece, count: size / piece.utf8.count)
                let before = try scenario.gateway.processorTicks()
                for _ in 0..<12 { _ = try client.exchange(.get(path)) }
                return try scenario.gateway.processorTicks() - before
            }
            for piece in ["a/", "/", "./", "%41", "a/../", "x1/", "%C3%A4/", "../a/a/r/"] {
                let short = try cost(16_384, piece)
                let long = try cost(65_536, piece)
                // Ticks are 10 ms, so a few of them are noise.
                #expect(long <= 8 * max(short, 4), "\(piece): \(short) and \(long) ticks")
            }
            let limit = try scenario.send(.get("/r/" + String(repeating: "a", count: 300_000)))
            expectDenial(limit, 431, "request/head-too-large")
        }
    }
}

extension GatewayProcess {
    /// The processor time of the process, in hundredths of a second.
    fileprivate func processorTicks() throws -> Int {
        let stat = try String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        return try #require(Int(fields[12])) + #require(Int(fields[13]))
    }
}
