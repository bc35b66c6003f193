import Testing

@testable import SecurityRules

@Suite struct MemberTests {
    @Test(arguments: [
        ("token.map.a == 1", Expected.yes), ("token.map.b.c == 'deep'", .yes), ("token['map'].b['c'] == 'deep'", .yes),
        ("token.map.a == 2", .no), ("token.map.z", .fails(.noSuchMember)), ("token.map['z']", .fails(.noSuchMember)),
        ("token.none.a", .fails(.null)), ("token.none['a']", .fails(.null)), ("token.int.a", .fails(.noSuchMember)),
        ("token.odd.a", .fails(.unreadable)), ("token.odd['a']", .fails(.unreadable)),
        ("token.map[1]", .fails(.wrongKind)), ("token.map[token.odd]", .fails(.unreadable)),
        ("token.int['a']", .fails(.wrongKind)), ("auth.token.text == token.text", .yes), ("uid == auth.uid", .yes),
        ("provider == 'google'", .yes), ("{'a': 1, 'b': uid}.b == 'ada'", .yes),
        ("{'a': 1, 'a': 2}", .fails(.invalidArgument)), ("{uid: 1}.ada == 1", .yes), ("{1: 1}", .fails(.wrongKind)),
        ("{token.odd: 1}", .fails(.unreadable)),
    ])
    func `maps have members`(expression: String, outcome: Expected) throws { try expect(expression, outcome) }

    @Test(arguments: [
        ("token.list[0] == 1", Expected.yes), ("token.list[2] == 3", .yes), ("token.list[3]", .fails(.indexOutOfRange)),
        ("token.list[-1]", .fails(.indexOutOfRange)), ("token.list[token.max]", .fails(.indexOutOfRange)),
        ("token.list['a']", .fails(.wrongKind)), ("token.list[0.0]", .fails(.wrongKind)),
        ("token.list[1:3] == [2, 3]", .yes), ("token.list[1:1] == []", .yes),
        ("token.list[0:4]", .fails(.indexOutOfRange)), ("token.list[2:1]", .fails(.indexOutOfRange)),
        ("token.list[-1:1]", .fails(.indexOutOfRange)), ("token.list[0:'a']", .fails(.wrongKind)),
        ("token.none[0]", .fails(.null)), ("token.int[0]", .fails(.wrongKind)), ("token.oddList[0] == 1", .yes),
        ("token.oddList[1] == 1", .fails(.unreadable)),
    ])
    func `lists have elements`(expression: String, outcome: Expected) throws { try expect(expression, outcome) }

    @Test(arguments: [
        ("token.text[0] == 'ä'", Expected.yes), ("token.text[2] == 'c'", .yes),
        ("token.text[3]", .fails(.indexOutOfRange)), ("token.text[-1]", .fails(.indexOutOfRange)),
        ("token.text[token.max]", .fails(.indexOutOfRange)), ("token.text[0:2] == 'äb'", .yes),
        ("token.text[1:3] == 'bc'", .yes), ("token.text[3:3] == ''", .yes),
        ("token.text[0:4]", .fails(.indexOutOfRange)), ("token.text[2:1]", .fails(.indexOutOfRange)),
        ("token.text['a']", .fails(.wrongKind)), ("'e\u{301}'[0] == 'e'", .yes),
        ("token.odd[0:1]", .fails(.unreadable)), ("token.text[0:token.odd]", .fails(.unreadable)),
    ])
    func `strings are indexed by scalars`(expression: String, outcome: Expected) throws {
        try expect(expression, outcome)
    }

    @Test(arguments: [
        ("/a/b[0] == 'a'", Expected.yes), ("path('/a/b')[1] == 'b'", .yes),
        ("path('/a/b')[2]", .fails(.indexOutOfRange)),
        ("path('/a/b').x", .fails(.noSuchMember)), ("path('/a/b')['x']", .fails(.noSuchMember)),
    ])
    func `paths have segments`(expression: String, outcome: Expected) throws { try expect(expression, outcome) }

    @Test func `members of auth fail as those of null without a user`() throws {
        #expect(try failure(of: "auth.uid") == .null)
        #expect(try failure(of: "uid") == .null)
        #expect(try value(of: "auth == null").isTrue)
    }

    @Test func `an unknown name fails`() throws {
        #expect(try value(of: "nobody || true").isTrue)
        #expect(try value(of: "f_unknown(17) || true").isTrue)
        #expect(try failure(of: "nobody") == .noSuchMember)
    }
}
