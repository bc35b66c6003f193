import DevelopmentIdentity
import HTTPWire
import JOSE
import NIOCore

@testable import Authentication
@testable import Authorization
@testable import Forwarding
@testable import Gatehouse
@testable import GatewayCore
@testable import HTTPServer
@testable import Routing

/// What the steps of one request cost, each by itself.
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
                                fixture.worker.snapshot.routes.route(
                                    host: host, path: path, method: method, scratch: scratch))
                        }
                    }
                }
            }
        }
    }

    private static func deciding(_ fixture: Fixture) {
        use(fixture.authenticate())
        measure("token in the cache: hash, find, check expiry and keys", calls: 100_000) { use(fixture.authenticate()) }
        guard let entry = fixture.authenticate() else { return }
        let policy = RoutePolicy(recentSignIn: 300)
        measure("decide: revocation, session, recent sign-in", calls: 200_000) {
            let moment = Authorizer.Moment(now: fixture.now, monotonic: 1, mayWait: false)
            if case .permit(let permit) = fixture.worker.authorizer.decide(
                policy, identity: entry, at: moment, storeFailure: { _ in })
            {
                use(permit.signedInAt)
            }
        }
        rendering(fixture, entry)
    }

    private static func rendering(_ fixture: Fixture, _ entry: VerifiedTokenCache.Entry) {
        let moment = Authorizer.Moment(now: fixture.now, monotonic: 1, mayWait: false)
        guard
            case .permit(let permit) = fixture.worker.authorizer.decide(
                RoutePolicy(), identity: entry, at: moment, storeFailure: { _ in })
        else { return }
        var output = ByteBufferAllocator().buffer(capacity: 16_384)
        let path = Array("/v1/users/ada/orders".utf8)
        let peer = PeerAddress(nil)
        fixture.request.withUnsafeBytes { bytes in
            path.withUnsafeBytes { path in
                guard let view = fixture.parse(bytes) else { return }
                let credentials = fixture.worker.snapshot.locator.find(in: view)
                let route = OutgoingHead.Route(path: path, peer: peer, fallbackHost: [], assertion: [])
                let marks = OutgoingHead.Marks(request: (1, 2), trace: (3, 4), span: 5)
                measure("find the credential", calls: 200_000) {
                    use(fixture.worker.snapshot.locator.find(in: view).hasCookie)
                }
                measure("render the upstream's head", calls: 200_000) {
                    use(
                        fixture.worker.snapshot.outgoing.render(
                            view, credentials, permit, route, marks, into: &output))
                }
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
                else { return print("the token was refused") }
                use(renderer.render(principal).bytes.count)
            }
        }
        guard let jws = try? UnverifiedJWS(fixture.token) else { return }
        measure("of which: the RS256 signature", calls: 3_000) { use(jws.verify(with: key, algorithm: .rs256)) }
    }
}
