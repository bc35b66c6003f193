package import Authentication
package import GatewayCore

extension Authorizer {
    /// Whether a stream that passed once may not go on: its user was disabled, or its credential revoked.
    ///
    /// Only what is known counts, however old: a stream is not ended because something could not be asked. Where nothing is known of somebody, they
    /// passed when the stream began.
    package func refusal(_ standing: Standing, account: AccountStatus.Answer?) -> DecisionCode? {
        if case .revoked(let code) = replicatedRevocation(standing) { return code }
        guard asksFirebase, standing.isFirebase, let account, case .deny(let denial)? = refusal(standing, account)
        else {
            return nil
        }
        return denial.code
    }
}
