import DevelopmentIdentity
import GatewayCore
import RequestPipeline
import Testing

@testable import CoreFixtures

@Suite(.timeLimit(.minutes(1))) struct CallBodyTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let endpoint: AccountEndpoint
        let text: String
        /// What the answer's detail names.
        let named: String
        var testDescription: String { "\(endpoint) \(text.prefix(60))" }

        init(_ endpoint: AccountEndpoint, _ text: String, _ named: String) {
            self.endpoint = endpoint
            self.text = text
            self.named = named
        }
    }

    private static let cases: [Case] = [
        Case(.signIn, "", "JSON object"), Case(.signIn, "[]", "JSON object"), Case(.signIn, "null", "JSON object"),
        Case(.signIn, "{", "JSON object"), Case(.signIn, #"{"provider":"a","provider":"b"}"#, "JSON object"),
        Case(.signIn, "{} {}", "JSON object"), Case(.signIn, "{}", "\"id_token\""),
        Case(.signIn, #"{"provider":"google.com"}"#, "\"id_token\""),
        Case(.signIn, #"{"id_token":"x"}"#, "\"provider\""),
        Case(.signIn, #"{"provider":"google.com","id_token":"x","access_token":"y"}"#, "\"access_token\""),
        Case(.signIn, #"{"provider":7,"id_token":"x"}"#, "\"provider\""),
        Case(.signIn, #"{"provider":"","id_token":"x"}"#, "\"provider\""),
        Case(.signIn, #"{"provider":"google.com","id_token":null}"#, "\"id_token\""),
        Case(.signIn, #"{"provider":"google.com","id_token":"x","nonce":1}"#, "\"nonce\""),
        Case(.signIn, #"{"provider":"google.com","id_token":"x","other":1}"#, "no other members"),
        Case(.signIn, #"{"pending_token":"x","provider":"google.com"}"#, "\"provider\""),
        Case(.signIn, #"{"pending_token":"x","user":{}}"#, "\"user\""),
        Case(.signIn, #"{"pending_token":true}"#, "\"pending_token\""),
        Case(
            .signIn, "{\"provider\":\"google.com\",\"id_token\":\"\(String(repeating: "x", count: 16_385))\"}",
            "\"id_token\""),
        Case(
            .signIn, "{\"provider\":\(String(repeating: "[", count: 50))\(String(repeating: "]", count: 50))}",
            "JSON object"),
        Case(.session, "{}", "\"id_token\""), Case(.session, #"{"id_token":[]}"#, "\"id_token\""),
        Case(.session, #"{"id_token":"x","provider":"a"}"#, "no other members"),
        Case(.reauthenticate, "{}", "\"id_token\""), Case(.reauthenticate, #"{"access_token":"x"}"#, "\"provider\""),
        Case(.reauthenticate, #"{"id_token":"x","nonce":"y"}"#, "\"provider\""),
        Case(.reauthenticate, #"{"pending_token":"x"}"#, "no other members"),
        Case(.link, "{}", "\"id_token\""), Case(.link, #"{"consent":"yes","pending_token":"x"}"#, "\"consent\""),
        Case(.link, #"{"id_token":"x"}"#, "\"provider\""), Case(.link, #"{"expires_in":300}"#, "no other members"),
        Case(.unlink, "{}", "\"provider\""), Case(.unlink, #"{"provider":["a"]}"#, "\"provider\""),
        Case(.signOut, #"{"everywhere":1}"#, "\"everywhere\""), Case(.signOut, #"{"every":true}"#, "no other members"),
        Case(.nonce, #"{"purpose":"any"}"#, "\"purpose\""), Case(.nonce, #"{"purpose":null}"#, "\"purpose\""),
        Case(.nonce, #"{"for":"link"}"#, "no other members"),
    ]

    @Test("a body that is not as it should be is refused with what to mend", arguments: cases)
    func malformed(_ input: Case) async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        let answer = await rig.call(input.endpoint, text: input.text, by: caller)
        #expect(answer.code == "request/malformed")
        #expect(answer.denial?.detail?.contains(input.named) == true, "\(answer.denial?.detail ?? "")")
    }

    @Test(
        "only application/json is read",
        arguments: ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp"])
    func contentType(type: String) async throws {
        let rig = try await AccountsRig()
        let answer = await rig.call(.signIn, try await rig.proof(.google, .ada), contentType: type)
        #expect(answer.code == "request/malformed")
        #expect(await rig.call(.nonce, text: "{}", contentType: type).code == "request/malformed")
        #expect(await rig.call(.nonce, text: "", contentType: type).code == "ok")
    }

    @Test("L-01: nothing of the client's comes back")
    func reflected() async throws {
        let rig = try await AccountsRig()
        let answer = await rig.call(.signIn, text: #"{"<script>":"secret-value"}"#)
        #expect(answer.denial?.detail?.contains("script") == false)
        #expect(!rig.log.text.contains("secret-value") && !rig.log.text.contains("script"))
    }
}
