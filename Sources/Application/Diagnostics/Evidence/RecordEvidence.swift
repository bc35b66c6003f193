import Authentication
import GatewayConfiguration
import Revocation
import RevocationStores

/// What is known of a user, one of their sessions and the identity that began it when a request is explained.
enum RecordEvidence: Sendable {
    /// The records, and where they were read.
    case known(user: RecordWord, session: RecordWord, link: RecordWord = .none, source: String)
    /// Nobody could say, and why.
    case unknown(String)

    /// Where it was read, or why it was not.
    var source: String {
        switch self {
        case .known(_, _, _, let source): source
        case .unknown(let why): why
        }
    }

    var isKnown: Bool {
        if case .known = self { true } else { false }
    }

    /// A store's view that holds these records and no others.
    func view(of principal: Principal) -> StoreView {
        let view = StoreView()
        if case .known(let user, let session, let link, _) = self {
            view.setUser(principal.userKey, to: user)
            if principal.standing.hasLinkRecord { view.setUser(principal.standing.linkKey, to: link) }
            if principal.session != nil { view.setSession(principal.sessionKey, to: session) }
        }
        view.setAlwaysFresh()
        return view
    }
}

/// Finds the records of a user: in the store itself, or by asking the gateway that has it.
struct RecordSource: Sendable {
    /// - Parameter session: nil where there is none.
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
            guard let records = try SQLiteLook.records(path: path, of: user, session: session) else {
                return .known(user: .none, session: .none, source: "\(path) does not exist yet")
            }
            return .known(user: records.user, session: records.session, source: "read from \(path)")
        } catch {
            do throws(AdminClientError) {
                return try await asked(user, session, configuration)
            } catch let refusal {
                let why =
                    error.code == .inUse ? "\(path) is in use by a gateway" : "\(path) cannot be read (\(error.code))"
                return .unknown("\(why), and the admin API could not be asked: \(refusal)")
            }
        }
    }

    private static func inMemory(
        _ user: UserKey, _ session: String?, _ configuration: Configuration
    ) async -> RecordEvidence {
        do throws(AdminClientError) {
            return try await asked(user, session, configuration)
        } catch  where error.meansNoGateway {
            return .known(
                user: .none, session: .none, source: "the store is in memory and no gateway runs: it is empty")
        } catch {
            return .unknown("the store is in memory, and the admin API could not be asked: \(error)")
        }
    }

    private static func inRedis(
        _ location: RedisLocation, _ user: UserKey, _ session: String?, _ configuration: Configuration
    ) async -> RecordEvidence {
        do throws(StoreError) {
            let records = try await RedisLook.records(location, of: user, session: session)
            return .known(user: records.user, session: records.session, source: "read from \(location)")
        } catch {
            do throws(AdminClientError) {
                return try await asked(user, session, configuration)
            } catch let refusal {
                return .unknown(
                    "\(location) cannot be read (\(error)), and the admin API could not be asked: \(refusal)")
            }
        }
    }

    private static func asked(
        _ user: UserKey, _ session: String?, _ configuration: Configuration
    ) async throws(AdminClientError) -> RecordEvidence {
        let client = try AdminClient(configuration.admin)
        let record = RecordWord(try await client.user(user))
        var sessionRecord = RecordWord.none
        if let session { sessionRecord = RecordWord(try await client.session(user, session)) }
        return .known(
            user: record, session: sessionRecord, source: "told by the gateway at \(client.address)")
    }
}
