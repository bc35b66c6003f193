import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import OutboundHTTP

@Suite struct AccountLookupTests {
    private let lookup = AccountLookup(url: "https://x.example/v1/projects/{project}/accounts:lookup", project: "a:b")

    @Test func `the request names the accounts`() {
        let uids = ["alice", #"b"b"#, "ü"].map { Array($0.utf8) }
        let request = lookup.request(uids, token: Secret("at"))
        #expect(request.url == "https://x.example/v1/projects/a%3Ab/accounts:lookup")
        #expect(request.bodyText == #"{"localId":["alice","b\"b","ü"]}"#)
        #expect(request.field("authorization") == "Bearer at")
    }

    private static let identity = FirebaseName.identity(provider: "google.com", id: "10")

    @Test func `the request names identities and addresses`() {
        let names = [Self.identity, .identity(provider: "oidc.a", id: #"q"q"#), .email("a@x.example")]
        let request = lookup.request(of: names.map(AccountLookup.Query.name), token: Secret("at"))
        let expected =
            #"{"federatedUserId":[{"providerId":"google.com","rawId":"10"},{"providerId":"oidc.a","rawId":"q\"q"}],"#
            + #""email":["a@x.example"]}"#
        #expect(request.bodyText == expected)
    }

    private func found(_ name: FirebaseName, _ users: String) throws -> AccountStatus.State? {
        try AccountLookup.read(
            OutboundResponse(status: 200, body: Array(#"{"users":[\#(users)]}"#.utf8)), about: [.name(name)],
            listing: "p", now: 0
        ).get()[.name(name)]
    }

    /// The uid that a lookup by a name finds: none, `-` for several accounts.
    private func uid(_ name: FirebaseName, _ users: String) throws -> String? {
        switch try found(name, users) {
        case .account(_, _, let account): account.uid ?? "-"
        default: nil
        }
    }

    @Test(
        arguments: [
            (#"{"localId":"u","providerUserInfo":[{"providerId":"google.com","rawId":"10"}]}"#, "u"),
            (#"{"localId":"u","providerUserInfo":[{"providerId":"google.com","rawId":"10"},{},7]}"#, "u"),
            (#"{"localId":"u","providerUserInfo":[{"providerId":"google.com","rawId":"11"}]}"#, nil),
            (#"{"localId":"u","providerUserInfo":[{"providerId":"apple.com","rawId":"10"}]}"#, nil),
            (#"{"localId":"u","providerUserInfo":[{"providerId":"google.com","federatedId":"10"}]}"#, nil),
            (#"{"localId":"u","providerUserInfo":{"providerId":"google.com","rawId":"10"}}"#, nil),
            (#"{"localId":"u"}"#, nil), ("", nil),
            (
                #"{"localId":"u","providerUserInfo":[{"providerId":"google.com","rawId":"10"}]},"#
                    + #"{"localId":"v","providerUserInfo":[{"providerId":"google.com","rawId":"10"}]}"#, "-"
            ),
        ] as [(String, String?)])
    func `an account is found by an identity that it lists`(users: String, uid: String?) throws {
        #expect(try self.uid(Self.identity, users) == uid)
    }

    @Test(
        arguments: [
            (#"{"localId":"u","email":"A@x.example","emailVerified":true}"#, "u"),
            (#"{"localId":"u","email":"a@x.example","emailVerified":false}"#, nil),
            (#"{"localId":"u","email":"a@x.example","emailVerified":"true"}"#, nil),
            (#"{"localId":"u","email":"a@x.example"}"#, nil),
            (#"{"localId":"u","emailVerified":true}"#, nil),
            (#"{"localId":"u","email":"","emailVerified":true}"#, nil),
        ] as [(String, String?)])
    func `an account is found by its verified address only`(users: String, uid: String?) throws {
        #expect(try self.uid(.email("a@x.example"), users) == uid)
    }

    @Test func `an address with letters beyond ASCII is not that of an address in ASCII`() throws {
        let user = #"{"localId":"u","email":"a@\#u{212A}.example","emailVerified":true}"#
        #expect(try uid(.email("a@k.example"), user) == nil)
    }

    @Test func `an account that one batch finds several times is one account`() throws {
        let user =
            #"{"localId":"u","email":"a@x.example","emailVerified":true,"providerUserInfo":["#
            + #"{"providerId":"google.com","rawId":"10"},{"providerId":"oidc.a","rawId":"2"}]}"#
        let names = [Self.identity, .email("a@x.example")]
        let queries = names.map(AccountLookup.Query.name) + [.uid(Array("u".utf8))]
        let response = OutboundResponse(status: 200, body: Array(#"{"users":[\#(user),\#(user),\#(user)]}"#.utf8))
        let statuses = try AccountLookup.read(response, about: queries, listing: "p", now: 0).get()
        let once = try found(Self.identity, user)
        for query in queries { #expect(statuses[query] == once) }
        // Entries that differ are no account, and two accounts with one address are known to be two.
        let disabled = user.replacing(#""localId":"u""#, with: #""localId":"u","disabled":true"#)
        #expect(try found(Self.identity, "\(user),\(disabled)") == .unavailable)
        let other = #"{"localId":"v","email":"a@x.example","emailVerified":true}"#
        #expect(try uid(.email("a@x.example"), "\(user),\(other),\(user)") == "-")
        #expect(try uid(Self.identity, "\(user),\(other),\(user)") == "u")
    }

    @Test func `an account lists its identities and its verified address`() throws {
        let user =
            #"{"localId":"u","email":"a@x.example","emailVerified":true,"providerUserInfo":["#
            + #"{"providerId":"google.com","rawId":"10"},{"providerId":"password","rawId":"a@x.example"}]}"#
        let state = try #require(try found(Self.identity, user))
        let hasher = try #require(SHA256Hasher())
        func lacks(_ name: FirebaseName, of project: String = "p") throws -> Bool {
            state.lacks(try #require(FirebaseEvidence(project: project, name: name).key(hasher: hasher)))
        }
        #expect(try !lacks(Self.identity) && !lacks(.email("a@x.example")))
        #expect(try lacks(Self.identity, of: "q") && lacks(.identity(provider: "google.com", id: "11")))
        #expect(try lacks(.identity(provider: "password", id: "a@x.example")))
    }

    @Test func `the accounts of a tenant have their own URL`() {
        let lookup = AccountLookup(
            url: Configuration.FirebaseAccounts.defaultLookupURL, project: "p", tenant: "a/b")
        #expect(
            lookup.request([], token: Secret("at")).url
                == "https://identitytoolkit.googleapis.com/v1/projects/p/tenants/a%2Fb/accounts:lookup")
    }

    @Test(
        arguments: [
            (#"{"localId":"u"}"#, .account(validSince: nil, disabled: false)),
            (
                #"{"localId":"u","validSince":"1700000000","email":"x"}"#,
                .account(validSince: 1_700_000_000, disabled: false)
            ), (#"{"localId":"u","validSince":"0","disabled":true}"#, .account(validSince: 0, disabled: true)),
            (#"{"localId":"u","disabled":false}"#, .account(validSince: nil, disabled: false)),
            (#"{"localId":"v"}"#, .missing), (#"{"localId":"U"}"#, .missing), (#"{"localId":7}"#, .missing),
            ("7", .missing), (#"{"localId":"u","validSince":1700000000}"#, .unavailable),
            (#"{"localId":"u","validSince":"1700000000000"}"#, .unavailable),
            (#"{"localId":"u","validSince":"-1"}"#, .unavailable), (#"{"localId":"u","validSince":""}"#, .unavailable),
            (#"{"localId":"u","validSince":"1.5"}"#, .unavailable),
            (#"{"localId":"u","validSince":null}"#, .unavailable),
            (#"{"localId":"u","validSince":"99999999999999999999999"}"#, .unavailable),
            (#"{"localId":"u","disabled":"false"}"#, .unavailable), (#"{"localId":"u","disabled":0}"#, .unavailable),
            (#"{"localId":"u"},{"localId":"u","disabled":true}"#, .unavailable),
        ] as [(String, AccountStatus.State)])
    func `the record of an account is read`(users: String, expected: AccountStatus.State) throws {
        #expect(try read(#"{"users":[\#(users)]}"#).get() == [Array("u".utf8): expected])
    }

    @Test(arguments: [#"{"kind":"identitytoolkit#GetAccountInfoResponse"}"#, #"{"users":[]}"#])
    func `an account without a record is missing`(body: String) throws {
        #expect(try read(body).get() == [Array("u".utf8): .missing])
    }

    @Test func `uids are compared by their bytes`() throws {
        let composed = Array("\u{e9}".utf8)
        let answers = try AccountLookup.read(
            OutboundResponse(status: 200, body: Array(#"{"users":[{"localId":"e\#u{301}"}]}"#.utf8)), about: [composed],
            now: 0
        ).get()
        #expect(answers == [composed: .missing])
    }

    @Test(arguments: ["", "<html>", "[]", "null", #"{"users":{}}"#, #"{"users":"none"}"#, #"{"error":{"code":400}}"#])
    func `a malformed response fails for all accounts`(body: String) {
        guard case .failure(let failure) = read(body) else {
            Issue.record("\(body) was read")
            return
        }
        #expect(failure.kind == .malformed && failure.concernsAll)
    }

    @Test(arguments: [(400, false), (401, true), (403, true), (404, true), (429, true), (500, true), (302, true)])
    func `only a bad request may concern one account`(status: Int, concernsAll: Bool) {
        guard case .failure(let failure) = read("{}", status) else {
            Issue.record("\(status) was read")
            return
        }
        #expect(failure.concernsAll == concernsAll)
        #expect((failure.kind == .ownCredentials) == (status == 401))
    }

    private func read(
        _ body: String, _ status: Int = 200
    ) -> Result<[AccountLookup.UID: AccountStatus.State], LookupFailure> {
        AccountLookup.read(OutboundResponse(status: status, body: Array(body.utf8)), about: [Array("u".utf8)], now: 0)
    }
}
