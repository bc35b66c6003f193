import GatewayCore
import Testing

@Suite struct DecisionCodeTests {
    @Test func `the count is the number of codes`() {
        #expect(DecisionCode.count == DecisionCode.allCases.count)
        #expect(DecisionCode.allCases.map { Int($0.rawValue) } == Array(0..<DecisionCode.count))
    }

    @Test func `every code has its own name`() {
        #expect(Set(DecisionCode.allCases.map(\.wire.description)).count == DecisionCode.count)
    }

    @Test(arguments: DecisionCode.allCases)
    func `a code has an area, texts without escapes, and a challenge for 401`(code: DecisionCode) {
        for text in [code.wire, code.title, code.detail] {
            #expect(text.description.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
        }
        if code.status == 401 {
            #expect(code.challenge != .none)
            #expect((code.challenge == .plain) == (code == .missingCredential))
        }
        guard code != .ok else { return }
        let areas: Set = ["request", "auth", "route", "client", "gateway", "upstream", "app-check"]
        #expect(areas.contains(String(code.wire.description.prefix { $0 != "/" })))
        guard code != .clientClosed else { return }
        #expect(!code.title.description.isEmpty)
        #expect(code.detail.description.hasSuffix("."))
    }

    @Test func `a step-up is challenged with insufficient_user_authentication`() {
        #expect(DecisionCode.requiresRecentLogin.challenge == .insufficientUserAuthentication)
        #expect(DecisionCode.secondFactorRequired.challenge == .insufficientUserAuthentication)
    }

    @Test(arguments: [DecisionCode.missingAppToken, .invalidAppToken, .appTokenExpired])
    func `a refused App Check token is not challenged as a user's token`(code: DecisionCode) {
        #expect(code.status == 401)
        #expect(code.challenge == (code == .missingAppToken ? .appCheck : .invalidAppToken))
    }

    @Test(arguments: [DecisionCode.keysUnavailable, .appKeysUnavailable, .storeUnavailable, .introspectionUnavailable])
    func `an outage is never a 401`(code: DecisionCode) {
        #expect(code.status == 503 && code.carriesRetryAfter && code.challenge == .none)
    }
}
