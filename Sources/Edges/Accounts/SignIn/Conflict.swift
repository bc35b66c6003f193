import GatewayConfiguration
import GatewayCore
import JOSE

/// An answer that tells the client of an account that is not its own, with what may be done about it.
struct Conflict {
    let parts: AccountParts
    let keys: SessionKeys

    /// - Parameter pending: the token that the client gets instead of the proof that it used.
    func denial(
        _ code: DecisionCode, _ user: ProvenUser, _ pending: PendingToken
    ) throws(Refusal) -> Denial {
        var denial = Denial(code)
        var text = ObjectText()
        text.add("pending_token", try PendingTokens(keys: keys).text(of: pending, now: parts.clock.now()))
        if !parts.settings.hideAccountExistence, let email = user.email { text.add("email", email.address) }
        denial.members = text.members
        return denial
    }
}
