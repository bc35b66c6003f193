import Authorization
import Gatehouse
import GatewayConfiguration
import RequestPipeline

/// The provider that introspects an opaque token, and the reason for the choice.
enum OpaqueChoice: Sendable {
    /// An index of the snapshot's `opaqueProviders`.
    case provider(Int, why: String)
    case noProvider(why: String)

    /// The index of the provider on the request path.
    var place: Int? {
        if case .provider(let place, _) = self { place } else { nil }
    }

    /// Returns the provider for a route.
    static func of(_ plan: RoutePlan, _ snapshot: Snapshot) -> OpaqueChoice {
        let ids = snapshot.opaqueProviders.map(\.id)
        guard let place = plan.opaqueProvider else {
            return .noProvider(
                why: ids.isEmpty ? noneConfigured : "\(several(ids)), and the route does not name exactly one of them")
        }
        let isNamed = plan.policy.providers.contains { $0.utf8.elementsEqual(ids[place].utf8) }
        return .provider(place, why: isNamed ? "the route names it" : onlyOne)
    }

    /// Returns the provider for `token inspect`: the named one, or the only one. Throws if the name is unknown.
    static func named(_ id: String?, _ snapshot: Snapshot) throws(TokenInspectionError) -> OpaqueChoice {
        let ids = snapshot.opaqueProviders.map(\.id)
        guard let id else {
            if ids.count == 1 { return .provider(0, why: onlyOne) }
            return .noProvider(why: ids.isEmpty ? noneConfigured : several(ids))
        }
        guard let place = ids.firstIndex(where: { $0.utf8.elementsEqual(id.utf8) }) else {
            throw .noSuchProvider(id, ids)
        }
        return .provider(place, why: "named")
    }

    static let noneConfigured = "no provider in identity.providers accepts opaque tokens"
    private static let onlyOne = "the only one that accepts opaque tokens"

    static func several(_ ids: [String]) -> String {
        "\(ids.joined(separator: ", ")) all take opaque tokens"
    }
}

/// The reason why a token cannot be inspected.
package struct TokenInspectionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error and its remedy.
    package let description: String

    private init(_ description: String) {
        self.description = description
    }

    static func noSuchProvider(_ id: String, _ ids: [String]) -> TokenInspectionError {
        let remedy =
            ids.isEmpty
            ? "configure its opaque tokens, or name none" : "name one of \(ids.joined(separator: ", "))"
        return TokenInspectionError(
            "\(ShownText.quoted(id)) is not a provider in identity.providers that accepts opaque tokens; \(remedy)")
    }

    static func unclearProvider(_ ids: [String]) -> TokenInspectionError {
        TokenInspectionError("an opaque token, and \(OpaqueChoice.several(ids)); choose one with --provider")
    }
}
