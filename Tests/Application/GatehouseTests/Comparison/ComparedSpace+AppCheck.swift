@testable import CoreFixtures
@testable import GatewayCore
@testable import GatewayFixtures
import JOSE

extension ComparedSpace {
    private static let appRoutes: [String] =
        ["monitor", "enforce"].flatMap { mode in
            [
                "auth: none, app_check: \(mode)", "app_check: \(mode)", "app_check: \(mode), apps: [ios]",
                "auth: optional, app_check: \(mode), allow: \"request.app.name == 'web'\"",
            ]
        } + ["auth: optional, allow: \"request.app == null\""]

    private static let appFields: [[String]] =
        [
            [], [AppCheckSample.placeholder], [""], ["a.b.c"], [AppCheckSample.token, AppCheckSample.token],
            ["\(AppCheckSample.token), \(AppCheckSample.token)"],
            [AppCheckSample.draft().signed(by: TokenDraft.forgedKey)],
            [TokenDraft.idToken().signed()],
        ]
        + [
            AppCheckSample.draft(), AppCheckSample.draft().with("sub", "\"\(AppCheckSample.iosID)\""),
            AppCheckSample.draft().with("exp", "\(ManualClock.start)"),
            AppCheckSample.draft().with("aud", "\"my-app\""),
            AppCheckSample.draft().withHeader("typ", nil), AppCheckSample.draft().withHeader("kid", "\"key-9\""),
        ].map { [$0.signed()] }

    /// Each mode of a route with valid and invalid App Check tokens, credentials, and states of the store.
    static func appCheck(keysAreKnown: Bool) -> ComparedSpace {
        let identity = """
            identity:
              firebase:
                project: my-app
                app_check:
                  project_number: \(AppCheckSample.projectNumber)
                  apps: { "\(AppCheckSample.webID)": web, "\(AppCheckSample.iosID)": ios }
            """
        var space = ComparedSpace(
            "App Check, keys known: \(keysAreKnown)", identity,
            routes: appRoutes.enumerated().map { "path: /r\($0)/**, upstream: api, \($1)" })
        space.keysAreKnown = keysAreKnown
        let credentials = keysAreKnown ? [.none, .validToken, .validCookie, ComparedCredential.invalid[1]] : [.none]
        for route in appRoutes.indices {
            for (number, values) in appFields.enumerated() {
                for (index, credential) in credentials.enumerated() {
                    let states = credential.subject == nil ? 1 : 3
                    for state in ComparedRecords.all.prefix(states) {
                        var fields = values.map { (name: "X-Firebase-AppCheck", value: $0) }
                        if (number + index) % 2 == 0 { fields.append((name: "X-Firebase-Client", value: "web")) }
                        space.add(
                            ComparedRequest(
                                target: "/r\(route)/x", fields: fields, credential: credential, records: state))
                    }
                }
            }
        }
        return space
    }
}
