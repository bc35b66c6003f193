import Authorization
import Revocation
import Synchronization

/// Says one thing after the other of every account, and the last for good.
final class ChangingAccounts: AccountLookingUp {
    private let answers: Mutex<[AccountStatus.Answer]>

    init(_ answers: [AccountStatus.Answer]) { self.answers = Mutex(answers) }

    func look(_ user: UserKey, notBefore: UInt64, answer: @escaping @Sendable (AccountStatus) -> Void) {
        let next = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .unavailable }
        answer(AccountStatus(answer: next, askedAt: notBefore))
    }
}
