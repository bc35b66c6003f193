import GatewayConfiguration
import Revocation
import RevocationStores

/// What the store says of whose an identity at a provider is, when a request is explained.
enum OwnerEvidence: Sendable {
    /// The account, and where it was read; with its uid alone where nothing else is kept of it.
    case owner(AccountRecord, from: String)
    /// It is nobody's, and where that was read.
    case nobody(String)
    /// Nobody could say, and why.
    case unknown(String)
}

/// Finds the owners of identities, for diagnosis: in the store itself, since no API tells them.
struct OwnerEvidenceSource: Sendable {
    let lookUp: @Sendable (IdentityLink) async -> OwnerEvidence

    /// Looks nowhere.
    static let none = OwnerEvidenceSource { _ in .unknown("the link is not looked at") }

    static func live(_ configuration: Configuration) -> OwnerEvidenceSource {
        OwnerEvidenceSource { link in
            switch configuration.store {
            case .sqlite(let path): inFile(path, link)
            case .sqliteMemory: .unknown("the link is not looked at: the store is in the memory of the gateway")
            case .redis(let location): .unknown("the link is not looked at: it is in \(location)")
            }
        }
    }

    private static func inFile(_ path: String, _ link: IdentityLink) -> OwnerEvidence {
        do throws(StoreError) {
            guard let owner = try SQLiteLook.owner(path: path, of: link) else { return .nobody("read from \(path)") }
            return .owner(owner, from: "read from \(path)")
        } catch {
            guard error.code == .inUse else { return .unknown("\(path) cannot be read (\(error.code))") }
            return .unknown(
                "the link is not looked at: \(path) is in use by a gateway, which does not tell; stop it and ask again")
        }
    }
}
