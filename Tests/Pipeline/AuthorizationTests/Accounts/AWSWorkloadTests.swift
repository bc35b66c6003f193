import Foundation
import GatewayCore
import NIOPosix
import Testing
import TextCoding

@testable import Authorization
@testable import CoreFixtures
@testable import OutboundHTTP
@testable import SystemFixtures

/// Workload identity federation with AWS as the source of subject tokens.
@Suite(.timeLimit(.minutes(5))) struct AWSWorkloadTests {
    private static let audience =
        "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x"
    private static let url = "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15"
    private static let metadata = [
        "url": "http://169.254.169.254/latest/meta-data/iam/security-credentials",
        "region_url": "http://169.254.169.254/latest/meta-data/placement/availability-zone",
        "imdsv2_session_token_url": "http://169.254.169.254/latest/api/token",
    ]
    private static let token = #"{"access_token":"at","expires_in":3599,"token_type":"Bearer"}"#
    private static let example = AWSKeys(
        id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", sessionToken: nil)
    private static let temporary = AWSKeys(
        id: "ASIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        sessionToken: "AQoEXAMPLEH4aoAH0gNCAPyJxz4BlCFF+/==")

    /// A credential file. `changes` replaces members of `credential_source`; an empty value removes one.
    private func file(
        _ changes: [String: String] = [:], audience: String = audience, tokenURL: String? = nil,
        impersonation: String? = nil, type: String = AWSWorkload.subjectTokenType
    ) throws -> [UInt8] {
        var source = Self.metadata
        source["environment_id"] = "aws1"
        source["regional_cred_verification_url"] = Self.url
        source.merge(changes) { $1 }
        var members: [String: Any] = [
            "type": "external_account", "audience": audience, "subject_token_type": type,
            "credential_source": source.filter { !$0.value.isEmpty },
        ]
        members["token_url"] = tokenURL
        members["service_account_impersonation_url"] = impersonation
        return Array(try JSONSerialization.data(withJSONObject: members))
    }

    private func credential(_ json: [UInt8], _ environment: [String: String] = [:]) throws -> GoogleCredential {
        try GoogleCredential(json: json, name: "adc.json", environment: environment)
    }

    private func fetch(
        _ credential: GoogleCredential, _ transport: any OutboundTransport, within timeout: Duration = .seconds(1),
        clock: GatewayClock = ManualClock().clock
    ) async -> Result<AccessToken, LookupFailure> {
        await withCheckedContinuation { continuation in
            credential.fetch(transport, within: timeout, clock: clock) { continuation.resume(returning: $0) }
        }
    }

    /// A transport for the metadata service, Google's token service, and the service for impersonation.
    private func transport(_ changes: [String: (Int, String)] = [:]) -> FakeTransport {
        var rules = [
            "/api/token": (200, "imds-1"), "availability-zone": (200, "eu-west-1b"),
            "/security-credentials": (200, "my-role"),
            "/security-credentials/my-role": (
                200, #"{"Code":"Success","AccessKeyId":"ASIA1","SecretAccessKey":"s+/","Token":"t/1=="}"#
            ),
            "sts.googleapis.com/v1/token": (200, Self.token),
            ":generateAccessToken": (200, #"{"accessToken":"sa","expireTime":"2099-01-01T00:00:00Z"}"#),
        ]
        rules.merge(changes) { $1 }
        let transport = FakeTransport()
        transport.always { [rules] request in
            guard let rule = rules.first(where: { request.url.hasSuffix($0.key) })?.value else { return nil }
            return .success(OutboundResponse(status: rule.0, body: Array(rule.1.utf8)))
        }
        return transport
    }

    /// The headers of the signed request in the body of an exchange, by name, and its URL as `url`.
    private func signed(_ body: String) throws -> [String: String] {
        let token = try #require(FormEncoding.value(of: "subject_token", in: Array(body.utf8)))
        return try headers(of: Secret(token))
    }

    private func headers(of token: Secret) throws -> [String: String] {
        let text = try #require(token.withBytes { PercentEncoding.decodedText($0, plusIsSpace: false) })
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let root = try #require(object as? [String: Any])
        #expect(root["method"] as? String == "POST")
        var headers = ["url": try #require(root["url"] as? String)]
        for header in try #require(root["headers"] as? [[String: String]]) {
            headers[try #require(header["key"])] = header["value"]
        }
        return headers
    }

    // MARK: - Signatures

    /// The signatures were computed with botocore and with google-auth for Python, which agree.
    @Test(
        arguments: [
            (example, "us-east-1", 1_440_938_160, "f84d16931ad39ac3fa94ca78c2554e1ff75db5f1914be4daa6100bca331f9e79"),
            (temporary, "us-east-2", 1_440_938_160, "66b754967da103f443acf75f181670d3b598424edab13ad0090394b318388839"),
            (
                temporary, "ap-southeast-2", 1_795_910_401,
                "f877b51239b696912a8aacaf7e0ba4f331248bb977709a84ce20ba27c6ac3069"
            ),
            (
                example, "us-gov-west-1", 1_795_910_401,
                "31036880ababc0ec7c80f50eb1c0815782ddbebf13241f66fc49730c02ddb0f0"
            ),
        ] as [(AWSKeys?, String, Int64, String)])
    func `a subject token is a signed request that names the audience`(
        keys: AWSKeys?, region: String, now: Int64, signature: String
    ) throws {
        let (keys, json) = (try #require(keys), try file())
        guard case .externalAccount(let account) = try credential(json).kind,
            case .aws(let aws) = account.source.location
        else { return #expect(Bool(false)) }
        let headers = try headers(of: try aws.token(by: keys, in: region, now: now))
        let day = AWSRequest.Scope(now: now, region: region, service: "sts").date.prefix(8)
        let names = keys.sessionToken == nil ? "" : "x-amz-security-token;"
        #expect(
            headers["authorization"]
                == "AWS4-HMAC-SHA256 Credential=\(keys.id)/\(day)/\(region)/sts/aws4_request, "
                + "SignedHeaders=host;x-amz-date;\(names)x-goog-cloud-target-resource, Signature=\(signature)")
        #expect(headers["url"] == Self.url.replacing("{region}", with: region))
        #expect(headers["host"] == "sts.\(region).amazonaws.com")
        #expect(headers["x-goog-cloud-target-resource"] == Self.audience)
        #expect(headers["x-amz-security-token"] == keys.sessionToken)
    }

    // MARK: - Metadata service

    @Test func `keys and region come from the metadata service, with a session token`() async throws {
        let impersonation = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a:generateAccessToken"
        let transport = transport()
        let account = try credential(try file(impersonation: impersonation))
        let token = try await fetch(account, transport).get()
        #expect(token.value.matches(Array("sa".utf8)))
        let requests = transport.calls.map(\.request)
        #expect(
            requests.map(\.url) == [
                "http://169.254.169.254/latest/api/token",
                "http://169.254.169.254/latest/meta-data/placement/availability-zone",
                "http://169.254.169.254/latest/meta-data/iam/security-credentials",
                "http://169.254.169.254/latest/meta-data/iam/security-credentials/my-role",
                "https://sts.googleapis.com/v1/token", impersonation,
            ])
        #expect(requests[0].method == .put && requests[0].field("x-aws-ec2-metadata-token-ttl-seconds") == "60")
        for request in requests[1...3] {
            #expect(request.method == .get && request.field("x-aws-ec2-metadata-token") == "imds-1")
        }
        #expect(transport.calls[..<4].allSatisfy { $0.timeout == .milliseconds(250) }, "one step in total")
        let body = requests[4].bodyText
        #expect(body.contains("subject_token_type=urn%3Aietf%3Aparams%3Aaws%3Atoken-type%3Aaws4_request"))
        let headers = try signed(body)
        #expect(headers["host"] == "sts.eu-west-1.amazonaws.com" && headers["x-amz-security-token"] == "t/1==")
        #expect(headers["authorization"]?.contains("Credential=ASIA1/") == true)
        #expect(requests[5].field("authorization") == "Bearer at")
    }

    @Test func `a metadata service and a token service over HTTP`() async throws {
        let keys = #"{"AccessKeyId":"ASIA1","SecretAccessKey":"s","Token":"t"}"#
        let services = try await MisbehavingSource { [token = Self.token] request in
            let head = request.head.lowercased()
            if head.hasPrefix("put /keys/api/token ") {
                return .send(httpAnswer(Array("imds-1".utf8)))
            } else if head.hasPrefix("post /keys/v1/token ") {
                return .send(httpAnswer(Array(token.utf8)))
            } else if !head.contains("\r\nx-aws-ec2-metadata-token: imds-1\r\n") {
                return .send(httpAnswer(status: "401 Unauthorized", []))
            }
            let body = head.contains("/roles/my-role ") ? keys : head.contains("/roles") ? "my-role" : "eu-west-1b"
            return .send(httpAnswer(Array(body.utf8)))
        }
        let base = services.url
        let changes = [
            "url": base + "/roles", "region_url": base + "/zone", "imdsv2_session_token_url": base + "/api/token",
        ]
        let account = try credential(try file(changes, tokenURL: base + "/v1/token"))
        let transport = OutboundHTTPClient(
            group: .singletonMultiThreadedEventLoopGroup, connections: 1, longest: .hangLimit)
        let result = await fetch(account, transport, within: .hangLimit, clock: .system)
        #expect(try result.get().value.matches(Array("at".utf8)))
        #expect(services.requests.count == 5)
        #expect(try signed(try #require(services.requests.last?.body))["x-amz-security-token"] == "t")
        await transport.shutdown()
        try await services.close()
    }

    @Test func `without a URL for session tokens, they come from the default one`() async throws {
        let transport = transport()
        let account = try credential(try file(["imdsv2_session_token_url": ""]))
        _ = try await fetch(account, transport).get()
        #expect(transport.calls[0].request.url == "http://169.254.169.254/latest/api/token")
    }

    @Test(arguments: [
        ("/api/token", 403, "", LookupFailure.Kind.ownCredentials, "session token"),
        ("/api/token", 200, "a b", .malformed, "session token"), ("/api/token", 200, "", .malformed, "session token"),
        ("availability-zone", 404, "", .ownCredentials, "region"),
        ("availability-zone", 200, "evil.example/", .malformed, "region"),
        ("/security-credentials", 404, "", .ownCredentials, "role"),
        ("/security-credentials", 200, "../../x", .malformed, "role"),
        ("/security-credentials", 200, "a\nb", .malformed, "role"),
        ("/security-credentials/my-role", 500, "", .status, "keys"),
        ("/security-credentials/my-role", 200, #"{"AccessKeyId":"ASIA1","SecretAccessKey":"s"}"#, .malformed, "keys"),
        (
            "/security-credentials/my-role", 200, #"{"AccessKeyId":"a/b","SecretAccessKey":"s","Token":"t"}"#,
            .malformed, "keys"
        ),
        (
            "/security-credentials/my-role", 200, #"{"AccessKeyId":"a","SecretAccessKey":"s","Token":"t\r\nx: y"}"#,
            .malformed, "keys"
        ),
    ])
    func `a failed step is a failure that names it, and nothing is exchanged`(
        step: String, status: Int, body: String, kind: LookupFailure.Kind, what: String
    ) async throws {
        let transport = transport([step: (status, body)])
        guard case .failure(let failure) = await fetch(try credential(try file()), transport) else {
            return #expect(Bool(false))
        }
        #expect(failure.kind == kind && failure.detail.hasPrefix("the metadata service of AWS: "))
        #expect(failure.detail.contains(what), "\(failure.detail)")
        #expect(!transport.calls.contains { $0.request.url.contains("googleapis") })
    }

    @Test func `a metadata service that does not answer is a timeout`() async throws {
        let transport = FakeTransport()
        transport.always { _ in .failure(LookupFailure(.timedOut)) }
        guard case .failure(let failure) = await fetch(try credential(try file()), transport) else {
            return #expect(Bool(false))
        }
        #expect(failure.kind == .timedOut && failure.detail.contains("session token (IMDSv2)"))
    }

    // MARK: - Environment

    @Test func `keys and region of the environment need no metadata service`() async throws {
        let environment = [
            "AWS_ACCESS_KEY_ID": "AKIA1", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t",
            "AWS_REGION": "us-west-2", "AWS_DEFAULT_REGION": "us-east-1",
        ]
        let transport = transport()
        _ = try await fetch(try credential(try file(["url": "", "region_url": ""]), environment), transport).get()
        #expect(transport.calls.map(\.request.url) == ["https://sts.googleapis.com/v1/token"])
        let headers = try signed(transport.calls[0].request.bodyText)
        #expect(headers["host"] == "sts.us-west-2.amazonaws.com" && headers["x-amz-security-token"] == "t")
        #expect(headers["authorization"]?.contains("Credential=AKIA1/") == true)
    }

    @Test func `the environment may name the region only`() async throws {
        let transport = transport()
        let region = ["AWS_DEFAULT_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "AKIA1"]
        _ = try await fetch(try credential(try file(), region), transport).get()
        #expect(!transport.calls.contains { $0.request.url.contains("availability-zone") })
        #expect(try signed(transport.calls[3].request.bodyText)["host"] == "sts.us-east-1.amazonaws.com")
    }

    @Test(arguments: [
        ["AWS_REGION": "us-east-1a"], ["AWS_REGION": "x.evil.example/"], ["AWS_DEFAULT_REGION": "US-EAST-1"],
        ["AWS_ACCESS_KEY_ID": "a b", "AWS_SECRET_ACCESS_KEY": "s"],
        ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t\n"],
    ])
    func `an invalid variable is refused without its value`(environment: [String: String]) throws {
        let json = try file()
        let failure = #expect(throws: ServiceAccount.Failure.self) { try credential(json, environment) }
        #expect(failure?.description.contains("AWS_") == true)
        #expect(environment.values.allSatisfy { $0.count < 3 || failure?.description.contains($0) == false })
    }

    @Test(
        arguments: [
            ("eu-west-1b", "eu-west-1"), ("us-gov-west-1a", "us-gov-west-1"), ("us-west-2-lax-1a", "us-west-2"),
            ("ap-southeast-2", "ap-southeast-2"), ("us-east-12c", "us-east-12"), ("", nil), ("us-1", nil), ("1a", nil),
            ("us-east", nil), ("us--1", nil), ("us-east-x1", nil), ("us-ea.t-1", nil), ("US-EAST-1", nil),
            ("us-east-1\u{FF10}", nil),
        ] as [(String, String?)])
    func `the region of an availability zone`(zone: String, region: String?) {
        #expect(AWSMetadata.region(in: Array(zone.utf8)) == region)
    }

    // MARK: - Hostile files

    @Test(arguments: [
        (["environment_id": "aws2"], "environment_id is not aws1"),
        (["regional_cred_verification_url": ""], "no regional_cred_verification_url"),
        (["regional_cred_verification_url": url.replacing("https", with: "http")], "regional_cred_verification_url"),
        (
            ["regional_cred_verification_url": url.replacing("amazonaws.com", with: "amazonaws.com.evil.example")],
            "regional_cred_verification_url"
        ),
        (["regional_cred_verification_url": url.replacing("sts", with: "evil")], "regional_cred_verification_url"),
        (
            ["regional_cred_verification_url": url.replacing("GetCallerIdentity", with: "GetSessionToken")],
            "regional_cred_verification_url"
        ), (["url": "http://evil.example/latest"], "url that is not at http://169.254.169.254"),
        (["url": "http://169.254.169.254.evil.example/"], "url that is not"),
        (["url": "http://169.254.169.254:8080/"], "url that is not"), (["url": "https://169.254.169.254/"], "url that"),
        (["url": "http://169.254.169.254@evil.example/"], "url that is not"),
        (["region_url": "http://10.0.0.1/"], "region_url that is not"),
        (["imdsv2_session_token_url": "http://evil.example/"], "imdsv2_session_token_url that is not"),
        (["url": ""], "without url, and AWS_ACCESS_KEY_ID"), (["region_url": ""], "without region_url, and AWS_REGION"),
    ])
    func `keys are requested from AWS only`(changes: [String: String], expected: String) throws {
        let json = try file(changes)
        let failure = #expect(throws: ServiceAccount.Failure.self) { try credential(json) }
        #expect(failure?.description.contains(expected) == true, "\(String(describing: failure))")
    }

    @Test func `other forms of AWS's URLs are accepted`() throws {
        for url in [Self.url.replacing("sts", with: "sts-fips"), Self.url.replacing(".com?", with: ".com/?")] {
            _ = try credential(try file(["regional_cred_verification_url": url]))
        }
        _ = try credential(try file(["url": "http://[fd00:ec2::254]/latest/meta-data/iam/security-credentials"]))
    }

    @Test func `the type of subject token and the audience fit the source`() throws {
        let json = try file(type: "urn:ietf:params:oauth:token-type:jwt")
        #expect(throws: ServiceAccount.Failure.self) { try credential(json) }
        let hostile = try file(audience: "//iam\nx-amz-date:1")
        #expect(throws: ServiceAccount.Failure.self) { try credential(hostile) }
    }
}
