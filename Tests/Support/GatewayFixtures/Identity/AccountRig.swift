import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation
import Synchronization
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import OutboundHTTP
@testable import StoreFixtures

extension ServiceAccount {
    /// A key file in the format of the Google Cloud console, with changed members. `nil` removes a member.
    static func file(pem: [UInt8], _ changes: [String: String?] = [:]) -> [UInt8] {
        var members: [String: String] = [
            "type": "service_account", "project_id": "my-app", "private_key_id": "k1",
            "private_key": String(decoding: pem, as: UTF8.self), "client_email": "gw@my-app.iam.gserviceaccount.com",
            "client_id": "1", "token_uri": "https://oauth2.example/token",
        ]
        for (name, value) in changes { members[name] = value }
        var text = ObjectText()
        for (name, value) in members { text.add(name, value) }
        return text.bytes
    }
}

/// Account lookups with a clock that the test advances and a Google server that the test plays.
struct AccountRig {
    let transport = FakeTransport()
    let time = ManualClock()
    let log = LogLines()
    let toolkit: IdentityToolkit
    let key: SigningKey

    /// - Parameter token: Whether an access token is already present, valid for an hour. Tests count the calls after
    ///   it.
    init(token: Bool = true, _ changes: [String: String?] = [:]) throws {
        key = try Self.key.get()
        var accounts = Configuration.FirebaseAccounts(serviceAccount: "unused")
        accounts.timeout = .milliseconds(1500)
        let environment = LookupEnvironment(
            transport: transport, clock: time.clock, logger: log.logger, wake: { _, _ in })
        toolkit = IdentityToolkit(
            accounts, project: "my-app",
            credential: .serviceAccount(
                try ServiceAccount(json: ServiceAccount.file(pem: key.pem(), changes), name: "sa.json")),
            environment: environment)
        guard token else { return }
        toolkit.start()
        answerToken(0)
    }

    /// One key for all tests, because its generation is slow.
    static let key = Result { try SigningKey.generate(.rs256, keyID: "k1") }

    /// The results of one lookup.
    final class Statuses: Sendable {
        private let statuses = Mutex<[AccountStatus]>([])

        var all: [AccountStatus] { statuses.withLock { $0 } }
        var states: [AccountStatus.State] { all.map(\.state) }
        func add(_ status: AccountStatus) { statuses.withLock { $0.append(status) } }
    }

    /// Looks up the account. A status of at most `seconds` seconds is accepted.
    @discardableResult
    func lookUp(_ uid: String, notOlderThan seconds: Double = 0) -> Statuses {
        lookUp(user: UserKey(uid), notOlderThan: seconds)
    }

    @discardableResult
    func lookUp(user: UserKey, notOlderThan seconds: Double = 0) -> Statuses {
        let statuses = Statuses()
        toolkit.lookUp(user, notBefore: time.monotonic - UInt64(seconds * 1e9)) { statuses.add($0) }
        return statuses
    }

    func answerToken(_ place: Int, lifetime: String = "3600", _ token: String = "at-1") {
        transport.answer(place, #"{"access_token":"\#(token)","expires_in":\#(lifetime),"token_type":"Bearer"}"#)
    }

    /// Responds to a lookup with the JSON of users.
    func answer(_ place: Int, _ users: String...) {
        transport.answer(
            place, #"{"kind":"identitytoolkit#GetAccountInfoResponse","users":["# + users.joined(separator: ",") + "]}")
    }

    /// Advances the clock and runs the tasks that are due.
    func advance(_ seconds: Double) {
        time.advance(seconds: seconds)
        toolkit.tick()
    }

    /// The uids of a lookup.
    func uids(_ place: Int) throws -> [String] {
        let document = try JSONDocument(transport.calls[place].request.body)
        return document.root["localId"].map { $0.elements.compactMap(\.string) } ?? []
    }
}

extension AccountStatus.State {
    static let good = AccountStatus.State.account(validSince: nil, disabled: false)
}
