import GatewayConfiguration
import GatewayCore
import JOSE
import OutboundHTTP
import Revocation
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// The content of messages: sealed tokens, and signed events.
@Suite struct OutboxContentTests {
    @Test func `a sealed token opens only for its identity`() throws {
        let sealing = try #require(TokenSealing([Secret(String(repeating: "k", count: 32))]))
        let token = GrantedToken(text: "t", isRefreshToken: true, clientID: "c")
        let kept = try #require(sealing.seal(token, of: .apple("1")))
        #expect(kept.text.hasPrefix("r:") && !kept.text.contains("\"t\""))
        #expect(sealing.open(kept.text, of: .apple("1")) == token)
        #expect(sealing.open(kept.text, of: .apple("2")) == nil && sealing.open(kept.text, of: .google("1")) == nil)
        #expect(sealing.open("r:x", of: .apple("1")) == nil && sealing.open("", of: .apple("1")) == nil)
        let long = GrantedToken(text: String(repeating: "t", count: 8_192), isRefreshToken: true, clientID: "c")
        #expect(sealing.seal(long, of: .apple("1")) == nil)
    }

    @Test func `the event of a merge names both accounts`() throws {
        let message = OutboxMessage(id: "a-1", kind: .event, destination: "webhook", queued: 1, body: "")
        let body = #"{"type":"account.merged","uid":"a","merged_into":"b","time":5,"identities":{"apple.com":"1"}}"#
        let content = try JSONDocument(Array(body.utf8), limits: .token)
        let event = try #require(WebhookEvent(message, content.root))
        #expect(
            String(decoding: event.body, as: UTF8.self)
                == #"{"type":"account.merged","timestamp":"1970-01-01T00:00:05Z","#
                + #""data":{"uid":"a","merged_into":"b","identities":{"apple.com":"1"}}}"#)
    }

    @Test func `O-25: an event of a change of an address has its data, and an expired link is not sent`() throws {
        let message = OutboxMessage(id: "a-1", kind: .event, destination: "webhook", queued: 1, body: "")
        let data = #""email":"n@b.c","token":"t","url":"https://a.example/x#email_token=t","expires_at":3605"#
        let body = #"{"type":"account.email_verification","uid":"u","time":5,\#(data)}"#
        let content = try JSONDocument(Array(body.utf8), limits: .token)
        let event = try #require(WebhookEvent(message, content.root))
        let root = try JSONDocument(event.body, limits: .token).root
        #expect(root["type"]?.string == "account.email_verification")
        #expect(root["timestamp"]?.string == "1970-01-01T00:00:05Z")
        #expect(root["data"]?.members.map(\.name) == ["uid", "email", "token", "url", "expires_at"])
        #expect(root["data"]?["url"]?.string == "https://a.example/x#email_token=t")
        #expect(root["data"]?["expires_at"]?.integer == 3_605)
        #expect(!WebhookEvent.hasExpired(content.root, now: 3_604))
        #expect(WebhookEvent.hasExpired(content.root, now: 3_605))
    }

    /// The snippet in the manual, with Python.
    @Test func `the code in the manual accepts signed events and rejects others`() throws {
        let block = try MarkdownPage("docs/guides/account-webhook.md").blocks.first {
            $0.comment == "A test runs this code."
        }
        let folder = try ScratchFolder()
        let call = "\nimport sys\nprint(verify(sys.argv[1].split(), eval(sys.argv[2]), sys.argv[3].encode()))\n"
        try folder.write(try #require(block).text + call, to: "verify.py")
        let secrets = [Array(repeating: UInt8(1), count: 32), Array(repeating: UInt8(2), count: 24)]
        let receiver = Configuration.Webhook(url: "https://a.example", secrets: secrets.map { Secret($0) })
        let message = OutboxMessage(id: "a-1", kind: .event, destination: "webhook", queued: 1, body: "")
        let body = #"{"type":"account.deleted","uid":"ü","time":5,"identities":{}}"#
        let content = try JSONDocument(Array(body.utf8), limits: .token)
        let event = try #require(WebhookEvent(message, content.root))
        let now = GatewayClock.system.now()
        func verify(_ secrets: [[UInt8]], age: Int64 = 0, _ change: String = "") throws -> String {
            let request = try #require(event.request(to: receiver, at: UnixTime(clamping: now - age)))
            let fields = request.fields.map { "'\($0.name)': '\($0.value)'" }.joined(separator: ", ")
            let names = secrets.map { "whsec_\(BasicCredentials.base64($0))" }.joined(separator: " ")
            let output = try Program.run(
                "python3", ["verify.py", names, "{\(fields)}", request.bodyText + change], in: folder.path)
            return String(output.prefix { $0 != "\n" })
        }
        #expect(try verify([secrets[0]]) == "True" && verify([secrets[1]]) == "True")
        #expect(try verify([Array(repeating: 3, count: 32), secrets[1]]) == "True", "a receiver during a rotation")
        #expect(try verify([Array(repeating: 3, count: 32)]) == "False")
        #expect(try verify([secrets[0]], " ") == "False" && verify([secrets[0]], age: 3_600) == "False")
    }
}
