import TextCoding

#if DEBUG || FUZZING
    @testable internal import Accounts
    @testable internal import Authentication
    @testable internal import Authorization
    @testable internal import GatewayConfiguration
    @testable internal import GatewayCore
    @testable internal import OutboundHTTP
    @testable internal import RequestPipeline
    @testable internal import Revocation
    @testable internal import RevocationStores
    internal import JOSE
    internal import Logging
    internal import Synchronization
    internal import WireFuzzTargets

    /// Accounts and events over a store in memory, with one account that is linked to every source. The clock is fixed.
    struct FuzzedGateway {
        static let now: Int64 = 1_795_348_800
        private static let issuer = "https://api.example.com"
        private static let user = UserKey(uid: "00112233445566778899aabbccddeeff", tenant: nil)
        /// The origin of the session of the caller.
        private static let origin =
            #"{"provider":"google.com","subject":"104","credential":"id_token","claims":"#
            + #"{"iss":"https://accounts.google.com","aud":"client-1"}}"#
        private static let key = try? SigningKey.generate(.rs256, keyID: "key-1")
        private static let sessionKey = try? SigningKey.generate(.es256, keyID: "session-1")
        private static let clock = GatewayClock(now: { now }, monotonic: { 1_000_000_000 })
        private static let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
        private static let skew: Int64 = 5

        private let key: SigningKey
        private let sessions: SessionKeys
        private let store: SQLiteStore
        private let table: VerifierTable
        private let keys: FuzzedKeys
        private let accounts: Accounts
        private let events: AccountEvents
        private let answers = FuzzedAnswers()
        private let caller: Principal

        init?() async {
            let answers = answers
            guard let key = Self.key, let sessionKey = Self.sessionKey,
                let keySet = try? KeySet(jwkSet: Array("{\"keys\":[\(key.jwk)]}".utf8)),
                let sessions = try? SessionKeys(issuer: Self.issuer, current: sessionKey, previous: []),
                let store = try? await Self.makeStore()
            else { return nil }
            let identity = Self.identity
            let (table, _) = VerifierTable.make(of: identity, hasSessions: true)
            let keys = FuzzedKeys(set: keySet)
            let tokens = OpaqueTokens(
                identity.providers, clockSkew: .seconds(Self.skew),
                environment: LookupEnvironment(
                    transport: answers, clock: Self.clock, logger: Self.logger, wake: { _, _ in }))
            let opaque = OpaqueProof(
                providers: identity.providers.filter { $0.opaqueTokens != nil }.map(\.id), checker: tokens)
            let authority = SessionAuthority()
            authority.set(sessions)
            accounts = Accounts(
                AccountParts(
                    settings: Configuration.Accounts(), clock: Self.clock, logger: Self.logger, store: store,
                    authority: authority,
                    verifier: ProofVerifier(verifiers: table, keys: keys, opaque: opaque, clock: Self.clock),
                    clockSkew: Self.skew, maxStaleness: .max, rating: FuzzedRates()))
            events = AccountEvents(
                verifier: EventVerifier(verifiers: table, keys: keys, now: Self.clock.now), store: store,
                clock: Self.clock, logger: Self.logger)
            (self.key, self.sessions, self.store, self.table, self.keys) = (key, sessions, store, table, keys)
            guard let origin = SessionOrigin((try? JSONDocument(Array(Self.origin.utf8)))?.root),
                case let issuer = SessionIssuer(keys: sessions, terms: SessionTerms(Configuration.Accounts())),
                let cookie = try? issuer.cookie(
                    for: SessionSource(
                        user: Self.user, claims: try JSONDocument(Array("{}".utf8)),
                        account: AccountRecord(user: Self.user),
                        signIn: SignInProof(confirmedAt: UnixTime(clamping: Self.now)), origin: origin,
                        started: UnixTime(clamping: Self.now)),
                    issuer.newSession(now: UnixTime(clamping: Self.now), lifetime: 3600)),
                case .set(let token, _) = cookie, let caller = Self.principal(ofCookie: token, table, sessions)
            else { return nil }
            self.caller = caller
        }

        private static func makeStore() async throws -> SQLiteStore {
            let store = try SQLiteStore(path: nil, clock: clock, logger: logger)
            try await store.load()
            var account = AccountRecord(user: user, created: UnixTime(clamping: 1))
            account.links["google.com"] = "104"
            _ = try await store.createAccount(account, claimsEmail: false)
            for source in FuzzedSource.allCases where source != .firebase && source != .google {
                _ = try await store.claim(
                    IdentityLink(provider: source.provider, subject: "104"), for: user, unlessUnlinked: false)
            }
            return store
        }

        private static func principal(
            ofCookie token: String, _ table: VerifierTable, _ sessions: SessionKeys
        ) -> Principal? {
            guard case .session(let verifier)? = table.verifiers.last, let token = try? UnverifiedJWS(token),
                let hasher = SHA256Hasher(),
                let key = sessions.view.keys?.key(id: token.keyID ?? "")
            else { return nil }
            return try? verifier.verify(token, key: key, sessions.view, now: now, hasher: hasher)
        }
    }

    // MARK: - Properties

    extension FuzzedGateway {
        func checkCall(_ call: FuzzedCall, _ endpoint: AccountEndpoint) async {
            answers.answer = call.answer
            var nonce: (raw: String, digest: SHA256Digest)?
            if call.hasNonce, !call.source.isOpaque, endpoint != .session {
                nonce = try? await Nonces(store: store).issue(for: nil)
            }
            let body = body(
                of: call, endpoint, nonce: nonce?.raw, hash: nonce.map { HexDigits.text(of: $0.digest.bytes) })
            let isSignIn = endpoint == .signIn || endpoint == .session
            let reply = await accounts.reply(
                to: AccountCall(
                    endpoint: endpoint, body: body, contentType: "application/json",
                    caller: isSignIn ? nil : caller, network: .version4(1), requestID: "r"))
            switch reply {
            case .refused(let denial, _): require(denial.code.status != 500, "no claim is an error of the gateway")
            case .json(_, .set(let token, _)?): checkCookie(token)
            case .json, .accepted, .eventStored, .eventRejected, .done, .redirect, .authorization, .page, .onward,
                .signInPage:
                break
            }
        }

        private func checkCookie(_ token: String) {
            let principal = Self.principal(ofCookie: token, table, sessions)
            require(principal != nil, "a cookie that was given is one that counts")
            guard let principal else { return }
            require(principal.expiresAt.isAfter(Self.now), "a session ends later than now")
            require(principal.authTime.map { !$0.isAfter(Self.now) } ?? true, "nobody signed in later than now")
        }

        func checkEvent(_ call: FuzzedCall, _ endpoint: AccountEndpoint) async {
            let isApple = endpoint == .appleEvents
            let events =
                isApple
                ? #"{"type":"consent-revoked","sub":"104","event_time":\#(Self.now * 1000)}"#
                : #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#
            let token = sign(call.object(["events": events, "jti": "\"j-\(call.number)\""]))
            let body = isApple ? #"{"payload":"\#(token)"}"# : "logout_token=\(token)"
            let reply = await self.events.serve(
                AccountCall(
                    endpoint: endpoint, body: Array(body.utf8),
                    contentType: isApple ? "application/json" : "application/x-www-form-urlencoded", caller: nil,
                    network: .version4(1), requestID: "r"))
            if case .refused(let denial, _) = reply {
                require(denial.code.status != 500, "no claim of an event is an error of the gateway")
            }
            let record = try? await store.user(Self.user)
            require(
                record.map { $0.validSince.map { !$0.isAfter(Self.now) } ?? true } ?? false,
                "nothing revokes later sign-ins")
        }

        /// Uses the claims as the bearer token of a request to a route that requires a recent sign-in.
        func checkRequest(_ call: FuzzedCall) {
            guard !call.source.isOpaque, let token = try? UnverifiedJWS(sign(call.object())),
                let hasher = SHA256Hasher(),
                let index = try? table.index(for: token, .idToken),
                let key = keys.view.keys?.key(id: "key-1"),
                let principal = try? table.verifiers[index].verify(
                    token, key: key, keys.view, now: Self.now, hasher: hasher)
            else { return }
            require(principal.expiresAt.isAfter(Self.now), "a token that counts ends later than now")
            var policy = RoutePolicy()
            policy.recentSignIn = 300
            let identity = VerifiedTokenCache.Entry(
                principal: principal, verifier: 0, keySetGeneration: 0,
                identity: RenderedIdentity(bytes: [], lengthBeforeTime: 0, isTooLarge: false))
            let authorizer = Authorizer(store: store.view.reader(), clockSkew: Self.skew, maxStaleness: .max)
            let context = DecisionContext(now: Self.now, monotonic: 1_000_000_000, mayWait: false)
            if case .permit = authorizer.decide(policy, identity: identity, in: context, storeFailure: { _ in }) {
                let age = principal.authTime?.age(at: Self.now)
                require(age.map { (-Self.skew...300).contains($0) } ?? false, "a recent sign-in is recent")
            }
            let watch = StreamWatch(
                bounds: StreamBounds(maximum: .max, grace: 30, idle: .max), began: 0, expiresAt: principal.expiresAt)
            require(watch.permittedUntil.map { $0 >= principal.expiresAt } ?? false, "a grace prolongs")
        }
    }

    // MARK: - Tokens

    extension FuzzedGateway {
        private func sign(_ claims: [UInt8]) -> String { (try? key.sign(payload: claims)) ?? "" }

        private func body(
            of call: FuzzedCall, _ endpoint: AccountEndpoint, nonce: String?, hash: String?
        ) -> [UInt8] {
            var text = ObjectText()
            if !call.source.provider.isEmpty, endpoint != .session { text.add("provider", call.source.provider) }
            if call.source.isOpaque {
                text.add("access_token", "opaque-\(call.number)")
            } else {
                text.add("id_token", sign(call.object(hash.map { ["nonce": "\"\($0)\""] } ?? [:])))
                if let nonce { text.add("nonce", nonce) }
            }
            if endpoint == .link { text.add("consent", true) }
            return text.bytes
        }

        private static var identity: Configuration.Identity {
            var identity = Configuration.Identity()
            identity.firebase = Configuration.Firebase(project: "my-app")
            identity.providers = [
                signed("google.com", .google, "https://accounts.google.com"),
                signed("oidc.corp", .oidc, "https://corp.example"),
                signed("apple.com", .apple, "https://appleid.apple.com"),
                opaque("facebook.com", .facebook), opaque("github.com", .github), opaque("oauth.legacy", .oauth),
            ]
            return identity
        }

        private static func provider(_ id: String, _ kind: Configuration.Provider.Kind) -> Configuration.Provider {
            Configuration.Provider(
                id: id, kind: kind, location: GatewayCore.SourceLocation(file: "fuzz", line: 1, column: 1))
        }

        private static func signed(
            _ id: String, _ kind: Configuration.Provider.Kind, _ issuer: String
        ) -> Configuration.Provider {
            var provider = provider(id, kind)
            provider.idTokens = Configuration.Provider.IDTokens(
                issuers: [issuer], audiences: ["client-1"], keys: .url("https://keys.example/\(id)"))
            return provider
        }

        private static func opaque(_ id: String, _ kind: Configuration.Provider.Kind) -> Configuration.Provider {
            var provider = provider(id, kind)
            var tokens = Configuration.Provider.OpaqueTokens(
                url: "https://as.example/check", clientID: "gw", clientSecret: Secret("s3cret"))
            tokens.audiences = ["api"]
            tokens.rate = 10_000
            provider.opaqueTokens = tokens
            return provider
        }
    }

    /// One key set for all sources.
    private struct FuzzedKeys: KeyWaiting {
        let view: KeySetView

        init(set: KeySet) {
            view = KeySetView(
                keys: set, generation: 1, isLoaded: true, lastFetchSucceeded: true, completedFetches: 1,
                usableUntil: .max, cooldownUntil: .max, nextFetchAt: .max)
        }

        func view(of _: Int) -> KeySetView { view }

        func key(kid: String, set _: Int) async -> KeyLookupResult {
            view.keys?.key(id: kid).map { .key($0, view) } ?? .unknown
        }
    }

    /// The response of every provider, from the input.
    private final class FuzzedAnswers: OutboundTransport {
        private let body = Mutex<[UInt8]>([])

        var answer: [UInt8] {
            get { body.withLock { $0 } }
            set { body.withLock { $0 = newValue } }
        }

        func send(
            _: OutboundRequest, within _: Duration,
            completion: @escaping @Sendable (Result<OutboundResponse, LookupFailure>) -> Void
        ) {
            completion(.success(OutboundResponse(status: 200, body: self.answer)))
        }

        func shutdown() async {}
    }

    private struct FuzzedRates: CallRating {
        func allow(network: PeerNetwork, now: UInt64) -> Int? { nil }
        func allow(user: UserKey, now: UInt64) -> Int? { nil }
    }
#endif
