import GatewayCore
import OperatorConsole
import Revocation
import Testing

@testable import AdminAPI
@testable import GatewayFixtures
@testable import StoreFixtures

struct AdminAPITests {
    let backend = FakeBackend()

    func response(
        _ method: String, _ target: String, body: String = "", sent: String? = "s3cret", configured: String? = "s3cret",
        viewer: String? = nil
    ) async -> AdminResponse {
        var headers = [(name: "Host", value: "localhost")]
        if let sent { headers.append((name: "Authorization", value: "Bearer \(sent)")) }
        let entrance = AdminGuard(token: configured, viewerToken: viewer, hosts: [])
        let api = AdminAPI(entrance: entrance, backend: backend)
        switch api.admit(AdminRequest(method: method, target: target, headers: headers, body: Array(body.utf8))) {
        case .response(let response): return response
        case .call(let call, let caller): return await api.respond(to: call, body: Array(body.utf8), by: caller)
        case .stream: return .text("a stream")
        case .flow(let perform): return await perform()
        }
    }

    private func text(_ method: String, _ target: String) async -> String { await response(method, target).text }

    @Test(arguments: ["/livez", "/readyz", "/metrics"]) func `health and metrics need no token`(path: String) async {
        #expect(await response("GET", path, sent: nil).status == 200)
        #expect(await response("GET", path, sent: nil, configured: nil).status == 200)
        #expect(await response("GET", path, sent: "wrong").status == 200)
    }

    @Test(arguments: ["/v1/keys", "/v1/users/ann", "/v1/nothing", "/"])
    func `every other path is 401 without the token even if it does not exist`(path: String) async {
        for sent in [nil, "wrong"] {
            let received = await response("GET", path, sent: sent)
            #expect(received.status == 401)
            #expect(received.extra["WWW-Authenticate"] == "Bearer realm=\"gatehouse admin\"")
        }
    }

    @Test(arguments: [nil, ""]) func `without a configured token every other path is 404`(configured: String?) async {
        for path in ["/v1/keys", "/v1/users/ann/revoke", "/v1/nothing"] {
            #expect(await response("POST", path, sent: "", configured: configured).status == 404)
        }
        #expect(await backend.calls.isEmpty)
    }

    @Test func `a hanging gateway is not live`() async {
        backend.hang("an event loop hangs")
        let received = await response("GET", "/livez", sent: nil)
        #expect(received.status == 503 && received.text.contains(#""detail":"an event loop hangs""#))
        #expect(await response("GET", "/readyz", sent: nil).status == 200)
    }

    @Test func `readiness names the failed checks`() async {
        await backend.lack("keys https://k", why: "never fetched: \"timeout\"")
        let received = await response("GET", "/readyz", sent: nil)
        #expect(received.status == 503)
        #expect(
            received.text == #"{"ready":false,"checks":[{"name":"store","ok":true},"#
                + #"{"name":"keys https://k","ok":false,"why":"never fetched: \"timeout\""}]}"# + "\n")
    }

    @Test func `the status has the state of each dependency, and 200 without readiness`() async {
        await backend.lack("serving", why: "the gateway is draining")
        let received = await response("GET", "/v1/status")
        #expect(received.status == 200)
        #expect(
            received.text == #"{"version":"1.2.3","generation":4,"started_at":5,"ready":false,"#
                + #""checks":[{"name":"store","ok":true},"#
                + #"{"name":"serving","ok":false,"why":"the gateway is draining"}],"#
                + #""store":{"kind":"redis","age":null,"writable":false,"users":6,"sessions":0,"connected":false,"#
                + #""trouble":"down"},"#
                + #""key_sets":[{"url":"https://keys.example","fetched_at":5,"refresh_at":null,"keys":["k1"],"#
                + #""thumbprints":[{"kid":"k1","thumbprint":"dGh1bWI"}],"skipped":["k2: weak"],"last_error":null}],"#
                + #""servers":[{"upstream":"api","server":"http://127.0.0.1:3000","addresses":2,"healthy":1,"#
                + #""ejected":0,"requests":0,"health_checks":true}],"#
                + #""certificates":[{"listener":"0.0.0.0:443","subject":"a.example","expires_at":9}],"#
                + #""connections":3,"requests_in_flight":2,"streams":1}"# + "\n")
        #expect(await response("GET", "/v1/status", sent: nil).status == 401)
        #expect(await response("POST", "/v1/status").status == 405)
    }

    @Test func `a session is returned`() async {
        let session = await text("GET", "/v1/users/ann/sessions/s%2F1")
        #expect(session == #"{"uid":"ann","session":"s/1","revoked":false,"signed_in_at":7}"# + "\n")
        #expect(await backend.calls == ["look ann s/1"])
    }

    @Test func `a user is returned`() async {
        let user = await text("GET", "/v1/users/a%2Fb")
        #expect(user == #"{"uid":"a/b","valid_since":17,"disabled":false}"# + "\n")
    }

    @Test func `an account has its address, its links and its unlinked identities`() async {
        let account = await text("GET", "/v1/accounts/ann")
        #expect(
            account == #"{"uid":"ann","created_at":5,"deleted_at":null,"merged_into":null,"#
                + #""email":"a@b.c","email_verified":true,"#
                + #""email_from":"apple.com","name":null,"links":[{"provider":"apple.com","subject":"1"},"#
                + #"{"provider":"google.com","subject":"2"}],"#
                + #""unlinked":[{"provider":"github.com","subject":"3"}],"unlinked_more":false}"# + "\n")
        #expect(await response("DELETE", "/v1/accounts/ann").status == 405)
        #expect(await response("GET", "/v1/accounts/ann", sent: "wrong").status == 401)
    }

    @Test func `the outbox is shown without tokens and identities, retried and discarded`() async {
        let outbox = await text("GET", "/v1/outbox")
        #expect(
            outbox == #"{"waiting":2,"oldest_seconds":9,"lease":true,"failing":null,"dropped":0,"parked":1,"#
                + #""destinations":[{"destination":"apple.com","waiting":2,"oldest_seconds":9,"parked":1,"lease":true,"#
                + #""failing":null}],"parked_messages":[{"id":"a-1","kind":"revocation","destination":"apple.com","#
                + #""reason":"token_key","queued_at":5,"uid":"u"}]}"# + "\n")
        #expect(await text("POST", "/v1/outbox/retry") == #"{"retried":3}"# + "\n")
        #expect(await text("POST", "/v1/outbox/discard") == #"{"discarded":4}"# + "\n")
        #expect(await response("GET", "/v1/outbox/discard").status == 405)
        #expect(await response("GET", "/v1/outbox", sent: "wrong").status == 401)
    }

    @Test func `the configuration has its hash, its warnings and the last reload`() async {
        let configuration = await text("GET", "/v1/configuration")
        #expect(
            configuration == #"{"generation":4,"hash":"ab12","loaded_at":6,"reloads":{"accepted":2,"refused":1,"#
                + #""last":{"at":9,"ok":false,"error":"gatehouse.yaml:1:1: no"}},"#
                + #""warnings":[{"at":"gatehouse.yaml:3:1","warning":"nothing uses it","remedy":"remove it"}],"#
                + #""insecure_options":["identity.firebase.insecure_http"]}"# + "\n")
        #expect(await response("GET", "/v1/configuration", sent: "wrong").status == 401)
    }

    @Test func `the activity of a user is newest first`() async {
        let activity = await text("GET", "/v1/users/ann/activity")
        #expect(
            activity == #"{"uid":"ann","since":5,"denials":[{"at":8,"code":"auth/requires-recent-login","#
                + #""phase":"recency","route":"/a","count":3},{"at":7,"code":"request/rate-limited","#
                + #""phase":"user_limits","route":null,"count":1}],"#
                + #""sign_ins":[{"at":6,"provider":"google.com","kind":"sign_in"}]}"# + "\n")
        #expect(await response("GET", "/v1/users/ann/activity", sent: nil).status == 401)
        #expect(await backend.calls == ["activity ann"])
    }

    @Test func `the fleet has this gateway first, and warnings about differences`() async {
        let fleet = await text("GET", "/v1/fleet")
        #expect(
            fleet.hasPrefix(
                #"{"shared":true,"trouble":null,"warnings":[{"kind":"configuration","#
                    + #""detail":"2 values: aaaaaaaa (b); cc (a)"}],"gateways":[{"id":"1","self":true,"name":"b","#
                    + #""version":"1.2.3","configuration":"aaaaaaaaaa","generation":4,"started_at":5,"seen_at":35,"#
                    + #""ready":true,"view_age_ms":null,"requests_per_second":null,"cpu_percent":null,"#
                    + #""connections":3,"memory_bytes":null},{"id":"2","self":false,"#))
        #expect(await response("GET", "/v1/fleet", sent: nil).status == 401)
    }

    @Test func `an announcement is read as it was written, and a malformed one is not`() {
        var member = AdministeredFleet.Member(
            id: "1", name: "a\"b", version: "1", configuration: "c", generation: 2, startedAt: 3, seenAt: 4,
            isReady: false, connections: 5)
        (member.viewAge, member.requestsPerSecond, member.cpuPercent, member.memory) = (6, 7, 8, 9)
        let text = member.announcement
        #expect(AdministeredFleet.Member(id: "1", announcement: text) == member)
        for text in ["", "{}", "[]", text.replacing(#""ready":false"#, with: #""ready":0"#), text + "x"] {
            #expect(AdministeredFleet.Member(id: "1", announcement: text) == nil, "\(text)")
        }
        let padded = text.dropLast() + #","x":"\#(String(repeating: "a", count: 2_048))"}"#
        #expect(AdministeredFleet.Member(id: "1", announcement: String(padded)) == nil)
    }

    @Test func `the history has the samples after a time`() async {
        let history = await text("GET", "/v1/history?since=10")
        #expect(
            history.hasPrefix(
                #"{"now":35,"started_at":5,"interval":10,"capacity":720,"times":[20,30],"codes":{},"routes":{},"#))
        #expect(history.contains(#""request":{"p50":[null,null],"p90":[null,null],"p99":[null,null]}"#))
        #expect(
            history.contains(
                #""key_sets":{"https://keys.example":{"age":[7,7],"refresh_in":[null,null],"failing":[0,0]}}"#))
        #expect(await text("GET", "/v1/history").contains(#""times":[10,20,30]"#))
        #expect(await response("HEAD", "/v1/history").status == 200)
        #expect(await response("POST", "/v1/history").status == 405)
    }

    @Test(arguments: [
        "since=x", "since=-1", "since=+1", "since=1.5", "since=100000000001", "since=99999999999999999999", "since",
        "since=", "until=1", "since=1&since=2", "since=%zz", "since=1&%00=2",
        "since=1&x=\(String(repeating: "a", count: 2048))",
    ])
    func `a history with an invalid query is rejected`(query: String) async {
        #expect(await response("GET", "/v1/history?\(query)").status == 400)
    }

    @Test func `an account is deleted and unlinked`() async {
        #expect(await text("POST", "/v1/accounts/ann/delete").contains(#""deleted_at":9"#))
        #expect(await response("POST", "/v1/accounts/ann/links/apple.com/unlink").status == 200)
        #expect(await response("POST", "/v1/accounts/ann/merge/b%6Fb").status == 200)
        #expect(await response("GET", "/v1/accounts/ann/delete").status == 405)
        #expect(await response("GET", "/v1/accounts/ann/merge/bob").status == 405)
        #expect(await response("POST", "/v1/accounts/ann/delete", sent: "wrong").status == 401)
        #expect(await backend.calls == ["delete ann", "unlink ann apple.com", "merge ann bob"])
    }

    @Test(arguments: [
        ("unrevoke", "unrevoke ann"), ("disable", "disable ann"), ("enable", "enable ann"),
        ("revoke", "revoke ann now"), ("sessions/s1/revoke", "session ann s1"),
    ])
    func `a user is changed`(action: String, call: String) async {
        #expect(await response("POST", "/v1/users/ann/\(action)").status == 200)
        #expect(await backend.calls == [call])
    }

    @Test(arguments: [#"{"at":1700000000}"#, #"{"at":"2023-11-14T22:13:20Z"}"#, #"{"at":"2023-11-14T23:13:20+01:00"}"#])
    func `a revocation may have a time`(body: String) async {
        let received = await response("POST", "/v1/users/ann/revoke", body: body)
        #expect(received.text.contains(#""valid_since":1700000000"#))
        #expect(await backend.calls == ["revoke ann 1700000000"])
    }

    @Test(arguments: [
        "x", "[]", "17", #"{"at":null}"#, #"{"at":1.5}"#, #"{"at":-1}"#, #"{"at":1700000000000}"#,
        #"{"at":"yesterday"}"#, #"{"at":1,"at":2}"#, #"{"since":1}"#, #"{"at":{"at":{}}}"#,
    ])
    func `a revocation with an invalid time is rejected`(body: String) async {
        #expect(await response("POST", "/v1/users/ann/revoke", body: body).status == 400)
        #expect(await backend.calls.isEmpty)
    }

    @Test(arguments: [
        ("POST", "/livez", "GET, HEAD"), ("DELETE", "/v1/users/ann", "GET, HEAD"),
        ("GET", "/v1/users/ann/revoke", "POST"), ("GET", "/v1/keys/refresh", "POST"),
        ("TRACE", "/v1/keys", "GET, HEAD"), ("get", "/v1/keys", "GET, HEAD"),
    ])
    func `a wrong method is 405 with the allowed methods`(method: String, path: String, allow: String) async {
        let received = await response(method, path)
        #expect(received.status == 405)
        #expect(received.extra["Allow"] == allow)
        #expect(await backend.calls.isEmpty)
    }

    @Test func `a store failure is 503`() async {
        await backend.fail(with: .storeUnavailable)
        let received = await response("POST", "/v1/users/ann/revoke")
        #expect(received.status == 503)
        #expect(received.extra["Retry-After"] == "1")
        #expect(received.contentType == "application/problem+json")
        #expect(received.text.contains(#""code":"auth/store-unavailable""#))
    }

    @Test func `an error of the backend has its reason`() async {
        await backend.fail(with: .invalid("a \"uid\"\n"))
        let received = await response("GET", "/v1/users/ann")
        #expect(received.status == 400)
        #expect(received.text.contains(#""detail":"a \"uid\"\n""#))
    }

    @Test func `key sets are returned and refreshed`() async {
        #expect(
            await text("GET", "/v1/keys") == #"{"key_sets":[{"url":"https://keys.example","fetched_at":5,"#
                + #""refresh_at":null,"keys":["k1"],"thumbprints":[{"kid":"k1","thumbprint":"dGh1bWI"}],"#
                + #""skipped":["k2: weak"],"last_error":null}]}"# + "\n")
        #expect(await response("POST", "/v1/keys/refresh").status == 200)
        #expect(await text("POST", "/v1/reload") == #"{"generation":7}"# + "\n")
        #expect(await response("GET", "/v1/reload").status == 405)
    }

    @Test func `routes are returned with all their settings`() async {
        let plain =
            #"{"path":"/a/{id}","hosts":[],"methods":[],"merge_slashes":true,"encoded_slashes":"reject","#
            + #""case_insensitive":false,"auth":"required","providers":[],"recent_sign_in":null,"recent_sign_in_proof":null,"second_factor":null,"#
            + #""scopes":[],"app_check":"off","apps":[],"app_check_consume":false,"allow":null,"revocation":"replicated","on_store_failure":"deny","insecure_no_csrf":false,"#
            + #""cors":null,"token_query":null,"token_protocol":false,"rate_limit":[],"body_size":null,"upstream":"api","#
            + #""strip_prefix":null,"rewrite":null,"upgrade":[],"#
            + #""policy":["a credential is required","revocation: replicated"],"defined_at":"gatehouse.yaml:7:5"}"#
        let full =
            #"{"path":"/a/{id}","hosts":["*.example.com"],"methods":["GET"],"merge_slashes":true,"#
            + #""encoded_slashes":"keep","case_insensitive":false,"auth":"optional","providers":["apple.com"],"#
            + #""recent_sign_in":300,"recent_sign_in_proof":"any","second_factor":"required","scopes":["read"],"#
            + #""app_check":"enforce","apps":["web"],"app_check_consume":true,"allow":"auth.uid == id","#
            + #""revocation":"strict","on_store_failure":"allow","insecure_no_csrf":true,"#
            + #""cors":{"origins":["https://app.example"],"methods":["GET"],"headers":[],"expose":[],"#
            + #""credentials":false,"max_age":600},"token_query":"token","#
            + #""token_protocol":true,"rate_limit":[{"per":"uid","requests":10,"every":60,"burst":20,"scope":"gateway"}],"body_size":4096,"upstream":"api","#
            + #""strip_prefix":null,"rewrite":{"path":null,"host":"inner"},"upgrade":["websocket"],"#
            + #""policy":["at most 10 requests in 1m per uid","anonymous requests are permitted","#
            + #""requests of other sites are permitted with cookies","App Check: enforce","revocation: strict","#
            + #""permitted if the store is unavailable","signed in with apple.com","scopes read","#
            + #""a sign-in at most 5m ago","a second factor","allow if auth.uid == id"],"#
            + #""defined_at":"gatehouse.yaml:7:5"}"#
        #expect(await text("GET", "/v1/routes") == #"{"routes":[\#(plain),\#(full)]}"# + "\n")
    }

    @Test func `decisions with personal data are for operators, and in the audit log`() async {
        let target = "/v1/decisions?unmask=true&uid=ada"
        let refused = await response("GET", target, sent: "look", viewer: "look")
        #expect(refused.status == 403 && refused.text.contains("admin/read-only"))
        #expect(await response("GET", target).text == "a stream")
        #expect(await response("GET", "/v1/decisions?uid=~ab", sent: "look", viewer: "look").text == "a stream")
        #expect(backend.actions.map(\.event) == ["unmask_decisions"])
        #expect(backend.actions.map(\.filter) == ["uid=ada"] && backend.actions.map(\.status) == [200])
    }

    @Test func `an account is found by an identity or by an address`() async {
        #expect(
            await text("GET", "/v1/accounts?provider=google.com&subject=a%26b")
                == #"{"users":[{"uid":"ann","tenant":"t"}]}"# + "\n")
        #expect(await text("GET", "/v1/accounts?email=Ada%40Example.com") == #"{"users":[]}"# + "\n")
        #expect(await backend.calls == ["find google.com:a&b", "find ada@example.com"])
        let mixed = ["?email=a&limit=1", "?email=a&cursor=b", "?provider=a&subject=b&limit=1"]
        for query in ["?provider=a", "?subject=a", "?provider=a&email=b", "?email=a&email=b", "?uid=a"] + mixed {
            #expect(await response("GET", "/v1/accounts\(query)").status == 400, "\(query)")
        }
        #expect(await response("GET", "/v1/accounts?email=a", sent: "wrong").status == 401)
        #expect(await response("POST", "/v1/accounts?email=a").status == 405)
    }

    @Test func `the list of accounts has parts with a cursor`() async {
        #expect(
            await text("GET", "/v1/accounts")
                == #"{"users":[{"uid":"ann","created_at":5,"deleted_at":null,"email":"a@b.c","name":"Ann","#
                + #""providers":["apple.com","google.com"]},{"uid":"bob","tenant":"t","created_at":null,"#
                + #""deleted_at":null,"email":null,"name":null,"providers":[],"faulty":true}],"next":"c"}"# + "\n")
        #expect(await response("GET", "/v1/accounts?limit=100&cursor=a%2Db").status == 200)
        #expect(await backend.calls == ["list  50", "list a-b 100"])
        for query in ["limit=0", "limit=101", "limit=x", "limit=", "limit=-1", "cursor=a&cursor=b", "page=2"] {
            #expect(await response("GET", "/v1/accounts?\(query)").status == 400, "\(query)")
        }
        #expect(await response("GET", "/v1/accounts", sent: nil).status == 401)
    }

    @Test func `the sessions of a user have public IDs`() async {
        let sessions = await text("GET", "/v1/tenants/t/users/ann/sessions")
        #expect(
            sessions == #"{"uid":"ann","tenant":"t","sessions":[{"id":"00000000000000000000000000000000","#
                + #""started_at":5,"last_used_at":7,"ends_at":9,"provider":"google.com","proof":"authenticated","#
                + #""user_agent":"A \"browser\""},{"id":"11111111111111111111111111111111","started_at":4,"#
                + #""last_used_at":6,"ends_at":8,"provider":null,"proof":null,"user_agent":null}]}"# + "\n")
        #expect(await backend.calls == ["sessions t/ann"])
        #expect(await response("POST", "/v1/users/ann/sessions").status == 405)
        #expect(await response("GET", "/v1/users/ann/sessions", sent: "wrong").status == 401)
    }

    @Test func `a viewer reads everything, and changes nothing`() async throws {
        for path in AdminPath.allCases {
            let call = try #require(AdminCall(target: path.rawValue))
            let target = path == .findAccount ? "/v1/accounts?email=a" : path.rawValue
            let received = await response(call.methods[0], target, sent: "look", viewer: "look")
            if call.methods[0] == "GET" {
                #expect(received.status == 200, "\(path)")
            } else {
                #expect(received.status == 403 && received.text.contains("admin/read-only"), "\(path)")
            }
        }
        let changes = [
            "evaluate", "revoke", "disable", "enable", "session ", "delete", "unlink", "merge", "refresh", "accept",
            "reload",
        ]
        #expect(await !backend.calls.contains { call in changes.contains { call.hasPrefix($0) } })
        #expect(Set(backend.actions.map(\.event)) == ["find_account", "show_account"])
        #expect(await response("GET", "/v1/keys", sent: "look").status == 401)
        #expect(await response("GET", "/v1/keys", sent: "look", configured: nil, viewer: "look").status == 404)
    }

    @Test func `no response contains the token`() async {
        for target in ["/v1/nothing?s3cret", "/v1/users/s3cretX/none"] {
            #expect(await !text("GET", target).contains("s3cret"))
        }
    }
}

extension AdminResponse {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
