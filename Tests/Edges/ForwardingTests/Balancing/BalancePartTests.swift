import Testing

@testable import Forwarding

@Suite struct SipHashTests {
    @Test(arguments: [
        (0, 0xabac_0158_050f_c4dc as UInt64), (1, 0xc9f4_9bf3_7d57_ca93), (7, 0xd392_7d98_9bb1_1140),
        (8, 0x3690_9511_8d29_9a8e), (15, 0xd320_d86d_2a51_9956), (63, 0x9d19_9062_b7bb_b3a8),
    ]) func agreesWithTheReference(length: Int, expected: UInt64) {
        let hasher = SipHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
        #expect((0..<length).map { UInt8($0) }.withUnsafeBytes { hasher.hash($0) } == expected)
    }
}

@Suite struct RetryBudgetTests {
    @Test func aFewASecondAlwaysMay() {
        var budget = RetryBudget(percent: 0)
        budget.tick(now: 1_000_000_000)
        let taken = (1...5).map { _ in budget.take() }
        #expect(taken == [true, true, true, false, false])
        budget.tick(now: 1_900_000_000)
        #expect(budget.take() == false)
        budget.tick(now: 2_000_000_000)
        #expect(budget.take() == true)
    }

    @Test func moreMayWithMoreRequests() {
        var budget = RetryBudget(percent: 20)
        for _ in 0..<100 { budget.requestCame() }
        let taken = (0..<40).count { _ in budget.take() }
        #expect(taken == 23)
    }

    @Test func whatWasEarnedIsForgotten() {
        var budget = RetryBudget(percent: 20)
        budget.tick(now: 1_000_000_000)
        for _ in 0..<1000 { budget.requestCame() }
        budget.tick(now: 20_000_000_000)
        let taken = (0..<40).count { _ in budget.take() }
        #expect(taken == 3)
    }
}

@Suite struct HealthVerdictTests {
    @Test func changesAfterSoManyInARow() {
        var verdict = HealthVerdict(healthy: 2, unhealthy: 3)
        let checks = [false, false, true, false, false, false, true, false, true, true]
        let verdicts = checks.map { verdict.checked(passed: $0) }
        #expect(verdicts == [true, true, true, true, true, false, false, false, false, true])
    }
}

@Suite struct CertificateNameTests {
    @Test(arguments: [
        ("api.example.com", "api.example.com"), ("API.example.com.", "api.EXAMPLE.com"),
        ("*.example.com", "api.example.com"),
    ]) func bears(pattern: String, name: String) { #expect(CertificateName.matches(pattern, name)) }

    @Test(arguments: [
        ("api.example.com", "other.example.com"), ("*.example.com", "a.b.example.com"),
        ("*.example.com", "example.com"),
        ("*.com", "example.com"), ("a*.example.com", "api.example.com"), ("*", "localhost"), ("", ""),
        ("*.example.com", ".example.com"),
    ]) func doesNotBear(pattern: String, name: String) { #expect(!CertificateName.matches(pattern, name)) }
}
