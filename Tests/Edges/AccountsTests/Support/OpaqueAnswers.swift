import DevelopmentIdentity
import Synchronization

@testable import CoreFixtures
@testable import OutboundHTTP

/// What providers answer about opaque tokens.
final class OpaqueAnswers: Sendable {
    private let answers = Mutex<[String: [UInt8]]>([:])
    private let isDown = Mutex(false)

    func add(_ token: DevelopmentIdentity.OpaqueToken) {
        answers.withLock { $0[token.text] = token.response.bytes }
    }

    func fail() { isDown.withLock { $0 = true } }

    func reply(to request: OutboundRequest) -> FakeTransport.Reply {
        if isDown.withLock({ $0 }) { return .success(OutboundResponse(status: 500, body: [])) }
        let known = answers.withLock { answers in
            answers.first { request.bodyText.contains($0.key) }?.value
        }
        return .success(OutboundResponse(status: known == nil ? 404 : 200, body: known ?? []))
    }
}
