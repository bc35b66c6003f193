import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@testable import SystemFixtures

/// A client that follows redirects between a gateway and the development provider, with a browser's cookies.
struct FlowBrowser {
    /// The public origin of the gateways in tests, which no connection uses.
    static let origin = "http://localhost:8443"

    /// The gateways behind the public origin.
    let gateways: [Scenario]
    /// The index of the gateway that the next request reaches.
    var next = 0
    private(set) var cookies: [String: String] = [:]
    /// The addresses that were visited, in order.
    private(set) var visited: [String] = []

    init(_ gateways: [Scenario]) { self.gateways = gateways }

    var provider: DevelopmentProvider { gateways[0].provider }
    var session: String? { cookies["__session"] }
    var gateway: Scenario { gateways[next % gateways.count] }

    /// Sends one request and stores the cookies of the response. The gateway receives its cookies, except with a POST
    /// from another site (`SameSite=Lax`).
    mutating func send(_ url: String, form: String? = nil, isCrossSite: Bool = false) throws -> WireResponse {
        visited.append(url)
        let isOurs = url.hasPrefix(Self.origin)
        let path = isOurs ? String(url.dropFirst(Self.origin.count)) : Self.path(of: url)
        var request = form.map { WireRequest.post(path, body: Array($0.utf8)) } ?? WireRequest.get(path)
        if form != nil { request.fields.append("Content-Type: application/x-www-form-urlencoded") }
        guard isOurs else {
            request.host = "127.0.0.1:\(provider.port)"
            return try RawClient.exchange(provider.port, request)
        }
        if !cookies.isEmpty, form == nil || !isCrossSite {
            request.fields.append("Cookie: \(cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))")
        }
        let response = try gateway.send(request)
        for line in response.values("Set-Cookie") { keep(line) }
        return response
    }

    private mutating func keep(_ line: String) {
        guard let pair = line.split(separator: ";").first, let equals = pair.firstIndex(of: "=") else { return }
        let value = String(pair[pair.index(after: equals)...])
        cookies[String(pair[..<equals])] = value.isEmpty ? nil : value
    }

    private static func path(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        return String(url[scheme.upperBound...].drop { $0 != "/" })
    }

    /// Starts a sign-in. Returns the address at the provider.
    mutating func start(_ id: String, returnTo: String = "/done") throws -> String {
        let response = try send("\(Self.origin)/.gatehouse/sign-in/\(id)?return_to=\(returnTo)")
        #expect(response.status == 303 && response["Cache-Control"] == "no-store", "\(response.text)")
        return try #require(response["Location"])
    }

    /// Lets a user choose at the provider, and follows the way back to the last redirect of the gateway.
    mutating func finish(_ url: String, as user: String) throws -> WireResponse {
        var response = try send("\(url)&as=\(user)")
        if response.status == 200 {
            let (action, form) = try Self.form(in: response.text)
            response = try send(action, form: form, isCrossSite: true)
            #expect(response.status == 303, "\(response.text)")
            next += 1
            return try send(try #require(response["Location"]))
        }
        #expect(response.status == 302, "\(response.text)")
        next += 1
        return try send(try #require(response["Location"]))
    }

    /// Signs a user in. Returns the last redirect of the gateway.
    @discardableResult
    mutating func signIn(_ id: String, as user: String, returnTo: String = "/done") throws -> WireResponse {
        try finish(try start(id, returnTo: returnTo), as: user)
    }

    /// Returns the action and the fields of the form of a page.
    private static func form(in page: String) throws -> (action: String, form: String) {
        let action = try #require(page.firstMatch(of: /action="([^"]*)"/)).1
        let fields = page.matches(of: /name="([^"]*)" value="([^"]*)"/).map { match in
            let value = match.2.replacing("&quot;", with: "\"").replacing("&lt;", with: "<").replacing(
                "&amp;", with: "&")
            return "\(match.1)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        return (String(action).replacing("&amp;", with: "&"), fields.joined(separator: "&"))
    }

    /// Returns the identity that the upstream receives for the session.
    func identity() throws -> EchoReport? {
        EchoReport(try gateway.send(.cookie(try #require(session), "/me/x")))
    }
}

extension DevelopmentProvider {
    /// The entries of providers with authorization-code flows, in YAML. The key of Apple's client secret is the file
    /// `apple.pem`.
    var flowEntries: [String] {
        let identities: [IdentityProvider] = [.google, .apple, .microsoft, .yahoo, .linkedIn]
        let entries = identities.map { identity in
            let server = AuthorizationServer.identity(identity)
            let client =
                identity == .apple
                ? "team_id: TEAM, key_id: KEY, private_key: apple.pem" : "client_secret: demo-client-secret"
            let urls = "authorization_url: '\(url(.authorization(server)))', token_url: '\(url(.token(server)))'"
            let members = "client_id: '\(server.clientID)', \(client), \(urls) }"
            return entry(identity).replacing(/\s*}$/, with: ", " + members)
        }
        let corp = "oidc.corp: { issuer: '\(issuer(of: .oidc("corp")))', client_id: gatehouse,"
        let gitHub = gitHubEntry.replacing(/\s*}$/, with: "")
        return entries + [
            "\(corp) client_secret: demo-client-secret }",
            """
            \(gitHub), authorization_url: '\(url(.authorization(.gitHub)))', token_url: '\(url(.token(.gitHub)))',
                user_url: '\(url(.gitHubUser))' }
            """,
        ]
    }
}

extension GatewayConfiguration {
    /// Offers the authorization-code flows of the development provider.
    mutating func offerFlows(_ provider: DevelopmentProvider, origin: String = FlowBrowser.origin, more: String = "") {
        identify(provider, provider.flowEntries)
        files["apple.pem"] = (try? SigningKey.generate(.es256, keyID: "").pem()).map {
            String(decoding: $0, as: UTF8.self)
        }
        self["accounts"] =
            "{ public_url: '\(origin)', calls_per_address: 100000, calls_per_account: 100000\(more) }"
    }
}
