import GatewayConfiguration
import Revocation
import RevocationStores

/// The owner of an identity at a provider, for an explanation.
enum OwnerEvidence: Sendable {
    /// The account and its location. It contains only the uid if there is no record of it.
    case owner(AccountRecord, from: String)
    /// The identity has no owner; with the location of that information.
    case unowned(String)
    /// The owner could not be determined, with the reason.
    case unknown(String)
}

/// The lookup of owners for diagnosis. It reads the store itself, because no API exposes owners.
struct OwnerEvidenceSource: Sendable {
    let lookUp: @Sendable (IdentityLink) async -> OwnerEvidence

    /// A source that performs no lookups.
    static let none = OwnerEvidenceSource { _ in .unknown("the link was not checked") }

    static func live(_ configuration: Configuration) -> OwnerEvidenceSource {
        OwnerEvidenceSource { link in
            switch configuration.store {
            case .sqlite(let path): inFile(path, link)
            case .sqliteMemory: .unknown("the link was not checked: the store is in the memory of the gateway")
            case .redis(let location): .unknown("the link was not checked: it is in \(location)")
            }
        }
    }

    private static func inFile(_ path: String, _ link: IdentityLink) -> OwnerEvidence {
        do throws(StoreError) {
            guard let owner = try SQLiteLookup.owner(path: path, of: link) else { return .unowned("read from \(path)") }
            return .owner(owner, from: "read from \(path)")
        } catch {
            guard error.code == .inUse else { return .unknown("\(path) cannot be read (\(error.code))") }
            return .unknown(
                "the link was not checked: \(path) is in use by a gateway, which does not expose links; stop it and repeat the command"
            )
        }
    }
}
