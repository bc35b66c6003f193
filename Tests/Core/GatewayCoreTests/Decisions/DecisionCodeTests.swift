import GatewayCore
import Testing

@Suite struct DecisionCodeTests {
    @Test func theCountIsTheNumberOfCodes() {
        #expect(DecisionCode.count == DecisionCode.allCases.count)
        #expect(DecisionCode.allCases.map { Int($0.rawValue) } == Array(0..<DecisionCode.count))
    }

    @Test func noTwoCodesAreSpelledAlike() {
        #expect(Set(DecisionCode.allCases.map(\.wire.description)).count == DecisionCode.count)
    }

    @Test func everySpellingButOKNamesItsArea() {
        let areas: Set = ["request", "auth", "route", "client", "gateway", "upstream"]
        for code in DecisionCode.allCases where code != .ok {
            #expect(areas.contains(String(code.wire.description.prefix { $0 != "/" })), "\(code)")
        }
    }

    @Test func each401CarriesAChallengeAndOnlyAMissingCredentialCarriesNoError() {
        for code in DecisionCode.allCases where code.status == 401 {
            #expect(code.challenge != .none, "\(code)")
            #expect((code.challenge == .plain) == (code == .missingCredential), "\(code)")
        }
    }

    @Test func aStepUpIsToldWithInsufficientUserAuthentication() {
        #expect(DecisionCode.requiresRecentLogin.challenge == .insufficientUserAuthentication)
        #expect(DecisionCode.secondFactorRequired.challenge == .insufficientUserAuthentication)
    }

    @Test func anOutageIsNeverA401() {
        for code in [DecisionCode.keysUnavailable, .storeUnavailable, .introspectionUnavailable] {
            #expect(code.status == 503)
            #expect(code.carriesRetryAfter)
            #expect(code.challenge == .none)
        }
    }

    @Test func whatAClientReadsStandsInJSONAndHeadersAsItIs() {
        for code in DecisionCode.allCases {
            for text in [code.wire, code.title, code.detail] {
                #expect(text.description.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
            }
        }
    }

    @Test func everyCodeThatAClientReadsSaysWhatToDo() {
        for code in DecisionCode.allCases where code != .ok && code != .clientClosed {
            #expect(!code.title.description.isEmpty)
            #expect(code.detail.description.hasSuffix("."), "\(code)")
        }
    }
}
