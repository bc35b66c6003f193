import DevelopmentIdentity
import Testing

struct LogFormatTests {
    @Test func `with format json, the members of both logs have the same names`() async throws {
        try await Scenario.run(arrange: { $2["log"] = "{ format: json }" }) { scenario in
            #expect(try scenario.send(.get("/down/x")).status == 502)
            let access = await scenario.accessLog()
            let log = scenario.gateway.errors.split(separator: "\n").map { JSON(parsing: Array($0.utf8)) ?? .null }
            #expect(log.count > 3 && access.count == 1)
            for line in log + access {
                for member in ["time", "level", "msg"] { #expect(line[member] != nil, "\(line)") }
            }
            let failure = try #require(log.first { $0["msg"] == "upstream server unreachable" })
            #expect(failure["level"] == "warning" && failure["upstream"] == access[0]["upstream"])
            #expect(failure["reason"] == access[0]["reason"])
        }
    }
}
