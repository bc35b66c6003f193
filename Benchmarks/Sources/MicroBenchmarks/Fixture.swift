import DevelopmentIdentity
import HTTPWire
import JOSE
import Logging
import NIOCore
import NIOEmbedded

@testable import Authentication
@testable import Forwarding
@testable import Gatehouse
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import HTTPServer
@testable import RequestPipeline
@testable import Revocation
@testable import Routing

/// A worker with one verified token, without sockets.
struct Fixture {
    let worker: Worker
    let hasher: SHA256Hasher
    let token: [UInt8]
    let request: [UInt8]
    let table = FieldTable(capacity: 128)
    let keys: KeySet
    let now: Int64

    init(routes count: Int) throws {
        let clock = GatewayClock.system
        now = clock.now()
        let signing = try SigningKey.generate(.rs256, keyID: "bench")
        keys = try KeySet(jwkSet: Array("{\"keys\":[\(signing.jwk)]}".utf8))
        let user = DevelopmentUser.ada
        let text = try FirebaseToken.idToken(for: user, project: "bench", now: now).signed(by: signing)
        token = Array(text.utf8)
        request = Array(
            """
            GET /v1/users/ada/orders?limit=20 HTTP/1.1\r\nHost: api.example.com\r\nUser-Agent: bench/1.0\r\n\
            Accept: application/json\r\nAccept-Encoding: gzip, deflate, br\r\nAccept-Language: en-GB,en;q=0.9\r\n\
            Authorization: Bearer \(text)\r\n\r\n
            """.utf8)
        var configuration = Configuration()
        configuration.identity.firebase = .init(project: "bench")
        configuration.upstreams = [.init(name: "api", servers: [.init(host: "127.0.0.1", port: 9)])]
        configuration.routes = (0..<count).map {
            .init(path: "/v1/filler\($0)/{id}", upstream: "api", location: SourceLocation(origin: "bench"))
        }
        configuration.routes.append(
            .init(path: "/v1/users/{uid}/{rest=**}", upstream: "api", location: SourceLocation(origin: "bench")))
        let view = StoreView()
        view.setAlwaysFresh()
        let snapshot = try Snapshot(configuration)
        let home = WorkerLoop(
            loop: EmbeddedEventLoop(), limits: snapshot.limits, counters: WorkerCounters(MetricIndices(configuration)),
            store: StoreAccess(reader: view.reader()), clock: clock, logger: Logger(label: "bench"), accessLog: nil)
        guard let hasher = SHA256Hasher(), let worker = Worker(snapshot, on: home, requestKeys: { _ in }) else {
            throw FixtureError()
        }
        self.hasher = hasher
        self.worker = worker
        let usable = KeySetView(
            keys: keys, generation: 1, isLoaded: true, lastFetchSucceeded: true, usableUntil: .max)
        for set in worker.snapshot.keySources.indices { worker.install(usable, set: set) }
    }

    struct FixtureError: Error {}

    func parse(_ bytes: UnsafeRawBufferPointer) -> RequestView? {
        guard let head = try? RequestParser.parse(bytes, fields: table) else { return nil }
        return RequestView(head: head, bytes: bytes, fields: table)
    }

    /// Runs all phases of a request.
    func decide(_ request: RequestView, scratch: PathScratch) -> PipelineStep {
        var run = PipelineRun(began: 0)
        var origin = RequestOrigin(peer: PeerAddress(nil))
        let context = RequestPipeline.Context(now: now, monotonic: worker.clock.monotonic(), scratch: scratch)
        return worker.pipeline.advance(&run, request, &origin, in: context)
    }

    func authenticate() -> VerifiedTokenCache.Entry? {
        token.withUnsafeBytes { bytes in
            let outcome = worker.pipeline.authenticator.authenticate(
                bytes, kind: .idToken, now: now, monotonic: worker.clock.monotonic(), waitingSince: nil)
            if case .verified(let entry) = outcome { return entry }
            return nil
        }
    }
}
