import RequestPipeline
import Testing

@testable import AdminAPI
@testable import CoreFixtures
@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// The decisions of a worker, as viewers receive them.
struct RecordedDecisionTests {
    private let feed = DecisionFeed { _ in }

    private func viewer(_ query: String, on rig: RequestPathRig) throws -> DecisionViewer {
        let viewer = try feed.open(DecisionFilter(AdminQuery(target: "?\(query)")), generation: 1, at: 0)
        _ = viewer.take(at: 0)
        try rig.onLoop { $0.viewers = [viewer] }
        return viewer
    }

    private func events(_ viewer: DecisionViewer) -> [String] {
        String(decoding: viewer.take(at: 0).bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("data: ") }
    }

    @Test func `a denied request has the steps up to the phase that denied it`() throws {
        let rig = try RequestPathRig()
        let viewer = try viewer("", on: rig)
        try rig.send("GET /private/7?token=s3cret HTTP/1.1\r\nHost: a\r\n\r\n").expectProblem(
            401, "auth/missing-credential")
        try rig.onWorker { _ in }
        let events = events(viewer)
        try #require(events.count == 1)
        #expect(events[0].contains(#""route":"/private/**","path":null,"status":401"#))
        #expect(events[0].contains(#""phase":"authenticate""#) && events[0].contains(#""client":"127.0.0.0/24""#))
        let steps = #""steps":[{"phase":"route","name":"route","mark":"passed","detail":"/private/**"},"#
        #expect(events[0].contains(steps))
        #expect(
            events[0].contains(
                #"{"phase":"authenticate","name":"credential","mark":"failed","#
                    + #""detail":"none, but the route requires one"}]}"#))
        #expect(!events[0].contains("s3cret"))
    }

    @Test func `a permitted request that waited for keys has each step once`() throws {
        let rig = try RequestPathRig()
        let viewer = try viewer("unmask=true", on: rig)
        let token = TokenDraft.idToken().signed()
        let client = try rig.send("GET /private/7 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n")
        try rig.until { $0.pending.count == 1 }
        try rig.installKeys()
        try rig.upstream.accept().respond()
        #expect(try client.readMessage().status == 200)
        try rig.onWorker { _ in }
        let events = events(viewer)
        try #require(events.count == 1)
        #expect(events[0].contains(#""path":"/private/7","status":200,"code":"ok","phase":null"#))
        #expect(events[0].matches(of: /"name":"credential"/).count == 1)
        #expect(events[0].matches(of: /"name":"verified"/).count == 1)
        #expect(events[0].contains(#""name":"revocation","mark":"passed""#))
        #expect(events[0].contains(#""upstream":"api""#))
    }

    @Test func `a request records nothing while no viewer is there`() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.exchange()
        let recorded = try rig.onWorker { worker in
            worker.connectionContext.registry.elements.map { ($0.handler as? ClientExchange)?.findings != nil }
        }
        #expect(recorded == [false])
        try server.send(.okResponse)
        _ = try client.readMessage()
    }
}
