import Authorization
import Foundation
import GatewayConfiguration
import GatewayCore
import JOSE
import NIOPosix
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// A lookup over real connections with a key file.
@Suite(.timeLimit(.minutes(5))) struct IdentityToolkitLoopbackTests {
    @Test func `an account is looked up over HTTP`() async throws {
        let source = try await MisbehavingSource { request in
            request.head.contains("/keys/token")
                ? .send(httpAnswer(Array(#"{"access_token":"at","expires_in":3600,"token_type":"Bearer"}"#.utf8)))
                : .send(httpAnswer(Array(#"{"users":[{"localId":"alice","validSince":"17"}]}"#.utf8)))
        }
        let key = try SigningKey.generate(.rs256, keyID: "k1")
        let folder = try TemporaryFolder()
        let file = ServiceAccount.file(pem: key.pem(), ["token_uri": source.url + "/token"])
        try Data(file).write(to: URL(fileURLWithPath: folder.path("sa.json")))
        var accounts = Configuration.FirebaseAccounts(serviceAccount: folder.path("sa.json"))
        accounts.lookupURL = source.url + "/{project}/accounts:lookup"
        accounts.timeout = .hangLimit
        let toolkit = IdentityToolkit(
            accounts, project: "my-app", credential: try #require(try GoogleCredential(of: accounts)),
            group: .singletonMultiThreadedEventLoopGroup, logger: LogLines().logger)
        toolkit.start()
        let status = await withCheckedContinuation { continuation in
            toolkit.lookUp("alice", notBefore: 0) { continuation.resume(returning: $0) }
        }
        #expect(status.state == .account(validSince: 17, disabled: false))
        #expect(source.requests.count == 2)
        let head = try #require(source.requests.last?.head)
        #expect(head.hasPrefix("POST /keys/my-app/accounts:lookup HTTP/1.1\r\n"))
        #expect(head.contains("authorization: Bearer at\r\n"))
        #expect(source.requests.last?.body == #"{"localId":["alice"]}"#)
        await toolkit.shutdown()
        try await source.close()
    }
}
