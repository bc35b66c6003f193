@testable import SecurityRules
import Testing

@Suite struct StatementTests {
    @Test func aFileHasFunctionsMatchesAndAllows() throws {
        let (ruleset, errors, warnings) = file(
            """
            rules_version = '2';  // as Firestore's
            service gatehouse.http {
              function signedIn() { return request.auth != null; }
              match /v1/users/{uid}/{rest=**} {
                allow read: if signedIn() && request.auth.uid == uid;
                allow write, get: if request.auth.token.email_verified;
                allow delete;
                match /a { function f(a, b) { let c = a; let d = b + c; return d; } /* none */ }
              }
            }
            """)
        #expect(errors == [] && warnings == [])
        #expect(
            text(of: try #require(ruleset)) == "signedIn(){(!= (. request auth) null)} [/v1/users/{uid}/{rest=**}"
                + " allow(get,list: (&& (signedIn()) (== (. (. request auth) uid) uid)))"
                + " allow(get,create,update,delete: (. (. (. request auth) token) email_verified)) allow(delete: always)"
                + " [/a f(a,b){c=a; d=(+ b c); d}]]")
    }
}
