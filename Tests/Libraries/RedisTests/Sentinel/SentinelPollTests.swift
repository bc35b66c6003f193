import Testing

@testable import Redis

/// Rounds of queries to all sentinels.
struct SentinelPollTests {
    private static let second: UInt64 = 1_000_000_000
    private static func endpoint(_ number: Int) -> RedisEndpoint { RedisEndpoint(host: "h\(number)", port: number) }

    private static func finding(_ answers: [Int?], by poll: inout SentinelPoll, at now: UInt64) -> SentinelPoll.Finding?
    {
        poll.begin(at: now)
        var finding: SentinelPoll.Finding?
        for answer in answers {
            #expect(finding == nil)
            finding = poll.answered(answer.map(endpoint))
        }
        return finding
    }

    private static func poll(_ count: Int) -> SentinelPoll { SentinelPoll(count: count, quorumLimit: 4 * second) }

    @Test(
        arguments: [
            ([1, 1, 1], 1), ([2, 1, 2], 2), ([1, nil, 1], 1), ([1, 2, nil], nil), ([1, nil, nil], nil),
            ([nil, nil, nil], nil),
            ([1], 1), ([1, 2], nil), ([1, nil], nil), ([1, 1], 1), ([1, 1, 2, 2], nil), ([], nil),
        ] as [([Int?], Int?)])
    func `more than half of all sentinels name the master`(answers: [Int?], named: Int?) {
        var poll = Self.poll(answers.count)
        #expect(Self.finding(answers, by: &poll, at: 0)?.named == named.map(Self.endpoint))
    }

    @Test(
        arguments: [
            ([1, 1, nil], true), ([1, 2, nil], false), ([1, nil, nil], false), ([1, nil], true), ([nil, nil], false),
            ([nil], false), ([1, 1, nil, nil], true), ([1, 1, nil, nil, nil], false), ([1, 2, 2], true),
            ([1, 2], false), ([1, 1, 2, nil], true), ([1, 1, 2, 2], false), ([1, 2, 2, nil, nil], false),
        ] as [([Int?], Bool)])
    func `half of the sentinels with one answer are a quorum, since every failover needs the vote of one of them`(
        answers: [Int?], isQuorate: Bool
    ) {
        var poll = Self.poll(answers.count)
        var finding: SentinelPoll.Finding?
        for round in 0..<6 { finding = Self.finding(answers, by: &poll, at: UInt64(round) * Self.second) }
        #expect(finding?.isQuorate == isQuorate)
    }

    @Test func `a quorum is lost after its limit and returns with one round`() {
        var poll = Self.poll(3)
        #expect(Self.finding([1, 1, 1], by: &poll, at: 10 * Self.second)?.isQuorate == true)
        for second: UInt64 in [11, 12, 13] {
            #expect(Self.finding([1, nil, nil], by: &poll, at: second * Self.second)?.isQuorate == true)
        }
        #expect(Self.finding([1, nil, nil], by: &poll, at: 14 * Self.second)?.isQuorate == false)
        #expect(Self.finding([nil, 1, 1], by: &poll, at: 15 * Self.second)?.isQuorate == true)
        #expect(Self.finding([nil, nil, nil], by: &poll, at: 16 * Self.second)?.isQuorate == true)
    }

    @Test func `a pause of the process alone does not end the quorum`() {
        var poll = Self.poll(1)
        #expect(Self.finding([1], by: &poll, at: 0)?.isQuorate == true)
        for second: UInt64 in [60, 61] {
            #expect(Self.finding([nil], by: &poll, at: second * Self.second)?.isQuorate == true)
        }
        #expect(Self.finding([nil], by: &poll, at: 62 * Self.second)?.isQuorate == false)
    }

    @Test func `an answer outside of a round is ignored`() {
        var poll = Self.poll(1)
        #expect(poll.answered(Self.endpoint(1)) == nil)
        #expect(Self.finding([1], by: &poll, at: 0) != nil)
        #expect(poll.answered(Self.endpoint(1)) == nil)
    }
}
