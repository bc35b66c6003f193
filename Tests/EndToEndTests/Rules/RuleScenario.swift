import DevelopmentIdentity
import Testing

extension GatewayConfiguration {
    /// Routes with various conditions, before the usual routes.
    mutating func addConditions() {
        routes =
            [
                "path: '/users/{uid}/{rest=**}', allow: auth.uid == uid, upstream: api",
                "path: '/any/{uid}', auth: optional, allow: 'auth != null || uid == \"guest\"', upstream: api",
                "path: '/fresh/**', allow: \"recentSignIn(duration.value(5, 'm'))\", upstream: api",
                "path: '/factor/**', allow: secondFactor(), upstream: api",
                "path: '/broken/**', allow: auth.token.nowhere == 1, upstream: api",
                "path: '/verified/**', allow: 'auth.token.email_verified && auth.token.email == \"ada@example.com\"', upstream: api",
                "path: '/group/**', allow: \"'admins' in auth.token.groups\", upstream: api",
                "path: '/corp/**', allow: \"auth.token.email.matches('[^@]+@corp[.]example')\", upstream: api",
                "path: '/query/**', allow: 'request.query.mode == \"safe\"', upstream: api",
                "path: '/header/**', allow: 'request.headers[\"x-mode\"] == \"safe\"', upstream: api",
                "path: '/method', allow: 'request.method == \"OPTIONS\"', upstream: api",
                "path: '/hidden/**', allow: \"request.headers.keys() == ['host']\", upstream: api",
                "path: '/kept/{uid}/**', encoded_slashes: keep, allow: auth.uid == uid, upstream: api",
                "path: '/empty/{uid}/{rest=**}', merge_slashes: false, allow: auth.uid == uid, upstream: api",
                "path: '/case/{uid}', case_insensitive: true, allow: auth.uid == uid, upstream: api",
                "path: '/stripped/users/{uid}', strip_prefix: /stripped/users, allow: auth.uid == uid, upstream: api",
            ] + routes.filter { !$0.hasPrefix("path: /stripped/") }
    }
}

extension WireRequest {
    func by(_ method: String) -> WireRequest {
        var request = self
        request.method = method
        return request
    }
}
