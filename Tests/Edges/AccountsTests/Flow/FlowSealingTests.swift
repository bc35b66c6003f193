import DevelopmentIdentity
import Foundation
import GatewayCore
import JOSE
import Logging
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP
@testable import StoreFixtures

/// The values of flows as the store has them: sealed, and each for one place.
@Suite(.timeLimit(.minutes(2))) struct FlowSealingTests {
    private let time = ManualClock()
    private let log = LogLines()
    private let store: SQLiteStore
    private let browser = BrowserBinding()
    private let value = #"{"a":"ü"}"#

    init() async throws {
        store = try SQLiteStore(path: nil, clock: time.clock, logger: .silent)
        try await store.load()
    }

    private func shelf(
        _ current: SigningKey = SessionDraft.key, _ previous: SigningKey..., in other: (any FlowStore)? = nil
    ) throws -> FlowShelf {
        let keys = try SessionKeys(issuer: SessionDraft.issuer, current: current, previous: previous)
        return FlowShelf(
            store: other ?? store, clock: time.clock, keys: keys, logger: log.logger, requestID: "request-1")
    }

    /// Takes the sealed text of the value `s` out of the store.
    private func takeSealed(_ kind: FlowShelf.Kind = .state) async throws -> String {
        try #require(
            try await store.takeFlow(
                try browser.name(kind.rawValue, "s"), of: try browser.holder(), now: time.now))
    }

    /// Stores a text as another program would.
    private func putRaw(
        _ text: String, as kind: FlowShelf.Kind = .state, named name: String = "s", of browser: BrowserBinding? = nil
    ) async throws {
        let browser = browser ?? self.browser
        try await store.putFlow(
            try browser.name(kind.rawValue, name), of: try browser.holder(), value: text, lifetime: 60, now: time.now)
    }

    @Test func `O-31: a value opens only as its kind, under its name and in its browser`() async throws {
        let shelf = try shelf()
        try await shelf.put(value, as: .state, named: "s", of: browser, lifetime: 60)
        let sealed = try await takeSealed()
        let other = BrowserBinding()
        for (kind, name, browser) in [
            (.result, "s", browser), (.state, "t", browser), (.state, "s", other),
        ] as [(FlowShelf.Kind, String, BrowserBinding)] {
            try await putRaw(sealed, as: kind, named: name, of: browser)
            #expect(try await shelf.take(kind, named: name, of: [browser]) == nil, "\(kind) \(name)")
        }
        #expect(log.all.map(\.message) == Array(repeating: "stored value of a sign-in flow rejected", count: 3))
        #expect(log.all.allSatisfy { $0.level == .warning && "\($0.metadata)".contains("request-1") })
        #expect(!log.text.contains(sealed) && !log.text.contains(browser.value))
        try await putRaw(sealed)
        #expect(try await shelf.take(.state, named: "s", of: [other, browser])?.value == value)
    }

    @Test func `O-31: a value in clear, cut or changed is absent`() async throws {
        let shelf = try shelf()
        try await shelf.put(value, as: .state, named: "s", of: browser, lifetime: 60)
        let sealed = try await takeSealed()
        var texts: [String] = [value, "A", String(repeating: "A", count: 38), String(repeating: "A", count: 65_536)]
        for count in [1, 4] {
            texts.append(String(sealed.dropLast(count)))
            texts.append(String(sealed.dropFirst(count)))
        }
        texts.append(sealed + "AAAA")
        texts.append(sealed + "=")
        texts.append(sealed + "\u{FFFD}")
        texts.append("\(sealed.first == "A" ? "B" : "A")\(sealed.dropFirst())")
        texts.append("\(sealed.dropLast())\(sealed.last == "A" ? "Q" : "A")")
        for text in texts {
            try await putRaw(text)
            #expect(try await shelf.take(.state, named: "s", of: [browser]) == nil, "\(text.prefix(80))")
        }
        #expect(log.all.count == texts.count)
    }

    @Test(arguments: [FlowShelf.Kind.state, .form, .result])
    func `O-31: a value does not open after its expiry, although a writer of the store extended it`(
        _ kind: FlowShelf.Kind
    ) async throws {
        let shelf = try shelf()
        for (seconds, isCurrent) in [(59, true), (60, false), (3_000, false)] {
            try await shelf.put(value, as: kind, named: "s", of: browser, lifetime: 60)
            let sealed = try await takeSealed(kind)
            time.advance(seconds: Double(seconds))
            try await putRaw(sealed, as: kind)
            let taken = try await shelf.take(kind, named: "s", of: [browser])?.value
            #expect(taken == (isCurrent ? value : nil), "after \(seconds) s")
        }
        #expect(log.all.map(\.message) == Array(repeating: "stored value of a sign-in flow rejected", count: 2))
        #expect(log.all.allSatisfy { "\($0.metadata)".contains("beyond its sealed expiry") })
    }

    @Test func `O-31: a value in Redis that is not UTF-8 is absent and logged`() async throws {
        let database = try await RedisDatabase.fresh()
        let shelf = try shelf(in: try await database.loadedStore(now: time.now))
        let key = "gatehouse:flow:\(hexadecimal(try browser.holder().bytes))"
        try database.cli(
            "EVAL", "redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ':\\255\\195')", "1", key,
            hexadecimal(try browser.name("state", "s").bytes), "\(time.now + 60)")
        #expect(try await shelf.take(.state, named: "s", of: [browser]) == nil)
        #expect(log.all.map(\.message) == ["stored value of a sign-in flow rejected"])
    }

    @Test func `a value opens with a previous session key, and with no unknown one`() async throws {
        let (old, new) = (SessionDraft.previousKey, SessionDraft.key)
        try await shelf(old).put(value, as: .state, named: "s", of: browser, lifetime: 60)
        #expect(try await shelf(new, old).take(.state, named: "s", of: [browser])?.value == value)
        try await shelf(new, old).put(value, as: .state, named: "s", of: browser, lifetime: 60)
        #expect(try await shelf(old).take(.state, named: "s", of: [browser]) == nil, "sealed with the current key")
        #expect(log.all.count == 1)
    }

    @Test func `a value has a maximum size`() async throws {
        let (shelf, size) = (try shelf(), 49_116)
        try await shelf.put(String(repeating: "v", count: size), as: .state, named: "s", of: browser, lifetime: 60)
        #expect(try await shelf.take(.state, named: "s", of: [browser])?.value.utf8.count == size)
        await #expect(throws: StoreError.self) {
            try await shelf.put(
                String(repeating: "v", count: size + 1), as: .state, named: "s", of: browser, lifetime: 60)
        }
    }

    @Test func `a flow survives a change of the session key while the old one is still accepted`() async throws {
        let flow = try await FlowRig()
        let new = SessionDraft.previousKey
        let (first, second) = (try await flow.begin(), try await flow.begin())
        flow.rig.authority.set(
            try SessionKeys(issuer: SessionDraft.issuer, current: new, previous: [SessionDraft.key]))
        #expect(await flow.finish(first).token != nil)
        flow.rig.authority.set(try SessionKeys(issuer: SessionDraft.issuer, current: new, previous: []))
        #expect(await flow.finish(second).page?.contains("Sign in again") == true)
        #expect(flow.transport.calls.count { $0.request.url.hasSuffix("/token") } == 1, "the code is sent nowhere")
    }

    @Test func `without session keys no flow begins`() async throws {
        let flow = try await FlowRig(keysAreKnown: false)
        let error = await #expect(throws: FlowRig.NotBegun.self) { try await flow.begin() }
        #expect(error?.code == "auth/store-unavailable")
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

/// The raw content of stores during flows.
@Suite(.timeLimit(.minutes(2))) struct FlowStoreContentTests {
    /// A time after the clock of the Redis server, which removes what has expired.
    private static let now: Int64 = 4_100_000_000

    /// A store, and a program beside the gateway that reads all of it.
    struct Opened: Sendable {
        let store: any GatewayStore
        /// Returns a hash as the content has it.
        let spelling: @Sendable (SHA256Digest) -> Data
        let content: @Sendable () throws -> Data
    }

    private static func file() async throws -> Opened {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path("gatehouse.db"), clock: .facts(at: now), logger: .silent)
        try await store.load()
        return Opened(store: store, spelling: { Data($0.bytes) }) {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted().map {
                try Data(contentsOf: folder.url.appendingPathComponent($0))
            }.reduce(Data(), +)
        }
    }

    private static func redis() async throws -> Opened {
        let database = try await RedisDatabase.fresh()
        let store = try await database.loadedStore(now: now)
        return Opened(store: store, spelling: { Data(hexadecimal($0.bytes).utf8) }) {
            let keys = try database.cli("KEYS", "*").split(separator: "\n").map(String.init)
            let flows = keys.filter { $0.hasPrefix("gatehouse:flow:") }
            #expect(flows.count == 5, "the keys of three browsers, of a form and of an app: \(keys)")
            return Data((keys + (try flows.map { try database.cli("HGETALL", $0) })).joined(separator: "\n").utf8)
        }
    }

    @Test(arguments: ["SQLite", "Redis"])
    func `O-31: the content of a store shows no name, code, verifier or token of a flow`(kind: String) async throws {
        let opened = try await kind == "Redis" ? Self.redis() : Self.file()
        let flow = try await FlowRig.withApps(store: opened.store)
        flow.rig.time.advance(seconds: Double(Self.now - ManualClock.start))
        let shared = "shared@example.com"
        _ = await flow.finish(try await flow.begin(), "google.com", as: DevelopmentUser.ada.withEmail(shared))
        let open = try await flow.begin(query: "return_to=/secret-place")
        let apple = try await flow.begin("apple.com")
        let form = try #require(await flow.post("apple.com", "state=\(apple.state)&code=secret-code").location)
        let failed = try await flow.begin("microsoft.com")
        let answer = await flow.finish(failed, "microsoft.com", as: DevelopmentUser.barbara.withEmail(shared))
        let location = try #require(answer.location)
        let result = try #require(FlowRig.parameters(location.drop { $0 != "?" }.dropFirst())["result"])
        let app = FlowRig.App()
        let code = try await flow.code(of: app, as: .dennis)
        let content = try opened.content()
        let pending = try #require(await flow.result(result, bindings: [failed.binding]).pending)
        var secrets = [open.state, open.binding, apple.state, result, failed.binding, "secret-place", "secret-code"]
        secrets.append(try #require(open.parameters["nonce"]))
        secrets.append(String(try #require(form.split(separator: "h=").last)))
        secrets += pending.split(separator: ".").map { String($0.suffix(40)) }
        secrets += [code, app.challenge, app.verifier]
        secrets += ["verifier", "return_to", "pending_token", "google.com.example/token", "sign-in"]
        for secret in secrets {
            #expect(secret.utf8.count > 6 && content.range(of: Data(secret.utf8)) == nil, "\(secret)")
        }
        let browser = try #require(BrowserBinding(open.binding))
        let holder = try #require(AppChallenge(app.challenge))
        for hash in [
            try browser.name("state", open.state), try browser.holder(), try holder.name("code", code),
            try holder.holder(),
        ] {
            #expect(content.range(of: opened.spelling(hash)) != nil, "the content has the flow and the code")
        }
        #expect(await flow.redeem(.signIn, code, app.verifier).code == "ok")
        #expect(await flow.finish(open).location == "https://app.example/secret-place", "it was there")
    }
}
