import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Only the peers that the configuration trusts may describe a request.
struct DecisionTrustTests {
    @Test func `J-11: a peer that is not trusted has no connection`() async throws {
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["decisions"] = "{ address: 127.0.0.1:0, trust: [127.0.0.9/32] }"
            configuration.routes = ["path: /**, auth: none"]
        }) { scenario in
            let port = try scenario.gateway.decisionsPort
            let request = DecisionRequest.of("forward", "/a")
            let trusted = try RawClient(port: port, from: 9)
            #expect(try trusted.exchange(request).status == 200)
            let stranger = try RawClient(port: port)
            // The gateway may have closed the connection already.
            try? stranger.send(request.bytes)
            #expect((try? stranger.readToEnd())?.isEmpty != false)
            // A policy has no upstream, so the public listener does not have it.
            #expect(try scenario.send(.get("/a")).status == 404)
        }
    }

    @Test func `J-11: a listener that trusts no peer is an error`() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            "decisions: { address: 127.0.0.1:0 }\nroutes: [{ path: /**, auth: none }]\n", to: "gatehouse.yaml")
        let run = try await CommandRun.run("check", "gatehouse.yaml", in: folder)
        #expect(run.exitCode == 1 && run.errors.contains("trusts no peer"), "\(run.errors)")
    }

    @Test func `the access log names the endpoint and the original request`() async throws {
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["decisions"] = "{ address: 127.0.0.1:0, trust: [127.0.0.1/32] }"
            configuration.routes = ["path: /**"]
        }) { scenario in
            let denied = try scenario.decide("/orders?secret=1", method: "PUT")
            #expect(denied.status == 401)
            var request = DecisionRequest.of("forward", "/a")
            request.fields.removeFirst()
            let rejected = try scenario.ask(request)
            #expect(rejected.status == 403)
            let lines = await scenario.accessLog().filter { $0["front_end"] == .string("forward_auth") }
            // Each worker writes its own lines.
            let line = lines.first { $0["method"] == .string("PUT") }
            let refused = lines.first { $0["code"] == .string("request/malformed") }
            #expect(line?["method"] == .string("PUT") && line?["path"] == .string("/orders"))
            #expect(line?["client"] == .string("192.0.2.7") && line?["route"] == .string("/**"))
            #expect(line?["code"] == .string("auth/missing-credential") && line?["status"] == .integer(401))
            #expect(refused?["reason"] == .string("X-Forwarded-Method is missing"))
            #expect(refused?["phase"] == .string("origin") && refused?["status"] == .integer(403))
        }
    }
}
