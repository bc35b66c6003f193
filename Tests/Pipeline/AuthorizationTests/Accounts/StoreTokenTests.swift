import Foundation
import GatewayConfiguration
import GatewayCore
import Logging
import NIOPosix
import Revocation
import Testing
import TextCoding

@testable import Authorization
@testable import CoreFixtures
@testable import OutboundHTTP
@testable import SystemFixtures

/// The tokens with which gateways authenticate to a Redis of Google and Azure.
@Suite(.timeLimit(.minutes(5))) struct StoreTokenTests {
    // MARK: - Google

    @Test func `a token of Google is an access token for all calls`() async throws {
        let transport = FakeTransport()
        transport.always { _ in
            .success(
                OutboundResponse(
                    status: 200,
                    body: Array(#"{"access_token":"ya29.x","expires_in":3599,"token_type":"Bearer"}"#.utf8),
                    metadataFlavor: "Google"))
        }
        let token = try await StoreTokens.fetch(.google(serviceAccount: nil), [:], transport).get()
        #expect(StoreTokens.text(token) == "ya29.x" && token.expires == 1_700_003_599)
        #expect(
            transport.calls.map(\.request.url) == [
                "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token"
                    + "?scopes=https://www.googleapis.com/auth/cloud-platform"
            ])
    }

    @Test func `a failure of Google names the service`() async throws {
        let transport = FakeTransport()
        transport.always { _ in .failure(LookupFailure(.timedOut)) }
        let result = try await StoreTokens.fetch(.google(serviceAccount: nil), [:], transport)
        #expect(result.failureText.contains("metadata.google.internal"))
        #expect(result.failureText.hasSuffix("(timed_out)"))
    }

    @Test func `a missing credential file is refused`() {
        let failure = #expect(throws: ServiceAccount.Failure.self) {
            try StoreTokenSource(for: StoreTokens.store(.google(serviceAccount: "/absent.json")), environment: [:])
        }
        #expect(failure?.description.contains("/absent.json") == true)
    }

    // MARK: - Azure

    private static let azureBody =
        #"{"access_token":"ey.x","expires_in":"86399","expires_on":"1700003600","token_type":"Bearer"}"#

    @Test(
        arguments: [
            (
                [:], nil,
                "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01"
                    + "&resource=https%3A%2F%2Fredis.azure.com", "metadata", "true"
            ),
            (
                [:], "01234567-89ab-cdef-0123-456789abcdef",
                "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01"
                    + "&resource=https%3A%2F%2Fredis.azure.com&client_id=01234567-89ab-cdef-0123-456789abcdef",
                "metadata",
                "true"
            ),
            (
                ["IDENTITY_ENDPOINT": "http://169.254.129.2:8081/msi/token", "IDENTITY_HEADER": "853b9a84"], nil,
                "http://169.254.129.2:8081/msi/token?api-version=2019-08-01&resource=https%3A%2F%2Fredis.azure.com",
                "x-identity-header", "853b9a84"
            ),
        ] as [([String: String], String?, String, String, String)])
    func `a token of Azure comes from a local service`(
        environment: [String: String], client: String?, url: String, field: String, value: String
    ) async throws {
        let transport = StoreTokens.transport(["": (200, Self.azureBody)])
        let token = try await StoreTokens.fetch(.azure(clientID: client), environment, transport).get()
        #expect(StoreTokens.text(token) == "ey.x" && token.expires == 1_700_003_600)
        #expect(transport.calls.map(\.request.url) == [url])
        #expect(transport.calls.first?.request.field(field) == value)
    }

    @Test func `a token of Kubernetes is exchanged at Entra`() async throws {
        let folder = try ScratchFolder()
        try folder.write("cluster.token\n", to: "token")
        let environment = [
            "AZURE_FEDERATED_TOKEN_FILE": folder.path("token"), "AZURE_CLIENT_ID": "client",
            "AZURE_TENANT_ID": "tenant",
        ]
        let transport = StoreTokens.transport([
            "/oauth2/v2.0/token": (200, #"{"access_token":"ey.x","expires_in":3599,"token_type":"Bearer"}"#)
        ])
        let token = try await StoreTokens.fetch(.azure(clientID: nil), environment, transport).get()
        #expect(StoreTokens.text(token) == "ey.x" && token.expires == 1_700_003_599)
        let request = try #require(transport.calls.first?.request)
        #expect(request.url == "https://login.microsoftonline.com/tenant/oauth2/v2.0/token" && request.method == .post)
        let form = [
            "grant_type": "client_credentials", "client_id": "client", "scope": "https://redis.azure.com/.default",
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": "cluster.token",
        ]
        for (name, value) in form { #expect(FormEncoding.value(of: name, in: request.body) == value) }
    }

    @Test(arguments: [
        "", "{}", #"{"access_token":"a b","expires_on":"1700003600"}"#, #"{"access_token":"a"}"#,
        #"{"access_token":"a","expires_on":"soon"}"#, #"{"access_token":"a","expires_on":"1699999999"}"#,
        #"{"access_token":"a","expires_on":1e300}"#, #"{"access_token":"a","expires_on":-5}"#,
        #"{"access_token":"a","expires_on":"9223372036854775807"}"#,
    ])
    func `a malformed response of Azure is a failure`(body: String) async throws {
        let result = try await StoreTokens.fetch(.azure(clientID: nil), [:], StoreTokens.transport(["": (200, body)]))
        #expect(result.failureText.hasPrefix("the identity service of Azure: "))
        #expect(result.failureText.hasSuffix("(malformed)"))
    }

    @Test(arguments: [
        ["IMDS_ENDPOINT": "http://localhost:40342"], ["IDENTITY_SERVER_THUMBPRINT": "x"],
        ["IDENTITY_ENDPOINT": "http://evil.example/", "IDENTITY_HEADER": "x"],
        ["IDENTITY_ENDPOINT": "http://localhost/msi?x", "IDENTITY_HEADER": "x"],
        ["IDENTITY_ENDPOINT": "http://localhost/msi", "IDENTITY_HEADER": "x\ny: z"],
        ["AZURE_POD_IDENTITY_AUTHORITY_HOST": "http://evil.example"],
        ["AZURE_FEDERATED_TOKEN_FILE": "/x"], ["AZURE_FEDERATED_TOKEN_FILE": "/x", "AZURE_CLIENT_ID": "c"],
        ["AZURE_FEDERATED_TOKEN_FILE": "/x", "AZURE_CLIENT_ID": "c", "AZURE_TENANT_ID": "../x"],
        [
            "AZURE_FEDERATED_TOKEN_FILE": "/x", "AZURE_CLIENT_ID": "c", "AZURE_TENANT_ID": "t",
            "AZURE_AUTHORITY_HOST": "https://evil.example/",
        ],
    ])
    func `an identity of Azure that is unsupported or elsewhere is refused`(environment: [String: String]) {
        #expect(throws: ServiceAccount.Failure.self) {
            try StoreTokenSource(for: StoreTokens.store(.azure(clientID: nil)), environment: environment)
        }
    }

    @Test func `other stores need no tokens`() throws {
        var location = RedisLocation(servers: .server(.init(host: "127.0.0.1", port: 6379)))
        let open = Configuration.StoreLocation.redis(location)
        location.account = .init(username: "u", password: Secret("p"))
        let stores: [Configuration.StoreLocation] = [.sqliteMemory, open, .redis(location)]
        for store in stores {
            let source = try StoreTokenSource(for: store, environment: [:])
            #expect(source == nil)
        }
    }
}
