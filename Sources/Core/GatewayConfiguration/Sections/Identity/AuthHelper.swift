package import GatewayCore

extension Configuration {
    /// The name of the upstream of Firebase's sign-in helper.
    package static let authHelperUpstream = "firebase-auth-helper"

    /// The hosts on which the sign-in helper is served, lower-case and exact or `*.example.com`. Empty for any host, or
    /// if it is not served.
    package var authHelperHosts: [String] {
        var seen: Set<String> = []
        return routes.filter(\.isAuthHelper).flatMap(\.hosts).filter { seen.insert($0).inserted }
    }

    /// Adds the upstream and the routes of Firebase's sign-in helper (`identity.firebase.auth_helper`) to those of the
    /// file.
    ///
    /// A host is matched first, without a fallback, so that each host of the file has routes of its own.
    ///
    /// - Parameter location: The location of `auth_helper`.
    package mutating func addAuthHelper(at location: SourceLocation) {
        guard let firebase = identity.firebase, firebase.authHelper else { return }
        let server = UpstreamServer(host: firebase.helperHost, port: 443, isSecure: true)
        var upstream = Upstream(name: Self.authHelperUpstream, servers: [server])
        upstream.tls.location = location
        upstreams.append(upstream)
        var seen: Set<String> = []
        let hosts = routes.flatMap(\.hosts).filter { seen.insert($0).inserted }
        let groups = (routes.contains { $0.hosts.isEmpty } ? [[]] : []) + (hosts.isEmpty ? [] : [hosts])
        for hosts in groups {
            for (path, methods) in [("/__/auth/{rest=**}", ["GET", "POST"]), ("/__/firebase/init.json", ["GET"])] {
                var route = Route(path: path, upstream: Self.authHelperUpstream, location: location)
                route.hosts = hosts
                route.methods = methods
                route.auth = .none
                route.isAuthHelper = true
                route.rewrite = Rewrite()
                route.rewrite?.host = firebase.helperHost
                // Its iframe is part of the app's own pages.
                route.responseHeaders.set = [ResponseHeaders.Field(name: "X-Frame-Options", value: "SAMEORIGIN")]
                routes.append(route)
            }
        }
    }
}

extension Configuration.Firebase {
    /// The host of the sign-in helper. It exists only if the project is a label (``isProjectLabel``).
    package var helperHost: String { "\(project.lowercased()).firebaseapp.com" }

    /// Whether the project is one label of a domain name: 1 to 63 letters, digits and inner hyphens.
    var isProjectLabel: Bool {
        let label = Array(project.utf8)
        return (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            && label.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension Configuration.ResponseHeaders {
    /// The fields with which the pages of the sign-in helper do not work: they restrict scripts and frames.
    private static let restrictive = [
        "content-security-policy", "cross-origin-embedder-policy", "cross-origin-opener-policy",
        "cross-origin-resource-policy",
    ]

    /// The fields of Firebase's responses that would act on the whole host of the app: its cookies, stored data,
    /// transport, reports and service workers.
    private static let hostWide = [
        "Alt-Svc", "Clear-Site-Data", "NEL", "Report-To", "Reporting-Endpoints", "Service-Worker-Allowed",
        "Set-Cookie", "Strict-Transport-Security",
    ]

    /// The policy of the file for routes of the sign-in helper. Fields that the file sets, such as
    /// `Strict-Transport-Security`, replace those of Firebase.
    package var forAuthHelper: Self {
        var copy = self
        copy.set.removeAll { Self.restrictive.contains($0.name.lowercased()) }
        copy.remove += Self.hostWide
        return copy
    }
}
