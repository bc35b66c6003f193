import DevelopmentIdentity
import Synchronization

@testable import OutboundHTTP

/// What providers answer about opaque tokens.
final class OpaqueAnswers: Sendable {
    private let answers = Mutex<[String: [UInt8]]>([:])
    private let isDown = Mutex(false)

    func add(_ token: DevelopmentIdentity.OpaqueToken) {
        answers.withLock { $0[token.text] = token.answer.bytes }
    }

    func fail() { isDown.withLock { $0 = true } }

    func reply(to question: HTTPQuestion) -> FakeAsker.Reply {
        if isDown.withLock({ $0 }) { return .success(HTTPReply(status: 500, body: [])) }
        let known = answers.withLock { answers in
            answers.first { question.bodyText.contains($0.key) }?.value
        }
        return .success(HTTPReply(status: known == nil ? 404 : 200, body: known ?? []))
    }
}
