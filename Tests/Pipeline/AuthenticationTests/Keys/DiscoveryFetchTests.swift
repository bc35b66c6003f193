import Authentication
import JOSE
import NIOCore
import OutboundHTTP
import Testing

@testable import GatewayFixtures
@testable import SystemFixtures

/// Key sets from a discovery document, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct DiscoveryFetchTests {
    private let key: TestKey
    private static let issuer = "https://id.example"

    init() throws {
        key = try TestKey("a")
    }

    /// A source with the document at `/keys` and the keys at `/set`.
    ///
    /// - Parameter document: Returns the document for the host of the request.
    private func source(
        document: @escaping @Sendable (String) -> MisbehavingSource.Answer,
        keys: (@Sendable () -> MisbehavingSource.Answer)? = nil
    ) async throws -> MisbehavingSource {
        let set = jwkSet([key])
        return try await MisbehavingSource { request in
            if request.head.hasPrefix("GET /set ") { return keys?() ?? .send(httpAnswer(set)) }
            return document(Self.host(of: request.head))
        }
    }

    private static func host(of head: String) -> String {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("host:") } ?? ""
        return line.split(separator: ":", maxSplits: 1).last.map { $0.drop { $0 == " " } }.map(String.init) ?? ""
    }

    private static func document(
        _ host: String, issuer: String = issuer, keys: String? = nil, more: String = ""
    ) -> MisbehavingSource.Answer {
        let keys = keys ?? "http://\(host)/set"
        return .send(httpAnswer(Array(#"{"issuer":"\#(issuer)","jwks_uri":"\#(keys)"\#(more)}"#.utf8)))
    }

    private func fetch(_ source: MisbehavingSource, time: TimeAmount = .seconds(120)) async throws -> FetchedKeySet {
        try await HTTPKeyFetcher.use(time: time) {
            try await $0.fetch(.discovery(url: source.url, issuer: Self.issuer))
        }
    }

    private func failure(_ source: MisbehavingSource, time: TimeAmount = .seconds(120)) async throws -> KeyFetchError? {
        defer { Task { try? await source.close() } }
        return await #expect(throws: KeyFetchError.self) { _ = try await fetch(source, time: time) }
    }

    @Test func `keys are fetched from the address in the document`() async throws {
        let more = #","id_token_signing_alg_values_supported":["ES256","none"]"#
        let source = try await source(document: { Self.document($0, more: more) })
        let fetched = try await fetch(source)
        #expect(fetched.keys.key(id: "a") != nil)
        #expect(fetched.algorithms == [.es256])
        #expect(source.requests.count == 2)
        try await source.close()
    }

    @Test func `F-16: no keys are fetched for a document of another issuer`() async throws {
        let source = try await source(document: { Self.document($0, issuer: "https://evil.example") })
        #expect(try await failure(source)?.code == .issuerMismatch)
        #expect(source.requests.count == 1, "its keys were not requested")
    }

    @Test(arguments: [
        ("302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0", "", KeyFetchError.Code.redirected),
        ("503 Unavailable\r\nContent-Length: 0", "", .status), ("200 OK\r\nContent-Length: 9999999", "", .tooLarge),
        ("200 OK\r\nContent-Length: 6", "<html>", .notADiscovery),
    ])
    func `F-18: a document that cannot be fetched fails`(head: String, body: String, code: KeyFetchError.Code)
        async throws
    {
        let source = try await source(document: { _ in .send(Array("HTTP/1.1 \(head)\r\n\r\n\(body)".utf8)) })
        #expect(try await failure(source)?.code == code)
        #expect(source.requests.count == 1)
    }

    @Test func `a document without a key set at its address fails`() async throws {
        let source = try await source(document: { Self.document($0) }, keys: { .send(httpAnswer(Array("{}".utf8))) })
        #expect(try await failure(source)?.code == .notAKeySet)
    }

    @Test func `document and keys share the timeout of one fetch`() async throws {
        // A busy machine can need longer for the document.
        for milliseconds in [100, 1_000, 10_000, 100_000] as [Int64] {
            let source = try await source(document: { Self.document($0) }, keys: { .silence })
            #expect(try await failure(source, time: .milliseconds(milliseconds))?.code == .timedOut)
            if source.requests.count == 2 { return }
        }
        Issue.record("the keys were not requested")
    }

    @Test func `F-16: a document of another issuer leaves the last valid set`() async throws {
        let harness = CoordinatorHarness(sources: [.discovery(url: "https://id.example/d", issuer: Self.issuer)])
        let key = key
        try await harness.run { subscriber in
            try await harness.serve([key], to: subscriber)
            await harness.coordinator.refresh(set: 0)
            let call = await harness.fetcher.next()
            #expect(call?.source == .discovery(url: "https://id.example/d", issuer: Self.issuer))
            call?.fail(KeyFetchError(.issuerMismatch))
            let view = await subscriber.next { !$0.isFetching && !$0.lastFetchSucceeded }
            #expect(view?.keys?.key(id: "a") != nil)
            #expect(harness.coordinator.status().first?.lastError?.code == .issuerMismatch)
            #expect(harness.coordinator.status().first?.source == "https://id.example/d")
        }
    }
}
