import GatewayCore
import Revocation
import Testing

@testable import AdminAPI
@testable import GatewayFixtures
@testable import StoreFixtures

/// The calls about rules and reloads.
struct AdminRulesTests {
    private let backend = FakeBackend()

    private func response(
        _ method: String, _ target: String, body: String = "", sent: String? = "s3cret"
    ) async -> AdminResponse {
        let api = AdminAPI(entrance: AdminGuard(token: "s3cret", hosts: []), backend: backend)
        let credential = sent.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
        let request = AdminRequest(
            method: method, target: target, headers: [(name: "Host", value: "localhost")] + credential,
            body: Array(body.utf8))
        switch api.admit(request) {
        case .response(let response): return response
        case .call(let call, let caller): return await api.respond(to: call, body: Array(body.utf8), by: caller)
        case .stream: return .text("a stream")
        case .flow(let perform): return await perform()
        }
    }

    private func text(_ method: String, _ target: String, body: String = "") async -> String {
        String(decoding: await response(method, target, body: body).body, as: UTF8.self)
    }

    @Test func `the rules have their lines, and the counts of each expression in its place`() async {
        let rules = await text("GET", "/v1/rules")
        let start = #"{"sources":[{"file":"api.rules","route":null,"lines":["rules_version = '2';","#
        #expect(rules.hasPrefix(start))
        let coverage =
            #""since":5,"outcomes":2,"seen":1,"expressions":[{"kind":"condition","line":2,"column":52,"#
            + #""end_line":2,"end_column":69,"true":3,"false":0,"error":1}],"omitted":0}],"omitted":1}"#
        #expect(rules.hasSuffix(coverage + "\n"), "\(rules)")
        #expect(await response("GET", "/v1/rules", sent: nil).status == 401)
        #expect(await response("POST", "/v1/rules").status == 405)
    }

    @Test func `the differences of a reload are grouped, without users and paths`() async {
        let differences = await text("GET", "/v1/reload/diff")
        #expect(
            differences == #"{"last":{"at":9,"generation":4,"sampled":5,"compared":4,"undecided":1,"#
                + #""changes":[{"method":"GET","count":2,"before":{"route":"/a","code":"ok"},"#
                + #""after":{"route":null,"code":"route/not-found"}}],"omitted":0}}"# + "\n")
        #expect(await response("GET", "/v1/reload/diff", sent: nil).status == 401)
        #expect(await response("POST", "/v1/reload/diff").status == 405)
    }

    @Test func `extension methods of clients are one change`() {
        var differences = ReloadDifferences(at: 0, generation: 1, sampled: 60)
        let outcomes = ["ok", "rules/denied"].map { ReloadDifferences.Outcome(route: "/a", code: $0) }
        for number in 0..<60 { differences.record(method: "M\(number)", before: outcomes[0], after: outcomes[1]) }
        differences.record(method: "GET", before: outcomes[0], after: outcomes[1])
        #expect(differences.changes.map(\.method) == ["other", "GET"] && differences.omitted == 0)
        #expect(differences.changes.map(\.count) == [60, 1])
    }

    @Test func `changes beyond the bound are counted`() {
        var differences = ReloadDifferences(at: 0, generation: 1, sampled: 60)
        for number in 0..<60 {
            differences.record(
                method: "GET", before: ReloadDifferences.Outcome(route: "/\(number)", code: "ok"),
                after: ReloadDifferences.Outcome(route: nil, code: "route/not-found"))
        }
        #expect(differences.changes.count == 50 && differences.omitted == 10)
    }

    @Test func `rules are evaluated for a stated request, with an audit line`() async {
        let question = #"{"method":"PUT","path":"/a","auth":{"uid":"ada"}}"#
        let answer = await text("POST", "/v1/rules/evaluate", body: question)
        let start =
            #"{"path":"/a","route":"/a","applies":true,"results":[{"file":"api.rules","verdict":"step-up","#
            + #""rule":"api.rules:2","reason":"rules: the sign-in is not recent","max_age":300,"#
            + #""allows":[{"rule":"api.rules:2","text":"allow read: if auth.uid == 'ada';","expressions":[{"depth":0,"#
            + #""line":2,"column":52,"text":"auth.uid == 'ada'","outcome":"null has no members","failed":true},"#
        #expect(answer.hasPrefix(start), "\(answer)")
        #expect(answer.hasSuffix(#""omitted":0}],"warnings":["w"]}"# + "\n"))
        #expect(await backend.calls == ["evaluate PUT /a active"])
        #expect(backend.actions.map(\.event) == ["evaluate_rules"])
    }

    @Test(arguments: [
        "", "[]", "{", #"{"method":1}"#, #"{"auth":"ada"}"#, #"{"auth":[]}"#, #"{"headers":[]}"#,
        #"{"headers":{"a":1}}"#,
        #"{"app":{"id":"a"}}"#, #"{"time":"now"}"#, #"{"time":-1}"#, #"{"rules":["a"]}"#, #"{"secret":"a"}"#,
        #"{"path":"/a\r\nX: y"}"#, #"{"host":"a\u0000"}"#,
        #"{"auth":\#(String(repeating: "[", count: 40))\#(String(repeating: "]", count: 40))}"#,
    ])
    func `a malformed question is rejected, with an audit line`(body: String) async {
        let received = await response("POST", "/v1/rules/evaluate", body: body)
        #expect(received.status == 400 && String(decoding: received.body, as: UTF8.self).contains("request/malformed"))
        #expect(await backend.calls.isEmpty)
        #expect(backend.actions.map(\.status) == [400])
    }
}
