import Accounts
import Gatehouse
import GatewayConfiguration
import JOSE
import Revocation
import RevocationStores

/// The lookup of issuer and keys of session cookies for diagnosis: in the configuration and its files, or in the store.
/// It creates nothing.
struct SessionEvidenceSource: Sendable {
    let lookUp: @Sendable () async -> KeyEvidence

    /// A source that performs no lookups.
    static let none = SessionEvidenceSource { .noSessions("the keys of session cookies were not looked up") }

    static func live(_ configuration: Configuration, _ snapshot: Snapshot) -> SessionEvidenceSource {
        guard let accounts = configuration.accounts else { return none }
        let files = snapshot.sessionKeyFiles
        let search = SessionSearch(issuer: accounts.issuer, current: files?.current, previous: files?.previous ?? [])
        return SessionEvidenceSource { search.finding(in: configuration.store) }
    }
}

/// The configured part of the session cookie settings, and the search for the rest.
struct SessionSearch: Sendable {
    /// `nil` if the store contains it.
    let issuer: String?
    /// `nil` if the store contains it.
    let current: SigningKey?
    let previous: [SigningKey]

    func finding(in store: Configuration.StoreLocation) -> KeyEvidence {
        if let issuer, let current { return found(issuer, current, "accounts.session_key") }
        switch store {
        case .sqlite(let path): return inFile(path)
        case .sqliteMemory:
            return .noSessions("\(missing), which is in memory and new after each start; \(advice)")
        case .redis(let location):
            // With Redis, the key is always in a file.
            return .noSessions("\(missing), in \(location), which is not read; \(advice)")
        }
    }

    private func inFile(_ path: String) -> KeyEvidence {
        do throws(StoreError) {
            let names = [SessionAuthority.issuerSetting, SessionAuthority.keySetting]
            guard let settings = try SQLiteLookup.settings(path: path, names) else {
                return .noSessions("\(missing), in \(path), which does not exist yet: a gateway that starts makes it")
            }
            return read(settings, path)
        } catch {
            guard error.code == .inUse else {
                return .noSessions("\(missing), and \(path) cannot be read (\(error.code))")
            }
            return .noSessions(
                "\(missing), in \(path), which a running gateway has locked; \(advice), or stop that gateway and repeat the command"
            )
        }
    }

    private func read(_ settings: [String: [UInt8]], _ place: String) -> KeyEvidence {
        let stored = settings[SessionAuthority.keySetting].flatMap { try? SigningKey(pem: $0, algorithm: .es256) }
        let storedIssuer = settings[SessionAuthority.issuerSetting].map { String(decoding: $0, as: UTF8.self) }
        guard let issuer = issuer ?? storedIssuer, let key = current ?? stored else {
            return .noSessions("\(missing), in \(place), where it was not made yet: a gateway that starts makes it")
        }
        return found(issuer, key, current == nil ? place : "accounts.session_key")
    }

    private func found(_ issuer: String, _ key: SigningKey, _ place: String) -> KeyEvidence {
        do {
            return .sessions(try SessionKeys(issuer: issuer, current: key, previous: previous), from: place)
        } catch {
            return .noSessions("the keys of \(place) cannot be used (\(error))")
        }
    }

    private var missing: String {
        switch (issuer, current) {
        case (nil, nil): "the issuer and the key of session cookies are kept by the store"
        case (_, nil): "the key of session cookies is kept by the store"
        default: "the issuer of session cookies is kept by the store"
        }
    }

    private var advice: String {
        current == nil
            ? "to check without it, name accounts.session_key and accounts.issuer"
            : "to check without it, name accounts.issuer"
    }
}
