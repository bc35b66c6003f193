import Testing

@testable import SecurityRules
@testable import SystemFixtures

/// Files with bytes changed, removed and repeated: the findings stay within their bounds.
@Suite struct CheckedMutationTests {
    private static let file = """
        rules_version = '2';
        service gatehouse.http {
          function owner(id) { let who = request.auth; return who != null && who.uid == id; }
          function recent(n) { return recentSignIn(duration.value(n, 'm')) || request.time < timestamp.date(2027, 1, 1); }
          match /v1/{uid} {
            function role(r) { return r in auth.token.get('roles', [])[0:2] && uid.matches('[a-z]+(x|y){2,3}'); }
            allow get, list: if owner(uid) || role('admin') && -auth.token.n % 7 >= 2.5e0;
            allow write: if recent(5) ? request.path == /v1/$(uid) : {'a': 1}.diff({'b': b'x'}).addedKeys() == [].toSet();
            match /{rest=**} { allow delete: if rest[0] is string && !(request.headers['x-a'] != 'b'); }
          }
        }
        """

    @Test(arguments: 0..<16)
    func `a mutated file has findings within the bounds`(seed: Int) {
        var random = Generator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1)
        for _ in 0..<Thoroughness.rounds(15, full: 60) {
            var bytes = Array(Self.file.utf8)
            for _ in 0..<(1 + random.below(4)) { mutate(&bytes, &random) }
            let findings = Checked.file(String(decoding: bytes, as: UTF8.self))
            let problems = findings.errors + findings.warnings
            #expect(problems.count <= 2 * RuleProblems.maximumCount)
            #expect(problems.allSatisfy { $0.description.utf8.count < 800 && !$0.description.utf8.contains(10) })
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout Generator) {
        let start = random.below(bytes.count)
        let end = min(bytes.count, start + 1 + random.below(12))
        switch random.below(4) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.insert(contentsOf: bytes[start..<end], at: random.below(bytes.count))
        case 2: bytes[start] = Array("(){}[].,;:'!&|=<>+-*/%$ab0 ".utf8)[random.below(27)]
        default: bytes.swapAt(start, random.below(bytes.count))
        }
    }

    private struct Generator {
        var state: UInt64

        mutating func below(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
    }
}
