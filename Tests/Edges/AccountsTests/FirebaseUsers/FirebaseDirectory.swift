import Authorization
import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation
import Synchronization

@testable import Accounts
@testable import Authorization
@testable import CoreFixtures
@testable import OutboundHTTP

/// The users of a Firebase project, and an Identity Toolkit that responds with them at once.
final class FirebaseDirectory: Sendable {
    struct User: Sendable {
        let uid: String
        var identities: [(provider: String, id: String)] = []
        var email: String?
        var isVerified = true
        var isDisabled = false
    }

    private struct State {
        var users: [User] = []
        var calls: [String] = []
        var isDown = false
    }

    private let state = Mutex(State())
    let transport = FakeTransport()

    init() {
        transport.always { [weak self] in self?.reply(to: $0) ?? .success(OutboundResponse(status: 500, body: [])) }
    }

    /// The bodies of the lookups.
    var calls: [String] { state.withLock { $0.calls } }

    func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    /// Adds or replaces a user.
    func set(_ user: User) {
        state.withLock { state in
            state.users.removeAll { $0.uid == user.uid }
            state.users.append(user)
        }
    }

    func change(_ uid: String, _ change: (inout User) -> Void) {
        state.withLock { state in
            for index in state.users.indices where state.users[index].uid == uid { change(&state.users[index]) }
        }
    }

    func delete(_ uid: String) { state.withLock { $0.users.removeAll { $0.uid == uid } } }

    private func reply(to request: OutboundRequest) -> FakeTransport.Reply {
        state.withLock { state in
            state.calls.append(request.bodyText)
            guard !state.isDown, let body = try? JSONDocument(request.body).root else {
                return .success(OutboundResponse(status: 503, body: []))
            }
            let users = state.users.filter { Self.matches($0, body) }.map(Self.text).joined(separator: ",")
            return .success(OutboundResponse(status: 200, body: Array(#"{"users":[\#(users)]}"#.utf8)))
        }
    }

    private static func matches(_ user: User, _ body: JSONValue) -> Bool {
        func lists(_ name: String, _ value: String?) -> Bool {
            guard let value else { return false }
            return body[name]?.elements.contains { $0.equals(value) } ?? false
        }
        if lists("localId", user.uid) || lists("email", user.email) { return true }
        return body["federatedUserId"]?.elements.contains { element in
            user.identities.contains {
                element["providerId"]?.equals($0.provider) == true && element["rawId"]?.equals($0.id) == true
            }
        } ?? false
    }

    private static func text(_ user: User) -> String {
        let infos = user.identities.map { #"{"providerId":"\#($0.provider)","rawId":"\#($0.id)"}"# }
        let email = user.email.map { #","email":"\#($0)","emailVerified":\#(user.isVerified)"# } ?? ""
        return #"{"localId":"\#(user.uid)","disabled":\#(user.isDisabled)\#(email),"providerUserInfo":["#
            + infos.joined(separator: ",") + "]}"
    }
}

extension FirebaseDirectory.User {
    /// A user with the identity of a development user at Google.
    static func google(_ uid: String, _ user: DevelopmentUser, email: String? = nil) -> Self {
        Self(uid: uid, identities: [("google.com", user.subject(at: "google.com"))], email: email)
    }
}

extension FirebaseDirectory {
    /// The period for which results are cached, in seconds.
    static let staleness: Double = 60

    /// Makes sign-ins of an account service find the users of the directory.
    func install(in parts: inout AccountParts, usesAddresses: Bool = false) {
        let toolkit = IdentityToolkit(
            Configuration.FirebaseAccounts(serviceAccount: nil), project: FirebaseToken.demoProject, listsNames: true,
            credential: .emulator,
            environment: LookupEnvironment(
                transport: transport, clock: parts.clock, logger: parts.logger, wake: { _, _ in }))
        parts.firebase = toolkit
        parts.firebaseUsers = FirebaseUsers(
            project: FirebaseToken.demoProject, usesAddresses: usesAddresses, lookup: toolkit)
        parts.maxStaleness = UInt64(Self.staleness) * 1_000_000_000
    }

    func rig(usesAddresses: Bool = false) async throws -> AccountsRig {
        try await AccountsRig(parts: { self.install(in: &$0, usesAddresses: usesAddresses) })
    }
}
