package import Authentication
import GatewayCore
package import Revocation

/// What the decision knows of a Firebase account.
package enum AccountView: Sendable, Equatable {
    /// It was not asked about, or so long ago that the answer counts no more.
    case notAsked
    case known(AccountStatus.Answer)
    /// It could not be asked about; with the last answer there was, however old.
    case failed(lastKnown: AccountStatus.Answer?)
}

extension Authorizer {
    /// What Identity Toolkit's word of a Firebase user leads to, after the store let the user pass: the stricter of both holds.
    ///
    /// - Returns: nil when the request may go on.
    package func decideAccount(
        _ policy: RoutePolicy, _ standing: Standing, at moment: Moment, storeFailure: (StoreFailure) -> Void
    ) -> Decision? {
        guard policy.revocation != .off, standing.isFirebase else { return nil }
        switch moment.account {
        case .notAsked: return .lookUp
        case .known(.unavailable), .failed(nil), .failed(.unavailable?):
            return afterFailure(policy, storeFailure)
        case .known(let answer): return refusal(standing, answer)
        case .failed(let answer?):
            // What is known is not forgotten because nothing newer can be learnt.
            return refusal(standing, answer) ?? afterFailure(policy, storeFailure)
        }
    }

    private func afterFailure(_ policy: RoutePolicy, _ storeFailure: (StoreFailure) -> Void) -> Decision? {
        storeFailure(.accountsUnavailable)
        return policy.allowsOnStoreFailure ? nil : .deny(Denial(.storeUnavailable))
    }

    func refusal(_ standing: Standing, _ answer: AccountStatus.Answer) -> Decision? {
        switch answer {
        case .account(_, disabled: true): .deny(Denial(.userDisabled))
        case .account(let validSince?, _) where standing.validityTime.isBefore(validSince):
            .deny(Denial(standing.kind.revokedCode))
        // The account was deleted: no token of it counts any more.
        case .missing: .deny(Denial(standing.kind.revokedCode))
        case .account, .unavailable: nil
        }
    }
}
