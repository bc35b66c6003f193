import HTTPWire
import JOSE
import NIOCore

@testable import Authentication
@testable import Authorization
@testable import Forwarding
@testable import Gatehouse
@testable import GatewayCore
@testable import HTTPServer
@testable import RequestPipeline
@testable import Routing

/// Measures the cost of each step of a request separately.
@main
struct MicroBenchmarks {
    static func main() throws {
        let fixture = try Fixture(routes: 10)
        heading()
        parsing(fixture)
        try routing()
        deciding(fixture)
        verifying(fixture)
    }

    private static func parsing(_ fixture: Fixture) {
        fixture.request.withUnsafeBytes { bytes in
            measure("request head: find its end and parse (\(bytes.count) bytes)", calls: 200_000) {
                var scanned = 0
                use(HeadScan.end(in: bytes, scanned: &scanned))
                use(fixture.parse(bytes)?.head.length)
            }
        }
    }

    private static func routing() throws {
        for count in [10, 10_000] {
            let fixture = try Fixture(routes: count)
            let scratch = PathScratch()
            let path = Array("/v1/users/ada/orders".utf8)
            let host = Array("api.example.com".utf8)
            let method = Array("GET".utf8)
            path.withUnsafeBytes { path in
                host.withUnsafeBytes { host in
                    method.withUnsafeBytes { method in
                        measure("route among \(count)", calls: 200_000) {
                            use(
                                fixture.worker.snapshot.pipeline.routes.route(
                                    host: host, path: path, method: method, scratch: scratch))
                        }
                    }
                }
            }
        }
    }

    private static func deciding(_ fixture: Fixture) {
        use(fixture.authenticate())
        measure("cached token: hash, find, check expiry and keys", calls: 100_000) { use(fixture.authenticate()) }
        let (scratch, locator) = (PathScratch(), fixture.worker.snapshot.pipeline.locator)
        let (outgoing, route) = (
            fixture.worker.snapshot.outgoing,
            OutgoingHead.Route(peer: PeerAddress(nil), fallbackHost: [], assertion: [])
        )
        let traceIDs = OutgoingHead.TraceIDs(request: (1, 2), trace: (3, 4), span: 5)
        var output = ByteBufferAllocator().buffer(capacity: 16_384)
        fixture.request.withUnsafeBytes { bytes in
            guard let view = fixture.parse(bytes) else { return }
            measure("find the credential", calls: 200_000) { use(locator.find(in: view).hasCookie) }
            measure("decide: all phases, with a cached token", calls: 100_000) {
                use(fixture.decide(view, scratch: scratch))
            }
            guard case .permit(let permit) = fixture.decide(view, scratch: scratch) else {
                return print("the request was denied")
            }
            measure("render the upstream's head", calls: 200_000) {
                use(outgoing.render(view, permit, route, traceIDs, into: &output))
            }
        }
    }

    private static func verifying(_ fixture: Fixture) {
        guard let key = fixture.keys.key(id: "bench") else { return }
        let verifiers = fixture.worker.snapshot.verifiers
        let view = KeySetView(keys: fixture.keys)
        let renderer = fixture.worker.snapshot.outgoing.identity
        measure("first-seen token: parse, checks, RS256, claims, render", calls: 3_000) {
            fixture.token.withUnsafeBytes { bytes in
                guard let token = try? UnverifiedJWS(bytes), let index = try? verifiers.index(for: token, .idToken),
                    case let verifier = verifiers.verifiers[index],
                    (try? verifier.checkBeforeSignature(token, view)) != nil,
                    let principal = try? verifier.verify(
                        token, key: key, view, now: fixture.now, hasher: fixture.hasher)
                else { return print("the token was rejected") }
                use(renderer.render(principal).bytes.count)
            }
        }
        guard let jws = try? UnverifiedJWS(fixture.token) else { return }
        measure("including: the RS256 signature", calls: 3_000) { use(jws.verify(with: key, algorithm: .rs256)) }
    }
}
