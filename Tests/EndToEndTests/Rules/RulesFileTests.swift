import DevelopmentIdentity
import Testing

/// The rules file of `RulesFileTests`.
private enum RulesFileText {
    static let rules = """
        rules_version = '2';
        service gatehouse.http {
          function isAdmin() { return request.auth.token.admin == true; }
          match /me/{rest=**} {
            allow read: if request.auth != null;
            allow delete: if recentSignIn(duration.value(5, 'm'));
          }
          match /users/{uid}/{rest=**} {
            allow read, write: if request.auth.uid == uid || isAdmin();
          }
          match /optional/{name} {
            allow get: if true;
            allow create: if request.auth != null;
          }
          match /recent/{rest=**} {
            allow get: if recentSignIn(duration.value(1, 'm'));
          }
          match /loose/admin {
            allow get: if isAdmin();
          }
          match /loose/open/{rest=**} {
            allow get;
          }
        }
        """
}

/// A rules file for every route that authenticates, tested from outside.
@Suite(
    .sharedScenario { configuration in
        configuration["rules"] = "api.rules"
        configuration.files["api.rules"] = RulesFileText.rules
        configuration.routes.insert(
            "path: '/users/{uid}/{rest=**}', allow: auth.token.email_verified == true, upstream: api", at: 0)
        configuration.routes.insert("path: '/loose/{rest=**}', case_insensitive: true, upstream: api", at: 0)
    }) struct RulesFileTests: SharedScenarioSuite
{
    private func verified(_ user: DevelopmentUser = .ada, _ change: (FirebaseToken) -> FirebaseToken = { $0 }) throws
        -> String
    {
        try scenario.token(user) { change($0.setting("email_verified", to: true)) }
    }

    private func status(_ token: String, _ target: String, _ method: String = "GET") throws -> Int {
        try scenario.send(.bearer(token, target).by(method)).status
    }

    @Test func `a request that an allow statement matches passes`() throws {
        let token = try scenario.token()
        for target in ["/me", "/me/", "/me/x", "/me/x/y/"] { #expect(try status(token, target) == 200, "\(target)") }
        #expect(try status(token, "/me/x", "HEAD") == 200)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "OPTIONS", "PROPFIND", "get"])
    func `a request that no allow statement matches is denied`(_ method: String) throws {
        let response = try scenario.send(.bearer(scenario.token(), "/me/x").by(method))
        expectDenial(response, 403, "auth/permission-denied")
    }

    @Test func `a path without a match is denied`() throws {
        let token = try scenario.token()
        for target in ["/strict/x", "/unrevocable/x", "/methods"] {
            #expect(try status(token, target) == 403, "\(target)")
        }
    }

    @Test func `rules do not apply to routes without authentication`() throws {
        #expect(try scenario.send(.get("/public/x")).status == 200)
    }

    @Test func `the requirements of the route are checked first`() throws {
        expectDenial(
            try scenario.send(.bearer(scenario.token(), "/second/x")), 401, "auth/second-factor-required",
            challenge: #"Bearer error="insufficient_user_authentication""#)
        expectDenial(try scenario.send(.get("/me/x")), 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test func `the rules file and the route must both permit a request`() throws {
        #expect(try status(verified(), "/users/ada/x") == 200)
        #expect(try status(verified(.grace), "/users/ada/x") == 403)
        #expect(try status(verified(.grace) { $0.setting("admin", to: true) }, "/users/ada/x") == 200)
        let unverified = try scenario.token { $0.setting("email_verified", to: false) }
        #expect(try status(unverified, "/users/ada/x") == 403)
        #expect(try status(unverified, "/me/x") == 200)
    }

    @Test func `methods have their own conditions`() throws {
        let old = try scenario.token { $0.signedIn(at: unixNow() - 4000) }
        #expect(try status(old, "/me/x") == 200)
        expectDenial(
            try scenario.send(.bearer(old, "/me/x").by("DELETE")), 401, "auth/requires-recent-login",
            challenge: #"Bearer error="insufficient_user_authentication", max_age="300""#)
        #expect(try status(scenario.token(), "/me/x", "DELETE") == 200)
    }

    @Test func `I-08: the stricter of route and rule applies`() throws {
        let within = { (age: Int64) in try scenario.token { $0.signedIn(at: unixNow() - age) } }
        #expect(try status(within(10), "/recent/x") == 200)
        let rule = try scenario.send(.bearer(within(200), "/recent/x"))
        #expect(rule["WWW-Authenticate"]?.contains(#"max_age="60""#) == true)
        let route = try scenario.send(.bearer(within(4000), "/recent/x"))
        #expect(route["WWW-Authenticate"]?.contains(#"max_age="300""#) == true)
    }

    @Test func `rules can permit anonymous requests`() throws {
        #expect(try scenario.send(.get("/optional/x")).status == 200)
        expectDenial(
            try scenario.send(.post("/optional/x")), 401, "auth/missing-credential", challenge: "Bearer")
        #expect(try status(scenario.token(), "/optional/x", "POST") == 200)
        // A path that ends in `/` is a `list` request, which no `allow` statement permits here.
        #expect(try scenario.send(.get("/optional/x/")).status == 401)
    }

    @Test func `literals match case-sensitively on every route`() throws {
        let admin = try scenario.token { $0.setting("admin", to: true) }
        #expect(try status(admin, "/loose/admin") == 200)
        #expect(try status(scenario.token(), "/loose/admin") == 403)
        for target in ["/loose/ADMIN", "/LOOSE/admin", "/Loose/open/x"] {
            #expect(try status(admin, target) == 403, "\(target)")
        }
        #expect(try status(scenario.token(), "/loose/open/../admin") == 403)
    }
}
