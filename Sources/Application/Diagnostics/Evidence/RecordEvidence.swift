import Authentication
import Authorization
import GatewayConfiguration
import Revocation
import RevocationStores

/// The records of a user, of a session and of the identity that started it, for an explanation.
enum RecordEvidence: Sendable {
    /// The records and their location.
    case known(user: RecordWord, session: RecordWord, link: RecordWord = .none, source: String)
    /// The records could not be read, with the reason.
    case unknown(String)

    /// The location of the records, or the reason why they are missing.
    var source: String {
        switch self {
        case .known(_, _, _, let source): source
        case .unknown(let why): why
        }
    }

    var isKnown: Bool {
        if case .known = self { true } else { false }
    }

    /// Returns a store view with exactly these records.
    func view(of principal: Principal) -> StoreView {
        let view = StoreView()
        if case .known(let user, let session, let link, _) = self {
            view.setUser(principal.userKey, to: user)
            if principal.facts.hasLinkRecord { view.setUser(principal.facts.linkKey, to: link) }
            if principal.session != nil { view.setSession(principal.sessionKey, to: session) }
        }
        view.setAlwaysFresh()
        return view
    }
}

/// The lookup of a user's records: in the store itself, or through the gateway that has opened it.
struct RecordSource: Sendable {
    /// Looks up a user and a session. The session is `nil` if there is no session.
    let lookUp: @Sendable (_ user: UserKey, _ session: String?) async -> RecordEvidence

    static func live(_ configuration: Configuration) -> RecordSource {
        RecordSource { user, session in
            switch configuration.store {
            case .sqlite(let path): await inFile(path, user, session, configuration)
            case .sqliteMemory: await inMemory(user, session, configuration)
            case .redis(let location): await inRedis(location, user, session, configuration)
            }
        }
    }

    private static func inFile(
        _ path: String, _ user: UserKey, _ session: String?, _ configuration: Configuration
    ) async -> RecordEvidence {
        do throws(StoreError) {
            guard let records = try SQLiteLookup.records(path: path, of: user, session: session) else {
                return .known(user: .none, session: .none, source: "\(path) does not exist yet")
            }
            return .known(user: records.user, session: records.session, source: "read from \(path)")
        } catch {
            do throws(AdminClientError) {
                return try await asked(user, session, configuration)
            } catch let refusal {
                let why =
                    error.code == .inUse ? "\(path) is in use by a gateway" : "\(path) cannot be read (\(error.code))"
                return .unknown("\(why), and the admin API could not be called: \(refusal)")
            }
        }
    }

    private static func inMemory(
        _ user: UserKey, _ session: String?, _ configuration: Configuration
    ) async -> RecordEvidence {
        do throws(AdminClientError) {
            return try await asked(user, session, configuration)
        } catch  where error.isConnectionRefused {
            return .known(
                user: .none, session: .none, source: "the store is in memory and no gateway runs: it is empty")
        } catch {
            return .unknown("the store is in memory, and the admin API could not be called: \(error)")
        }
    }

    private static func inRedis(
        _ location: RedisLocation, _ user: UserKey, _ session: String?, _ configuration: Configuration
    ) async -> RecordEvidence {
        do throws(StoreError) {
            let records = try await RedisLookup.records(
                location, tokens: try configuration.storeTokens(), of: user, session: session)
            return .known(user: records.user, session: records.session, source: "read from \(location)")
        } catch {
            do throws(AdminClientError) {
                return try await asked(user, session, configuration)
            } catch let refusal {
                return .unknown(
                    "\(location) cannot be read (\(error)), and the admin API could not be called: \(refusal)")
            }
        }
    }

    private static func asked(
        _ user: UserKey, _ session: String?, _ configuration: Configuration
    ) async throws(AdminClientError) -> RecordEvidence {
        let client = try AdminClient(configuration.admin)
        let record = RecordWord(try await client.user(user).record)
        var sessionRecord = RecordWord.none
        if let session { sessionRecord = RecordWord(try await client.session(user, session).record) }
        return .known(
            user: record, session: sessionRecord, source: "from the gateway at \(client.address)")
    }
}

extension Configuration {
    /// Returns the source of the store's tokens. `nil` if the store uses none.
    func storeTokens() throws(StoreError) -> StoreTokenSource? {
        do throws(ServiceAccount.Failure) { return try StoreTokenSource(for: store) } catch {
            throw StoreError(.cannotOpen, "\(error); correct the identity for store.credentials")
        }
    }
}
