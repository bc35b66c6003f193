import Authentication
import JOSE
import Revocation

/// Whether a user has to be asked before an account that hides who they are is connected with what tells it, or the other way round.
///
/// Apple's guidelines ask that of whoever takes "Hide My Email": an address, a phone number or a social account must not be connected with
/// an anonymised Apple ID without the user's explicit consent.
struct ConsentRule {
    let account: AccountRecord
    let caller: Principal

    func asksConsent(to user: ProvenUser) -> Bool {
        isAnonymous != (user.email?.isPrivate ?? false)
    }

    /// The account's address: the stored one; of an account that was not made here what its credential says.
    var email: ProvenEmail? {
        account.email == nil && account.created == nil ? ProvenEmail(caller.claims.root) : nil
    }

    /// Whether nothing but an anonymised Apple ID is known of the account.
    private var isAnonymous: Bool {
        let isRelay = account.email.map(ProvenEmail.isRelay) ?? email?.isPrivate ?? false
        return isRelay && kinds.allSatisfy { $0.utf8.elementsEqual("apple.com".utf8) }
    }

    private var kinds: [String] {
        guard account.created == nil else { return Array(account.links.keys) }
        return account.links.keys + caller.identityKinds.filter { !$0.utf8.elementsEqual("email".utf8) }
    }
}
