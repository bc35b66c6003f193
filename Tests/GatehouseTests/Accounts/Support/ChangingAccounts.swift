import Synchronization

@testable import Gatehouse

/// Says one thing after the other of every account, and the last for good.
final class ChangingAccounts: AccountLookingUp {
    private let answers: Mutex<[AccountStatus.Answer]>

    init(_ answers: [AccountStatus.Answer]) { self.answers = Mutex(answers) }

    func look(_ user: UserKey, notBefore: UInt64, answer: @escaping @Sendable (AccountStatus) -> Void) {
        let next = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .unavailable }
        answer(AccountStatus(answer: next, askedAt: notBefore))
    }
}

/// Says that every account counts, and from the second question on that none does, after something else has happened.
final class EndingAccounts: AccountLookingUp {
    private struct State {
        var asked = 0
        var event: @Sendable () async -> Void = {}
    }

    private let state = Mutex(State())

    func beforeSecond(_ event: @escaping @Sendable () async -> Void) { state.withLock { $0.event = event } }

    func look(_ user: UserKey, notBefore: UInt64, answer: @escaping @Sendable (AccountStatus) -> Void) {
        let (asked, event) = state.withLock { state in
            state.asked += 1
            return (state.asked, state.event)
        }
        Task {
            if asked == 2 { await event() }
            answer(AccountStatus(answer: .account(validSince: nil, disabled: asked > 1), askedAt: notBefore))
        }
    }
}
