import Testing

@testable import SecurityRules

/// Values of fields, worked out once for each token.
@Suite struct CheckedValueTests {
    @Test(arguments: [
        "token.role", "uid", "provider", "auth.uid", "auth.token.role", "token.get('role', 'none')",
        "token.roles.join(',')", "'admin' in token.get('roles', []) ? 'admin' : 'user'", "token.email.lower()",
        "timestamp.value(token.auth_time * 1000)", "token", "token.keys().toSet()", "hashing.sha256(uid).toHexString()",
        "token.level + 1", "provider == 'google'", "token.a ? 'a' : null",
    ])
    func aValueOfATokenIsAccepted(value: String) {
        let findings = Checked.value(value)
        #expect(findings.errors.map(\.description) == [] && findings.warnings.map(\.description) == [])
    }

    @Test(arguments: [
        CheckedRow("request.path[0]", "1:1", "there is no request here: this is worked out once for each token"),
        CheckedRow("request.auth.uid", "1:1", "use auth, uid, provider or token"),
        CheckedRow("now", "1:1", "there is no time here"),
        CheckedRow("recentSignIn(duration.value(5, 'm'))", "1:1", "recentSignIn is of a request"),
        CheckedRow("secondFactor()", "1:1", "secondFactor is of a request"),
        CheckedRow("email", "1:1", "a claim is a member of the token: token.email"),
        CheckedRow("tokens.role", "1:1", "did you mean token?"),
        CheckedRow("auth.role", "1:6", "auth.token.role"),
        CheckedRow("isOwner(uid)", "1:1", "there is no function 'isOwner'; use one of the language"),
        CheckedRow("token.role == null ? 'a' : 'b'", "1:1", "write !('role' in token)"),
        CheckedRow("uid == null ? 'a' : 'b'", "1:1", "take the comparison away"),
        CheckedRow("auth == null", "1:1", "this is never true: auth is a map, never null"),
        CheckedRow("null", "1:1", "null makes no field"),
        CheckedRow("hashing.sha256(uid)", "1:1", "a field cannot have bytes; write hashing.sha256(uid).toBase64()"),
        CheckedRow("duration.value(5, 'm')", "1:1", "write duration.value(5, 'm').seconds()"),
        CheckedRow("path('/a')", "1:1", "write string(path('/a'))"),
        CheckedRow("token.diff({})", "1:1", "write token.diff({}).affectedKeys()"),
    ])
    func whatIsOfARequestIsRefused(row: CheckedRow) {
        expect(Checked.value(row.source).errors, toTell: row)
    }
}
