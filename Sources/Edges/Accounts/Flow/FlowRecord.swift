import Authentication
import GatewayCore
import JOSE
import Revocation
import TextCoding

/// An open flow: everything that its callback needs and must not learn from the callback itself.
struct FlowRecord: Sendable, Equatable {
    /// The purpose of a flow.
    enum Purpose: String, Sendable, CaseIterable {
        case signIn = "sign-in"
        case link
        case reauthenticate
    }

    /// The lifetime of a record, in seconds.
    static let lifetime: Int64 = 600
    private static let limits = JSONLimits(size: StoreBounds.maximumFlowSize, depth: 4, members: 64)

    let purpose: Purpose
    /// The provider, which is the context of the callback.
    let provider: String
    let endpoints: FlowEndpoints
    let redirectURI: String
    let clientID: String
    let nonce: String
    /// The verifier of the sent challenge (RFC 7636). `nil` if none was sent.
    let verifier: String?
    /// Where the browser goes afterwards: a text that `ReturnTargets` resolved.
    let returnTo: String
    /// The challenge of the app that began the flow. `nil` for a page: only then may the callback change a session.
    var challenge: AppChallenge?
    /// The user and the session that started a link or a reauthentication.
    var user: UserKey?
    var session: String?
    var sessionStart: UnixTime?
    /// Whether the user consented to connecting an anonymous account.
    var consents = false
    /// Whether the app asked the provider not to involve the user (`prompt=none`).
    var isSilent = false
    let started: UnixTime

    /// Whether the record is still valid. The store removes expired ones, but its clock may differ.
    func isCurrent(at now: Int64) -> Bool { (-60...Self.lifetime).contains(started.age(at: now)) }

    private enum Name {
        static let purpose = "purpose", provider = "provider", authorization = "authorization", token = "token"
        static let usesBasic = "basic", requiresIssuer = "iss", redirect = "redirect", client = "client"
        static let nonce = "nonce", verifier = "verifier", returnTo = "return_to", uid = "uid", tenant = "tenant",
            project = "project"
        static let session = "session", sessionStart = "session_start", consents = "consent"
        static let isSilent = "silent", challenge = "challenge"
        static let started = "started"
    }

    /// The JSON text.
    var text: String {
        var text = ObjectText()
        text.add(Name.purpose, purpose.rawValue)
        text.add(Name.provider, provider)
        text.add(Name.authorization, endpoints.authorization)
        text.add(Name.token, endpoints.token)
        text.add(Name.usesBasic, endpoints.usesBasic)
        text.add(Name.requiresIssuer, endpoints.requiresIssuer)
        text.add(Name.redirect, redirectURI)
        text.add(Name.client, clientID)
        text.add(Name.nonce, nonce)
        text.add(Name.verifier, verifier)
        text.add(Name.returnTo, returnTo)
        text.add(Name.challenge, challenge?.value)
        text.add(Name.uid, user?.uid)
        text.add(Name.tenant, user?.tenant)
        text.add(Name.project, user?.project)
        text.add(Name.session, session)
        text.add(Name.sessionStart, sessionStart)
        text.add(Name.consents, consents)
        text.add(Name.isSilent, isSilent)
        text.add(Name.started, started)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    init(
        purpose: Purpose, provider: String, endpoints: FlowEndpoints, redirectURI: String, clientID: String,
        nonce: String, verifier: String?, returnTo: String, started: UnixTime
    ) {
        self.purpose = purpose
        self.provider = provider
        self.endpoints = endpoints
        self.redirectURI = redirectURI
        self.clientID = clientID
        self.nonce = nonce
        self.verifier = verifier
        self.returnTo = returnTo
        self.started = started
    }

    /// Parses the JSON text. `nil` for a record of another version.
    init?(_ text: String) {
        guard let document = try? JSONDocument(Array(text.utf8), limits: Self.limits),
            case let root = document.root,
            let purpose = root[Name.purpose]?.string.flatMap(Purpose.init(rawValue:)),
            let provider = root[Name.provider]?.string, let authorization = root[Name.authorization]?.string,
            let token = root[Name.token]?.string, let redirect = root[Name.redirect]?.string,
            let client = root[Name.client]?.string, let nonce = root[Name.nonce]?.string,
            let returnTo = root[Name.returnTo]?.string,
            let started = root[Name.started]?.integer.flatMap({ UnixTime($0) })
        else { return nil }
        self.init(
            purpose: purpose, provider: provider,
            endpoints: FlowEndpoints(
                authorization: authorization, token: token, usesBasic: root[Name.usesBasic]?.bool ?? false,
                requiresIssuer: root[Name.requiresIssuer]?.bool ?? false),
            redirectURI: redirect, clientID: client, nonce: nonce, verifier: root[Name.verifier]?.string,
            returnTo: returnTo, started: started)
        user = root[Name.uid]?.string.map {
            UserKey(uid: $0, tenant: root[Name.tenant]?.string, project: root[Name.project]?.string)
        }
        session = root[Name.session]?.string
        sessionStart = root[Name.sessionStart]?.integer.flatMap { UnixTime($0) }
        consents = root[Name.consents]?.bool ?? false
        isSilent = root[Name.isSilent]?.bool ?? false
        guard let challenge = root[Name.challenge] else { return }
        guard let known = challenge.string.flatMap({ AppChallenge($0) }) else { return nil }
        self.challenge = known
    }
}

/// The binding of flows to one browser: a cookie of 128 random bits, which carries no authority of its own.
///
/// It is part of the names of all records, so that another browser neither finds nor uses them.
struct BrowserBinding: FlowHolder, Equatable {
    static let kind = "flow"
    /// The cookie's name. Browsers accept the prefix only for a secure cookie of exactly this host.
    package static let cookieName = "__Host-gatehouse-flow"
    /// The lifetime of the cookie after the last start, in seconds.
    static let lifetime: Int64 = 900
    /// The maximum number of cookies that a callback tries.
    static let maximumTried = 4

    let value: String

    init() { value = RandomText.name() }

    /// `nil` if the text is not a binding.
    init?(_ text: String) {
        guard text.utf8.count == 32,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        value = text
    }
}
