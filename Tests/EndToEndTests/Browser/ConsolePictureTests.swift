import DevelopmentIdentity
import Foundation
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

// Part of the suite of the console, because browsers run one at a time.
extension ConsoleBrowserTests {
    /// The screenshots of the manual. They are taken only on request, after six minutes of requests for the charts:
    ///
    ///     GATEHOUSE_CONSOLE_PICTURES=$PWD/docs/images script/test --filter ConsolePictureTests
    @Suite struct ConsolePictureTests {
        private static let folder = ProcessInfo.processInfo.environment["GATEHOUSE_CONSOLE_PICTURES"]

        /// The names of the pages, with their fragments and an element that a complete page has.
        private static let pages = [
            ("overview", "#overview", "figure path"), ("user", "#users?uid=ada", "#user dl"),
            ("live", "#live", "#view button"), ("configuration", "#configuration", "#view table"),
            ("rules", "#rules", "#view section"), ("fleet", "#fleet", "#view table"),
        ]

        @Test(
            .enabled(
                if: ChromeDriver.program != nil && folder != nil, "GATEHOUSE_CONSOLE_PICTURES has no folder to write to"
            ))
        func `each page, light and dark, at the width of a desktop and of a phone`() async throws {
            let folder = try #require(Self.folder)
            let redis = try await RedisServer()
            try await Fleet.run(2, store: redis.store, arrange: { $0["admin"] = ConsoleVisit.admin }) { fleet in
                try send(seconds: 360, to: fleet)
                let visit = try await ConsoleVisit(fleet.first)
                try visit.open()
                try await visit.signIn(name: "Grace")
                for (name, fragment, element) in Self.pages {
                    try visit.open(fragment)
                    try await visit.wait(for: element)
                    if name == "live" {
                        try await visit.press("Start", confirming: false)
                        try await visit.wait(for: "#view tbody")
                        try send(seconds: 3, to: fleet)
                    }
                    for (width, size) in [(1120, ""), (360, "-phone")] {
                        for scheme in ["light", "dark"] {
                            try visit.browser.resize(width: width)
                            try visit.browser.emulate(colorScheme: scheme)
                            let suffix = size + (scheme == "dark" ? "-dark" : "")
                            try visit.browser.picture().write(
                                to: URL(filePath: "\(folder)/console-\(name)\(suffix).png"))
                        }
                    }
                }
            }
        }

        /// Sends requests that are permitted and denied to all gateways in waves, at most about 200 per second.
        private func send(seconds: Int64, to fleet: Fleet) throws {
            let end = unixNow() + seconds
            let stale = try fleet.first.token(.grace) { $0.signedIn(at: unixNow() - 3000) }
            var tokens: [String] = []
            var count = 0
            while unixNow() < end {
                // Different tokens, because a verified one is cached.
                if count.isMultiple(of: 500) {
                    tokens = try ["ada", "grace", "alan"].map { try fleet.first.token(.named($0)) }
                }
                count += 1
                let token = tokens[count % tokens.count]
                let request: WireRequest =
                    switch count % 20 {
                    case 0: .bearer(token + "x", "/me/orders")
                    case 1: WireRequest(method: "GET", target: "/me/orders", host: "localhost")
                    case 2: .bearer(stale, "/recent/account")
                    case 3: .bearer(token, "/admin/users")
                    case 4: .bearer(token, "/missing")
                    case 5...8: .bearer(token, "/recent/account")
                    case 9...11: .bearer(token, "/strict/payments")
                    default: .bearer(token, "/me/orders")
                    }
                _ = try fleet.gateways[count % fleet.gateways.count].send(request)
                let wave = sin(Double(end - unixNow()) / 40) + 1.2
                Thread.sleep(forTimeInterval: 0.005 + 0.01 * wave)
            }
        }
    }
}
