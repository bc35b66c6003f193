import Dispatch
import Foundation
import GatewayConfiguration
import GatewayCore
import Logging
import Synchronization
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP
@testable import StoreFixtures
@testable import SystemFixtures

/// The sources of Google access tokens, against a fake of Google's services.
@Suite(.timeLimit(.minutes(5))) struct GoogleCredentialTests {
    private static let scope = "https://www.googleapis.com/auth/cloud-platform"
    private static let token = #"{"access_token":"at","expires_in":3599,"token_type":"Bearer"}"#

    private func credential(_ json: String, _ environment: [String: String] = [:]) throws -> GoogleCredential {
        try GoogleCredential(json: Array(json.utf8), name: "adc.json", environment: environment)
    }

    private static func external(_ source: String, _ members: String = "") -> String {
        """
        {"type":"external_account","audience":"//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x",
         "subject_token_type":"urn:ietf:params:oauth:token-type:jwt","token_url":"https://sts.googleapis.com/v1/token",
         "credential_source":\(source)\(members)}
        """
    }

    /// Fetches a token. Requests without a rule are not answered.
    private func fetch(
        _ credential: GoogleCredential, _ transport: FakeTransport, scope: GoogleScope = .identityToolkit
    ) async -> Result<AccessToken, LookupFailure> {
        await withCheckedContinuation { continuation in
            credential.fetch(transport, scope: scope, within: .seconds(1), clock: ManualClock().clock) {
                continuation.resume(returning: $0)
            }
        }
    }

    private func transport(_ rules: [String: (Int, String)], flavor: String? = "Google") -> FakeTransport {
        let transport = FakeTransport()
        transport.always { request in
            guard let rule = rules.first(where: { request.url.contains($0.key) })?.value else { return nil }
            return .success(
                OutboundResponse(status: rule.0, body: Array(rule.1.utf8), metadataFlavor: flavor))
        }
        return transport
    }

    // MARK: - Metadata server

    @Test func `the metadata server issues a token`() async throws {
        let server = try GoogleCredential(searching: [:])
        let transport = transport(["metadata.google.internal": (200, Self.token)])
        let token = try await fetch(server, transport).get()
        #expect(token.value.matches(Array("at".utf8)) && token.lifetime == 3599)
        let request = transport.calls[0].request
        #expect(
            request.url == "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token"
                + "?scopes=\(Self.scope)")
        #expect(request.field("metadata-flavor") == "Google" && request.method == .get)
    }

    @Test(arguments: [nil, "google", "Other"]) func `a server without the flavor is refused`(flavor: String?)
        async throws
    {
        let server = try GoogleCredential(searching: ["GCE_METADATA_HOST": "127.0.0.1:8080"])
        let transport = transport(["http://127.0.0.1:8080/computeMetadata/": (200, Self.token)], flavor: flavor)
        guard case .failure(let failure) = await fetch(server, transport) else { return #expect(Bool(false)) }
        #expect(failure.kind == .invalidResponse && failure.detail.contains("Metadata-Flavor"))
    }

    @Test(arguments: ["http://a", "a/b", "u@a", "a b"]) func `the metadata host is HOST or HOST and port`(host: String)
    {
        let failure = #expect(throws: ServiceAccount.Failure.self) {
            try GoogleCredential(searching: ["GCE_METADATA_HOST": host])
        }
        #expect(failure?.description.contains("GCE_METADATA_HOST") == true)
    }

    @Test func `a token for the Realtime Database has its scopes`() async throws {
        let transport = transport([
            "metadata.google.internal": (200, Self.token), "idp.example": (200, "subject"),
            "sts.googleapis.com": (200, Self.token),
            "iamcredentials.googleapis.com": (200, #"{"accessToken":"sa","expireTime":"2099-01-01T00:00:00Z"}"#),
        ])
        let auth = "https://www.googleapis.com/auth/"
        let (database, email) = (auth + "firebase.database", auth + "userinfo.email")
        _ = try await fetch(try GoogleCredential(searching: [:]), transport, scope: .realtimeDatabase).get()
        #expect(transport.calls[0].request.url.hasSuffix("?scopes=\(Self.scope),\(database),\(email)"))
        let direct = try credential(Self.external(#"{"url":"https://idp.example/t"}"#))
        _ = try await fetch(direct, transport, scope: .realtimeDatabase).get()
        #expect(transport.calls[2].request.bodyText.contains("firebase.database%20https"))
        let url = "https://iamcredentials.googleapis.com/v1/x:generateAccessToken"
        let member = #","service_account_impersonation_url":"\#(url)""#
        let impersonating = try credential(Self.external(#"{"url":"https://idp.example/t"}"#, member))
        _ = try await fetch(impersonating, transport, scope: .realtimeDatabase).get()
        #expect(!transport.calls[4].request.bodyText.contains("firebase.database"))
        #expect(transport.calls[5].request.bodyText.contains(#""scope":["\#(database)","\#(email)"]"#))
    }

    // MARK: - Search

    @Test func `the search finds the variable, then the login, then the metadata server`() throws {
        let folder = try TemporaryFolder()
        let login = folder.path("gcloud")
        try FileManager.default.createDirectory(atPath: login, withIntermediateDirectories: true)
        let user = #"{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"}"#
        try Data(user.utf8).write(to: URL(fileURLWithPath: login + "/application_default_credentials.json"))
        let external = Self.external(#"{"file":"/t"}"#)
        try Data(external.utf8).write(to: URL(fileURLWithPath: folder.path("wif.json")))

        var environment = ["CLOUDSDK_CONFIG": login, "GOOGLE_APPLICATION_CREDENTIALS": folder.path("wif.json")]
        #expect(try GoogleCredential(searching: environment).source == "https://sts.googleapis.com/v1/token")
        environment["GOOGLE_APPLICATION_CREDENTIALS"] = ""
        #expect(try GoogleCredential(searching: environment).source == "https://oauth2.googleapis.com/token")
        environment["CLOUDSDK_CONFIG"] = folder.path("none")
        #expect(try GoogleCredential(searching: environment).source.hasPrefix("http://metadata.google.internal/"))
        environment["NO_GCE_CHECK"] = "true"
        let failure = #expect(throws: ServiceAccount.Failure.self) { try GoogleCredential(searching: environment) }
        #expect(failure?.description.hasPrefix("no Google credential was found") == true)
    }

    @Test func `a variable that names an unreadable file is an error`() throws {
        let failure = #expect(throws: ServiceAccount.Failure.self) {
            try GoogleCredential(searching: ["GOOGLE_APPLICATION_CREDENTIALS": "/nonexistent/adc.json"])
        }
        #expect(failure?.description.contains("/nonexistent/adc.json cannot be read") == true)
    }

    @Test func `a file in the place of the home folder is no login, with a warning`() throws {
        let folder = try TemporaryFolder()
        let home = folder.path("home")
        try Data("x".utf8).write(to: URL(fileURLWithPath: home))
        let found = try GoogleCredential(searching: ["HOME": home])
        #expect(found.type == "metadata_server")
        let login = home + "/.config/gcloud/application_default_credentials.json"
        #expect(found.warnings == [.inaccessibleLogin(login, reason: "Not a directory")])
        for variables in [["CLOUDSDK_CONFIG": home], ["GOOGLE_APPLICATION_CREDENTIALS": home + "/adc.json"]] {
            #expect(throws: ServiceAccount.Failure.self) { try GoogleCredential(searching: variables) }
        }
        #expect(try GoogleCredential(searching: ["HOME": folder.path("none")]).warnings.isEmpty)
    }

    @Test func `the log names the credential and the files that others may read`() throws {
        let folder = try TemporaryFolder()
        let (file, token) = (folder.path("wif.json"), folder.path("token"))
        try Data(Self.external(#"{"file":"\#(token)"}"#).utf8).write(to: URL(fileURLWithPath: file))
        try Data("t".utf8).write(to: URL(fileURLWithPath: token))
        for (mode, open) in [(0o600, []), (0o640, [file, token])] as [(Int, [String])] {
            for path in [file, token] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            }
            let log = LogLines()
            let credential = try GoogleCredential(searching: ["GOOGLE_APPLICATION_CREDENTIALS": file])
            credential.log(to: log.logger)
            #expect(credential.warnings == open.map { CredentialWarning.openFile($0) })
            let lines = log.all
            #expect(lines.count == 1 + open.count && lines[0].level == .info)
            #expect(lines[0].text.contains("external_account") && lines[0].text.contains(file))
            for (line, path) in zip(lines.dropFirst(), open) {
                #expect(line.level == .warning && line.text.contains(path), "\(line.text)")
            }
        }
    }

    @Test func `the configuration names a file, or the search is used`() throws {
        var accounts = Configuration.FirebaseAccounts(serviceAccount: nil)
        let found = try GoogleCredential(of: accounts, environment: ["GCE_METADATA_HOST": "md:80"])
        #expect(found?.source.hasPrefix("http://md:80/") == true)
        accounts.serviceAccount = "/nonexistent/sa.json"
        #expect(throws: ServiceAccount.Failure.self) { try GoogleCredential(of: accounts, environment: [:]) }
        accounts.isEmulated = true
        #expect(try GoogleCredential(of: accounts, environment: [:])?.source == "the emulator")
        #expect(try GoogleCredential(of: nil, environment: [:])?.source == nil)
    }

    // MARK: - Login of a developer

    @Test func `a login is refreshed, and its quota project is sent`() async throws {
        let json = """
            {"type":"authorized_user","client_id":"c&1","client_secret":"s 1","refresh_token":"r/1","quota_project_id":"quota"}
            """
        let user = try credential(json)
        let transport = transport(["https://oauth2.googleapis.com/token": (200, Self.token)])
        #expect(try await fetch(user, transport).get().lifetime == 3599)
        #expect(
            transport.calls[0].request.bodyText
                == "grant_type=refresh_token&client_id=c%261&client_secret=s%201&refresh_token=r%2F1")
        #expect(user.quotaProject == "quota")
        #expect(try credential(json, ["GOOGLE_CLOUD_QUOTA_PROJECT": "other"]).quotaProject == "other")
        let lookup = AccountLookup(url: "https://x/{project}", project: "p", quotaProject: "quota")
        #expect(lookup.request([], token: Secret("t")).field("x-goog-user-project") == "quota")
        let plain = AccountLookup(url: "https://x/{project}", project: "p")
        #expect(plain.request([], token: Secret("t")).field("x-goog-user-project") == nil)
    }

    // MARK: - Workload identity federation

    @Test(arguments: [
        (#"{"file":"FILE"}"#, "tok-1\n"), (#"{"file":"FILE","format":{"type":"text"}}"#, "tok-1"),
        (#"{"file":"FILE","format":{"type":"json","subject_token_field_name":"id"}}"#, #"{"id":"tok-1"}"#),
    ])
    func `the token of a file is exchanged, and read again each time`(source: String, content: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("token")
        let account = try credential(Self.external(source.replacing("FILE", with: file)))
        let transport = transport(["https://sts.googleapis.com/v1/token": (200, Self.token)])
        for number in 1...2 {
            let text = content.replacing("tok-1", with: "tok-\(number)")
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            #expect(try await fetch(account, transport).get().lifetime == 3599)
            let body = transport.calls[number - 1].request.bodyText
            #expect(
                body.hasPrefix(
                    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&audience=%2F%2Fiam"))
            #expect(body.hasSuffix("&subject_token=tok-\(number)"), "\(body)")
        }
    }

    @Test func `the token of a URL is exchanged with the headers of the file`() async throws {
        let source = """
            {"url":"http://169.254.169.254/token?a=b","headers":{"Metadata":"True"},
             "format":{"type":"json","subject_token_field_name":"access_token"}}
            """
        let transport = transport([
            "169.254.169.254": (200, #"{"access_token":"subject"}"#),
            "sts.googleapis.com": (200, #"{"access_token":"federated","expires_in":"1800"}"#),
        ])
        let token = try await fetch(try credential(Self.external(source)), transport).get()
        #expect(token.lifetime == 1800 && token.value.matches(Array("federated".utf8)))
        #expect(transport.calls[0].request.field("Metadata") == "True")
        #expect(transport.calls[1].request.bodyText.hasSuffix("&subject_token=subject"))
    }

    @Test func `a federated identity impersonates a service account`() async throws {
        let url = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b.example:generateAccessToken"
        let json = Self.external(
            #"{"url":"https://idp.example/t"}"#, #","service_account_impersonation_url":"\#(url)""#)
        let transport = transport([
            "idp.example": (200, "subject"), "sts.googleapis.com": (200, Self.token),
            "iamcredentials.googleapis.com": (200, #"{"accessToken":"sa","expireTime":"2099-01-01T00:00:00Z"}"#),
        ])
        let token = try await fetch(try credential(json), transport).get()
        #expect(token.value.matches(Array("sa".utf8)) && token.lifetime == 3600)
        let request = transport.calls[2].request
        #expect(request.url == url && request.field("authorization") == "Bearer at")
        #expect(
            request.bodyText
                == #"{"delegates":[],"scope":["https://www.googleapis.com/auth/identitytoolkit"],"lifetime":"3600s"}"#)
    }

    @Test(arguments: [
        ("idp.example", 403, "", LookupFailure.Kind.ownCredentials), ("idp.example", 500, "", .status),
        ("idp.example", 200, " \n", .malformed),
        ("sts.googleapis.com", 400, #"{"error":"invalid_grant"}"#, .ownCredentials),
        ("sts.googleapis.com", 503, "", .status), ("sts.googleapis.com", 200, "{}", .malformed),
        ("iamcredentials.googleapis.com", 403, "", .ownCredentials),
        ("iamcredentials.googleapis.com", 200, #"{"accessToken":"sa"}"#, .malformed),
        (
            "iamcredentials.googleapis.com", 200, #"{"accessToken":"sa","expireTime":"1999-01-01T00:00:00Z"}"#,
            .malformed
        ),
        (
            "iamcredentials.googleapis.com", 200, #"{"accessToken":"a b","expireTime":"2099-01-01T00:00:00Z"}"#,
            .malformed
        ),
    ])
    func `a failed step is a failure`(host: String, status: Int, body: String, kind: LookupFailure.Kind) async throws {
        let url = "https://iamcredentials.googleapis.com/v1/x:generateAccessToken"
        let json = Self.external(
            #"{"url":"https://idp.example/t"}"#, #","service_account_impersonation_url":"\#(url)""#)
        var rules: [String: (Int, String)] = [
            "idp.example": (200, "subject"), "sts.googleapis.com": (200, Self.token),
            "iamcredentials.googleapis.com": (200, #"{"accessToken":"sa","expireTime":"2099-01-01T00:00:00Z"}"#),
        ]
        rules[host] = (status, body)
        guard case .failure(let failure) = await fetch(try credential(json), transport(rules)) else {
            return #expect(Bool(false))
        }
        #expect(failure.kind == kind)
    }

    @Test func `a missing subject token file is a failure`() async throws {
        let account = try credential(Self.external(#"{"file":"/nonexistent/token"}"#))
        guard case .failure(let failure) = await fetch(account, FakeTransport()) else { return #expect(Bool(false)) }
        #expect(failure.kind == .ownCredentials && failure.detail.contains("subject token file"))
    }

    @Test func `a read that does not end occupies one thread, and the next one succeeds after it`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let file = SubjectTokenFile(path: "/t") { (_: String) throws(BoundedFile.Failure) -> [UInt8] in
            gate.wait()
            return [1]
        }
        let (results, continuation) = AsyncStream.makeStream(of: Result<[UInt8], LookupFailure>.self)
        var iterator = results.makeAsyncIterator()
        file.read { continuation.yield($0) }
        file.read { continuation.yield($0) }
        let second = await iterator.next()
        guard case .failure(let failure)? = second else { return #expect(Bool(false)) }
        #expect(failure.kind == .timedOut && failure.detail.contains("an earlier read has not ended"))
        gate.signal()
        let first = await iterator.next()
        #expect(try first?.get() == [1])
        gate.signal()
        file.read { continuation.yield($0) }
        let third = await iterator.next()
        #expect(try third?.get() == [1])
    }

    // MARK: - Hostile files

    @Test(arguments: [
        (#"{"executable":{"command":"/bin/sh"}}"#, "", "executable, which is not supported"),
        (#"{"certificate":{}}"#, "", "certificate, which is not supported"), ("{}", "", "without file and url"),
        (#"{"file":"a","url":"https://a"}"#, "", "both file and url"),
        (#"{"url":"http://idp.example/t"}"#, "", "neither https"), (#"{"url":"ftp://a"}"#, "", "neither https"),
        (#"{"url":"https://a","headers":{"A":"b\r\nC: d"}}"#, "", "cannot be sent"),
        (#"{"url":"https://a","headers":{"A":1}}"#, "", "not texts"),
        (#"{"file":"a","format":{"type":"xml"}}"#, "", "neither text nor json"),
        (#"{"file":"a","format":{"type":"json"}}"#, "", "no subject_token_field_name"), ("7", "", "not an object"),
        (#"{"file":"a"}"#, #","service_account_impersonation_url":"https://evil.example/x""#, "iamcredentials"),
        (
            #"{"file":"a"}"#,
            #","service_account_impersonation_url":"https://iamcredentials.googleapis.com.evil.example/""#,
            "iamcredentials"
        ),
        (
            #"{"file":"a"}"#, #","service_account_impersonation_url":"http://iamcredentials.googleapis.com/x""#,
            "iamcredentials"
        ),
        (#"{"file":"a"}"#, #","workforce_pool_user_project":"p""#, "not supported"),
    ])
    func `an unsupported or hostile file is refused`(source: String, members: String, expected: String) {
        let failure = #expect(throws: ServiceAccount.Failure.self) {
            try credential(Self.external(source, members))
        }
        #expect(failure?.description.contains(expected) == true, "\(String(describing: failure))")
    }

    @Test(arguments: [
        ("https://sts.googleapis.com", "https://sts.evil.example"),
        ("https://sts.googleapis.com", "http://sts.googleapis.com"),
        ("https://sts.googleapis.com", "https://sts.googleapis.com:444"), ("\"audience\"", "\"other\""),
        ("external_account", "gdch_service_account"), ("external_account", "impersonated_service_account"),
    ])
    func `tokens are sent to Google only`(text: String, replacement: String) {
        #expect(throws: ServiceAccount.Failure.self) {
            try credential(Self.external(#"{"file":"a"}"#).replacing(text, with: replacement))
        }
    }

    @Test(arguments: ["client_id", "client_secret", "refresh_token"])
    func `a login without a member is refused without its values`(member: String) {
        let json = #"{"type":"authorized_user","client_id":"c","client_secret":"hidden","refresh_token":"hidden"}"#
        let failure = #expect(throws: ServiceAccount.Failure.self) {
            try credential(json.replacing("\"\(member)\"", with: "\"x\""))
        }
        #expect(failure?.description == "the credential file adc.json has no \(member)")
    }
}
