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

/// The tokens with which gateways authenticate to ElastiCache and MemoryDB.
@Suite(.timeLimit(.minutes(5))) struct AWSStoreTokenTests {
    private typealias Cache = RedisLocation.AWSCache

    private static let example = AWSKeys(
        id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", sessionToken: nil)
    private static let temporary = AWSKeys(
        id: "ASIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        sessionToken: "AQoEXAMPLEH4aoAH0gNCAPyJxz4BlCFF+/==")
    private static let environmentKeys = [
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
        "AWS_REGION": "us-east-1",
    ]
    private static let keysBody =
        #"{"AccessKeyId":"ASIA1","SecretAccessKey":"s+/","Token":"t/1==","Expiration":"2023-11-14T22:23:20Z"}"#

    // MARK: - Signatures

    /// The first token is a published one, of the AWS SDK for Java. All were computed with an implementation of
    /// Signature Version 4 in Python.
    @Test(
        arguments: [
            (
                AWSKeys(id: "accessKey", secret: "secretKey", sessionToken: nil), Cache(.serverless, name: "my-cache"),
                "user123", "eu-west-1", 1_722_600_710,
                "my-cache/?Action=connect&ResourceType=ServerlessCache&User=user123"
                    + "&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=accessKey%2F20240802%2Feu-west-1"
                    + "%2Felasticache%2Faws4_request&X-Amz-Date=20240802T121150Z&X-Amz-Expires=900"
                    + "&X-Amz-SignedHeaders=host"
                    + "&X-Amz-Signature=5dda5db919b1337db6596b2a608924bc10197fb39289b933b60bdb114d5a70dc"
            ),
            (
                example, Cache(.replicationGroup, name: "my-group"), "iam-user-01", "us-east-1", 1_440_938_160,
                "my-group/?Action=connect&User=iam-user-01&X-Amz-Algorithm=AWS4-HMAC-SHA256"
                    + "&X-Amz-Credential=AKIDEXAMPLE%2F20150830%2Fus-east-1%2Felasticache%2Faws4_request"
                    + "&X-Amz-Date=20150830T123600Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host"
                    + "&X-Amz-Signature=511cc97ec632040cf898bd8192bdd1df9d6fca557b6ea3a3ffaa635c0a5cadfb"
            ),
            (
                temporary, Cache(.memoryDB, name: "sessions"), "gatehouse", "eu-central-1", 1_795_910_401,
                "sessions/?Action=connect&User=gatehouse&X-Amz-Algorithm=AWS4-HMAC-SHA256"
                    + "&X-Amz-Credential=ASIAIOSFODNN7EXAMPLE%2F20261129%2Feu-central-1%2Fmemorydb%2Faws4_request"
                    + "&X-Amz-Date=20261129T000001Z&X-Amz-Expires=900"
                    + "&X-Amz-Security-Token=AQoEXAMPLEH4aoAH0gNCAPyJxz4BlCFF%2B%2F%3D%3D&X-Amz-SignedHeaders=host"
                    + "&X-Amz-Signature=cdf5fbd987968fc8c4b83b197094daec3f547f6e907145367f23cf0d149ce40a"
            ),
        ] as [(AWSKeys?, RedisLocation.AWSCache, String, String, Int64, String)])
    func `a token of AWS is a signed request without its scheme`(
        keys: AWSKeys?, cache: RedisLocation.AWSCache, user: String, region: String, now: Int64, expected: String
    ) throws {
        let keys = try #require(keys)
        let source = try AWSKeySource(region: region, environment: Self.environmentKeys)
        let tokens = AWSCacheTokens(cache: cache, user: user, source: source)
        let token = try tokens.token(by: keys, in: region, now: now)
        #expect(StoreTokens.text(token) == expected)
        #expect(token.expires == UnixTime(now)?.adding(900))
    }

    @Test func `a token of AWS expires with its keys`() throws {
        var keys = try #require(Self.temporary)
        let source = try AWSKeySource(region: "us-east-1", environment: Self.environmentKeys)
        let tokens = AWSCacheTokens(cache: Cache(.memoryDB, name: "c"), user: "u", source: source)
        for (end, expires) in [(1_700_000_060, 1_700_000_060), (1_700_003_600, 1_700_000_900)] as [(UnixTime, UnixTime)]
        {
            keys.expires = end
            let token = try tokens.token(by: keys, in: "us-east-1", now: 1_700_000_000)
            #expect(token.expires == expires)
        }
        keys.expires = 1_700_000_000
        #expect(throws: LookupFailure(.ownCredentials, "the keys of AWS have expired")) {
            try tokens.token(by: keys, in: "us-east-1", now: 1_700_000_000)
        }
    }

    // MARK: - Keys of AWS

    @Test func `keys and region of the environment need no request`() async throws {
        let transport = StoreTokens.transport([:])
        let issuer = RedisLocation.TokenIssuer.aws(Cache(.replicationGroup, name: "my-group"))
        let token = try await StoreTokens.fetch(issuer, Self.environmentKeys, transport, now: 1_440_938_160).get()
        #expect(
            StoreTokens.text(token).hasSuffix("511cc97ec632040cf898bd8192bdd1df9d6fca557b6ea3a3ffaa635c0a5cadfb"))
        #expect(transport.count == 0 && transport.isShutDown)
    }

    @Test func `keys and region come from the metadata service of the instance`() async throws {
        let transport = StoreTokens.transport([
            "/latest/api/token": (200, "imds-1"), "/latest/meta-data/placement/region": (200, "eu-west-1"),
            "/security-credentials": (200, "my-role"), "/security-credentials/my-role": (200, Self.keysBody),
        ])
        let token = try await StoreTokens.fetch(.aws(Cache(.memoryDB, name: "c")), [:], transport).get()
        #expect(
            transport.calls.map(\.request.url) == [
                "http://169.254.169.254/latest/api/token", "http://169.254.169.254/latest/meta-data/placement/region",
                "http://169.254.169.254/latest/meta-data/iam/security-credentials",
                "http://169.254.169.254/latest/meta-data/iam/security-credentials/my-role",
            ])
        #expect(transport.calls[0].request.method == .put)
        #expect(transport.calls[1...].allSatisfy { $0.request.field("x-aws-ec2-metadata-token") == "imds-1" })
        #expect(StoreTokens.text(token).contains("Credential=ASIA1%2F20231114%2Feu-west-1%2Fmemorydb%2Faws4_request"))
        #expect(StoreTokens.text(token).contains("X-Amz-Security-Token=t%2F1%3D%3D"))
        // The keys expire after 600 s.
        #expect(token.expires == 1_700_000_600)
    }

    @Test func `a configured region is not asked for`() async throws {
        let transport = StoreTokens.transport([
            "/latest/api/token": (200, "imds-1"), "/security-credentials": (200, "my-role"),
            "/security-credentials/my-role": (200, Self.keysBody),
        ])
        let cache = Cache(.memoryDB, name: "c", region: "us-west-2")
        let token = try await StoreTokens.fetch(.aws(cache), ["AWS_REGION": "us-east-1"], transport).get()
        #expect(transport.count == 3 && StoreTokens.text(token).contains("%2Fus-west-2%2F"))
    }

    @Test(
        arguments: [
            (
                ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/credentials/x"],
                "http://169.254.170.2/v2/credentials/x", nil
            ),
            (
                [
                    "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.23/v1/credentials",
                    "AWS_CONTAINER_AUTHORIZATION_TOKEN": "pod-token",
                ], "http://169.254.170.23/v1/credentials", "pod-token"
            ),
            (["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://[fd00:ec2::23]/v1/c"], "http://[fd00:ec2::23]/v1/c", nil),
        ] as [([String: String], String, String?)])
    func `keys come from the service of a container`(
        variables: [String: String], url: String, authorization: String?
    ) async throws {
        let transport = StoreTokens.transport([url: (200, Self.keysBody)])
        let environment = variables.merging(["AWS_REGION": "us-east-1"]) { $1 }
        let token = try await StoreTokens.fetch(.aws(Cache(.memoryDB, name: "c")), environment, transport).get()
        #expect(transport.calls.map(\.request.url) == [url])
        #expect(transport.calls.first?.request.field("authorization") == authorization)
        #expect(StoreTokens.text(token).contains("ASIA1") && token.expires == 1_700_000_600)
    }

    @Test func `the token for the service of a container is read again from its file`() async throws {
        let folder = try ScratchFolder()
        let environment = [
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.23/v1/credentials", "AWS_REGION": "us-east-1",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": folder.path("token"),
        ]
        let transport = StoreTokens.transport(["/v1/credentials": (200, Self.keysBody)])
        for text in ["one", "two"] {
            try folder.write("\(text)\n", to: "token")
            _ = try await StoreTokens.fetch(.aws(Cache(.memoryDB, name: "c")), environment, transport).get()
            #expect(transport.calls.last?.request.field("authorization") == text)
        }
        try folder.write("a\nb", to: "token")
        let result = try await StoreTokens.fetch(.aws(Cache(.memoryDB, name: "c")), environment, transport)
        #expect(transport.count == 2 && result.failureText.contains("cannot be sent"))
    }

    private static let roleBody = """
        <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
          <AssumeRoleWithWebIdentityResult>
            <Audience>sts.amazonaws.com</Audience>
            <Credentials>
              <AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>s+/</SecretAccessKey>
              <SessionToken>t/1==</SessionToken><Expiration>2023-11-14T22:23:20Z</Expiration>
            </Credentials>
          </AssumeRoleWithWebIdentityResult>
        </AssumeRoleWithWebIdentityResponse>
        """

    private static func webIdentity(_ file: String, region: String = "eu-west-1") -> [String: String] {
        [
            "AWS_WEB_IDENTITY_TOKEN_FILE": file, "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/gateway",
            "AWS_REGION": region, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/other",
        ]
    }

    @Test(arguments: [
        ("eu-west-1", "https://sts.eu-west-1.amazonaws.com/"),
        ("cn-north-1", "https://sts.cn-north-1.amazonaws.com.cn/"),
    ])
    func `a token of Kubernetes is exchanged for the keys of a role`(region: String, url: String) async throws {
        let folder = try ScratchFolder()
        try folder.write("cluster.token\n", to: "token")
        let transport = StoreTokens.transport([url: (200, Self.roleBody)])
        let environment = Self.webIdentity(folder.path("token"), region: region)
        let token = try await StoreTokens.fetch(.aws(Cache(.memoryDB, name: "c")), environment, transport).get()
        #expect(StoreTokens.text(token).contains("Credential=ASIA1%2F20231114%2F\(region)%2Fmemorydb%2Faws4_request"))
        #expect(StoreTokens.text(token).contains("X-Amz-Security-Token=t%2F1%3D%3D") && token.expires == 1_700_000_600)
        let request = try #require(transport.calls.first?.request)
        #expect(transport.count == 1 && request.url == url && request.method == .post)
        let form = [
            "Action": "AssumeRoleWithWebIdentity", "Version": "2011-06-15", "RoleSessionName": "gatehouse",
            "RoleArn": "arn:aws:iam::123456789012:role/gateway", "WebIdentityToken": "cluster.token",
        ]
        for (name, value) in form { #expect(FormEncoding.value(of: name, in: request.body) == value) }
    }

    @Test(arguments: [
        (403, "", "own_credentials"), (503, "", "status"), (200, "", "malformed"), (200, "<Credentials>", "malformed"),
        (200, roleBody.replacing("t/1==", with: "a&amp;b"), "malformed"),
        (200, roleBody.replacing("s+/", with: "<x>"), "malformed"),
        (200, roleBody.replacing("2023-11-14T22:23:20Z", with: "soon"), "malformed"),
        (200, roleBody.replacing("</Credentials>", with: ""), "malformed"),
    ])
    func `a failed exchange at AWS is a failure`(status: Int, body: String, kind: String) async throws {
        let folder = try ScratchFolder()
        try folder.write("cluster.token", to: "token")
        let transport = StoreTokens.transport(["amazonaws.com/": (status, body)])
        let environment = Self.webIdentity(folder.path("token"))
        let failure = try await StoreTokens.fetch(.aws(Cache(.memoryDB, name: "c")), environment, transport).failureText
        #expect(failure.hasPrefix("the token service of AWS: ") && failure.hasSuffix("(\(kind))"), "\(failure)")
        let absent = Self.webIdentity(folder.path("absent"))
        let unread = try await StoreTokens.fetch(.aws(Cache(.memoryDB, name: "c")), absent, transport).failureText
        #expect(unread.contains("AWS_WEB_IDENTITY_TOKEN_FILE") && transport.count == 1)
    }

    @Test(arguments: [
        (["AWS_WEB_IDENTITY_TOKEN_FILE": "/x"], "AWS_ROLE_ARN is absent"),
        (["AWS_WEB_IDENTITY_TOKEN_FILE": "/x", "AWS_ROLE_ARN": "hunter2"], "AWS_ROLE_ARN is absent or no ARN"),
        (["AWS_EC2_METADATA_DISABLED": "true"], "AWS_ACCESS_KEY_ID is not set"),
        (
            [
                "AWS_EC2_METADATA_DISABLED": "TRUE", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "hunter2",
            ], "AWS_REGION is not set"
        ),
        (["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://hunter2.example"], "AWS_EC2_METADATA_SERVICE_ENDPOINT is not"),
        (["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1/x"], "AWS_EC2_METADATA_SERVICE_ENDPOINT is not"),
        (
            ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://hunter2.example/"],
            "AWS_CONTAINER_CREDENTIALS_FULL_URI is not"
        ),
        (["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "@hunter2"], "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not"),
        (["AWS_ACCESS_KEY_ID": "a b", "AWS_SECRET_ACCESS_KEY": "hunter2"], "AWS_ACCESS_KEY_ID"),
    ])
    func `an unusable environment is refused without its values`(
        environment: [String: String], expected: String
    ) {
        let failure = #expect(throws: ServiceAccount.Failure.self) {
            try StoreTokenSource(for: StoreTokens.store(.aws(Cache(.memoryDB, name: "c"))), environment: environment)
        }
        #expect(failure?.description.contains(expected) == true, "\(String(describing: failure))")
        #expect(failure?.description.contains("hunter2") == false)
    }

    @Test(arguments: [
        (403, "", "own_credentials"), (500, "", "status"), (429, "", "throttled"), (200, "hunter2", "malformed"),
        (200, #"{"AccessKeyId":"a","SecretAccessKey":"hunter2","Token":"a b"}"#, "malformed"),
    ])
    func `a failure of a service names it and its kind`(status: Int, body: String, kind: String) async throws {
        let transport = StoreTokens.transport(["/c": (status, body)])
        let environment = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/c", "AWS_REGION": "us-east-1"]
        let result = try await StoreTokens.fetch(.aws(Cache(.memoryDB, name: "c")), environment, transport)
        #expect(result.failureText.hasPrefix("the credential service of the container: "))
        #expect(result.failureText.hasSuffix("(\(kind))") && !result.failureText.contains("hunter2"))
        #expect(transport.isShutDown)
    }

    // MARK: - Real requests

    @Test func `a metadata service over HTTP`() async throws {
        let service = try await MisbehavingSource { [body = Self.keysBody] request in
            let head = request.head.lowercased()
            if head.hasPrefix("put /latest/api/token ") { return .send(httpAnswer(Array("imds-1".utf8))) }
            guard head.contains("\r\nx-aws-ec2-metadata-token: imds-1\r\n") else {
                return .send(httpAnswer(status: "401 Unauthorized", []))
            }
            let text = head.contains("/my-role ") ? body : head.contains("/region ") ? "eu-west-1" : "my-role"
            return .send(httpAnswer(Array(text.utf8)))
        }
        let address = String(service.url.dropLast("/keys".count))
        let source = try #require(
            try StoreTokenSource(
                for: StoreTokens.store(.aws(Cache(.memoryDB, name: "c"))),
                environment: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": address], clock: ManualClock().clock))
        let token = try await source.fetch().get()
        #expect(StoreTokens.text(token).contains("%2Feu-west-1%2F") && token.expires == 1_700_000_600)
        try await service.close()
        let failure = await source.fetch().failureText
        #expect(failure.hasPrefix("the metadata service of AWS: its session token (IMDSv2)"))
        #expect(failure.hasSuffix("(unreachable)"))
    }

    @Test func `nothing that is logged contains a secret`() async throws {
        let log = LogLines()
        var environment = Self.environmentKeys
        environment["AWS_SESSION_TOKEN"] = "hunter2"
        let source = try #require(
            try StoreTokenSource(
                for: StoreTokens.store(.aws(Cache(.memoryDB, name: "c"))), environment: environment, logger: log.logger,
                transport: { FakeTransport() }))
        let token = try await source.fetch().get()
        #expect(!"\(token)".contains("hunter2") && !log.text.contains("hunter2") && !log.text.contains("wJalr"))
        #expect(log.text.contains("aws_iam") && log.text.contains("environment"))
        var dumped = ""
        dump(token, to: &dumped)
        #expect(!dumped.contains("hunter2") && !dumped.contains("Signature"))
    }
}
