import OperatorConsole
import Revocation
import Testing

@testable import AdminAPI
@testable import GatewayFixtures
@testable import StoreFixtures

/// The lines of the audit log.
extension AdminAPITests {
    @Test func `each change is in the audit log, also if it fails`() async {
        _ = await response("POST", "/v1/projects/p/tenants/t/users/ann/disable")
        _ = await response("POST", "/v1/accounts/ann/links/apple.com/unlink")
        _ = await response("POST", "/v1/users/ann/sessions/s1/revoke")
        _ = await response("POST", "/v1/accounts/ann/merge/bob")
        _ = await response("GET", "/v1/users/ann")
        _ = await response("POST", "/v1/users/ann/revoke", sent: "wrong")
        await backend.fail(with: .storeUnavailable)
        _ = await response("POST", "/v1/reload")
        let caller = AdminCaller(role: .operator, address: "unknown")
        #expect(
            backend.actions == [
                AdminAction(
                    event: "disable", user: UserKey(uid: "ann", tenant: "t", project: "p"), caller: caller, status: 200),
                AdminAction(
                    event: "unlink", user: UserKey("ann"), provider: "apple.com", caller: caller, status: 200),
                AdminAction(
                    event: "revoke_session", user: UserKey("ann"), session: "s1", caller: caller, status: 200),
                AdminAction(
                    event: "merge_accounts", user: UserKey("ann"), target: "bob", caller: caller, status: 200),
                AdminAction(event: "reload", caller: caller, status: 503),
            ])
    }

    @Test func `each view of accounts is in the audit log once, without names of persons`() async {
        for target in ["?limit=2&cursor=a", "?email=ada%40example.com", "?provider=google.com&subject=117", "/ann"] {
            _ = await response("GET", "/v1/accounts\(target)", sent: "look", viewer: "look")
        }
        _ = await response("GET", "/v1/accounts?limit=0")
        _ = await response("GET", "/v1/accounts", sent: "wrong")
        await backend.fail(with: .storeUnavailable)
        _ = await response("GET", "/v1/accounts")
        let viewer = AdminCaller(role: .viewer, address: "unknown")
        func view(_ event: String, _ filter: String, count: Int) -> AdminAction {
            AdminAction(event: event, filter: filter, count: count, caller: viewer, status: 200)
        }
        #expect(
            backend.actions == [
                view("list_accounts", "limit=2 cursor=*", count: 2), view("find_account", "email=*", count: 0),
                view("find_account", "provider=google.com subject=*", count: 1),
                AdminAction(event: "show_account", user: "ann", caller: viewer, status: 200),
                AdminAction(
                    event: "list_accounts", filter: "limit=50",
                    caller: AdminCaller(role: .operator, address: "unknown"), status: 503),
            ])
    }

    @Test func `a provider in the audit log states no further parameter`() throws {
        let selection = try AccountSelection(AdminQuery(target: "?provider=a%20limit%3D1&subject=b"))
        #expect(selection.maskedText == #"provider="a limit=1" subject=*"#)
    }
}
