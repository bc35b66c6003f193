import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@testable import SystemFixtures

/// Real responses, compared with the OpenAPI document.
struct OpenAPIRunTests {
    /// The operations whose example is rejected: it has no real credential of a provider or CSRF token, or is not sent
    /// over HTTP/2.
    private static let rejected: Set<String> = [
        "changeEmail", "check", "deleteUserAccount", "endConsoleSession", "endSession", "link", "mergeUserAccount",
        "reauthenticate", "receiveAppleEvent", "receiveBackchannelLogout", "receiveFacebookDeauthorization",
        "receiveFacebookDeletion", "receiveGitHubEvent", "receiveSecurityEvent", "signIn", "unlink",
    ]
    /// The token in the examples of the document.
    private static let exampleToken = "eyJhbGciOiJSUzI1NiJ9.e30.c2ln"
    private static let secret = "billing-secret-0123456789"

    private let document: OpenAPIDocument

    init() throws { document = try OpenAPIDocument() }

    @Test func `the gateway responds to the example of each operation as the document states`() async throws {
        let folder = try ScratchFolder()
        let key = folder.path("key.pem")
        try folder.write(String(decoding: SigningKey.generate(.es256, keyID: "").pem(), as: UTF8.self), to: "key.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.offerFlows(
                provider,
                more: """
                    , pages: true, transmitters: { google: { issuer: 'https://accounts.google.com/', audiences: [client],
                        provider: google.com, keys_url: '\(provider.url(.keys(.google)))' } }
                    """)
            let signIn = "{ provider: google.com, public_url: 'http://localhost', operators: ada@example.com }"
            configuration["admin"] = ConsoleVisit.admin.replacing(
                "console: true", with: "console: { sign_in: \(signIn) }")
            configuration["headers"] = "{ assertion: { key: '\(key)', issuer: 'https://gateway.example' } }"
            configuration["decisions"] = """
                { address: 127.0.0.1:0, trust: [127.0.0.1/32],
                  introspection: { clients: [{ id: billing, secret: \(Self.secret) }] } }
                """
            configuration.routes.append("path: /orders")
        }) { scenario in
            var succeeded: Set<String> = []
            for operation in document.operations {
                for listener in operation.listeners {
                    let request = try await request(of: operation, scenario)
                    let response = try RawClient.exchange(Self.port(of: listener, scenario), request)
                    try compare(response, operation)
                    if response.status < 400 { succeeded.insert(operation.id) }
                }
            }
            let failed = Set(document.operations.filter(Self.canSucceed).map(\.id)).subtracting(succeeded)
            #expect(failed == Self.rejected)
        }
        withExtendedLifetime(folder) {}
    }

    /// Whether an operation has a success that does not need more than its example: no tenant or project, no open flow.
    private static func canSucceed(_ operation: OpenAPIDocument.Operation) -> Bool {
        !operation.path.hasPrefix("/v1/tenants/") && !operation.path.hasPrefix("/v1/projects/")
            && !operation.path.hasSuffix("/callback/{provider}") && operation.path != "/console/callback"
            && operation.responses.contains { $0.name < "400" }
    }

    private static func port(of listener: OpenAPIDocument.Listener, _ scenario: Scenario) throws -> Int {
        switch listener {
        case .admin: scenario.gateway.adminPort
        case .listen: scenario.gateway.port
        case .decisions: try scenario.gateway.decisionsPort
        }
    }

    // MARK: - The response

    private func compare(_ response: WireResponse, _ operation: OpenAPIDocument.Operation) throws {
        let name = "\(operation.name): \(response.status) \(response.text.prefix(400))"
        guard let described = operation.responses.first(where: { $0.name == "\(response.status)" })?.value else {
            Issue.record("not in the document: \(name)")
            return
        }
        let description = try #require(document.resolve(described))
        guard operation.method != "HEAD", !response.body.isEmpty else { return }
        let type = response["Content-Type"]?.prefix { $0 != ";" } ?? ""
        guard let schema = description["content"]?[String(type)]?["schema"] else {
            Issue.record("\(type) is not in the document: \(name)")
            return
        }
        guard type.hasSuffix("json") else { return }
        let json = try #require(response.json, "\(name)")
        #expect(document.violations(of: json, schema) == [], "\(name)")
        let codes = description.list("x-codes")
        #expect(codes.isEmpty || json["code"].map(codes.contains) == true, "\(name)")
    }

    // MARK: - The request

    /// Returns the request of an operation: its example, with a credential that it accepts.
    private func request(of operation: OpenAPIDocument.Operation, _ scenario: Scenario) async throws -> WireRequest {
        let isAdmin = operation.listeners == [.admin]
        var request = WireRequest(
            method: operation.method, target: operation.path, host: isAdmin ? "localhost" : "gateway.example")
        for parameter in document.parameters(of: operation) {
            guard let name = parameter.text("name"), let example = parameter.text("example") else { continue }
            switch parameter.text("in") {
            case "path": request.target = request.target.replacing("{\(name)}", with: example)
            case "query": request.target += "?\(name)=\(example)"
            default: request.fields.append("\(name): \(example)")
            }
        }
        if let body = document.bodies(of: operation).first {
            let token = try scenario.token(.alan) { $0.signedIn(at: unixNow()) }
            let text = Self.text(of: body).replacing("ADMIN_TOKEN", with: GatewayConfiguration.adminToken)
            request.body = Array(text.replacing(Self.exampleToken, with: token).utf8)
            request.fields.append("Content-Type: \(body.name)")
        }
        if !["GET", "HEAD"].contains(operation.method) {
            request.fields.append("Content-Length: \(request.body.count)")
        }
        request.fields += try await credential(of: operation, scenario)
        return request
    }

    private static func text(of body: JSONObject.Member) -> String {
        guard let example = body.value["example"] else { return "" }
        guard body.name.hasSuffix("form-urlencoded") else { return example.text }
        return example.objectMembers.map { "\($0.name)=\($0.value.stringValue ?? $0.value.text)" }
            .joined(separator: "&")
    }

    private func credential(of operation: OpenAPIDocument.Operation, _ scenario: Scenario) async throws -> [String] {
        switch operation.credentials.first(where: { !$0.isEmpty }) {
        case "adminToken": return ["Authorization: Bearer \(GatewayConfiguration.adminToken)"]
        case "consoleSession":
            var signIn = WireRequest(method: "POST", target: "/console/session", host: "localhost")
            signIn.body = Array(#"{"token":"\#(GatewayConfiguration.adminToken)"}"#.utf8)
            signIn.fields = ["Origin: http://localhost", "Content-Length: \(signIn.body.count)"]
            let cookie = try RawClient.exchange(scenario.gateway.adminPort, signIn)["Set-Cookie"] ?? ""
            return ["Cookie: \(cookie.prefix { $0 != ";" })"]
        case "introspectionBasic":
            return ["Authorization: Basic \(Data("billing:\(Self.secret)".utf8).base64EncodedString())"]
        case "sessionCookie":
            // An earlier operation, such as a deletion, may have rejected the user's credentials of this second.
            return try await eventually("a sign-in for \(operation.name)") {
                var app = AccountApp(scenario)
                _ = try app.call("sign-in", try app.proof())
                return app.session.map { ["Cookie: __session=\($0)"] }
            }
        case let other:
            #expect(other == nil, "\(operation.name)")
            // The decision of the example needs a user.
            let isDecision = operation.path.hasPrefix("/authz/")
            return isDecision ? ["Authorization: Bearer \(try scenario.token(.alan))"] : []
        }
    }
}
