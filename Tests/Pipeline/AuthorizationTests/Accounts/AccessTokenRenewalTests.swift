import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP
@testable import StoreFixtures

/// The renewal of access tokens of account lookups.
@Suite struct AccessTokenRenewalTests {
    @Test func `a token is renewed in advance without a lookup`() throws {
        let rig = try AccountRig()
        rig.advance(3374)
        #expect(rig.transport.count == 1)
        rig.advance(1)
        #expect(rig.transport.count == 2)
        rig.answerToken(1, "at-2")
        rig.lookUp("a")
        #expect(rig.transport.calls[2].request.field("authorization") == "Bearer at-2")
    }

    @Test func `a fetch that does not end counts as failed, and its late result is ignored`() throws {
        let rig = try AccountRig()
        rig.advance(3375)
        #expect(rig.transport.count == 2)
        rig.advance(5.25)
        #expect(rig.log.all.isEmpty, "three steps of 1.5 s and a reserve of 1 s")
        rig.advance(0.25)
        #expect(rig.log.text.contains("the fetch of an access token has not ended"))
        rig.advance(1)
        #expect(rig.transport.count == 3)
        rig.answerToken(1, "late")
        rig.answerToken(2, "at-2")
        rig.lookUp("a")
        #expect(rig.transport.calls[3].request.field("authorization") == "Bearer at-2")
    }

    @Test func `failed renewals are repeated with growing pauses, until the token expires`() throws {
        let rig = try AccountRig()
        var count = 1
        for pause in [0.0, 1, 2, 4, 8, 16, 32, 60] {
            if pause > 0 {
                rig.advance(pause / 2 - 0.01)
                #expect(rig.transport.count == count, "not before half of \(pause) s")
                rig.advance(pause / 2 + 0.01)
            } else {
                rig.advance(3375)
            }
            count += 1
            #expect(rig.transport.count == count, "after \(pause) s")
            rig.transport.answer(count - 1, 503, "")
        }
        rig.advance(300)
        #expect(!rig.toolkit.hasToken && rig.transport.count == count, "an expired token is fetched by a lookup")
    }
}
