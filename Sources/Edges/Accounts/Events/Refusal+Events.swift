import Authentication
import GatewayCore
import Revocation

/// Of events: what their senders are told. They are servers, whose operators read it.
extension Refusal {
    /// An event's token does not count.
    ///
    /// - Parameter detail: what the sender can mend.
    static func event(
        _ reason: String,
        detail: String = "Send a token that you signed for this service's audience, unchanged and in time."
    ) -> Refusal {
        Refusal(.invalidCredential, reason: reason, detail: detail)
    }

    init(event failure: VerificationFailure) {
        self =
            failure.code == .internalError
            ? Refusal(.internalError, reason: failure.reason.rawValue) : .event(failure.reason.rawValue)
    }

    /// What the sender can repeat later, and should: nothing was forgotten, and what was done may be done again.
    init(event error: StoreError) {
        self.init(.storeUnavailable, reason: "the store: \(error.code)")
    }
}
