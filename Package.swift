// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target: strict imports, explicit `any`, and warnings as errors.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

/// The pkg-config name of hiredis. `nil` where the compiler finds it without flags, because SwiftPM warns about the
/// flags of pkg-config.
#if os(macOS)
    let hiredisPackage: String? = "hiredis"
#else
    let hiredisPackage: String? = nil
#endif

/// The name of hiredis for the linker. With `GATEHOUSE_STATIC_HIREDIS=1` in the environment of the build it is linked
/// statically, as in packages: the name of its shared library differs between releases of Debian.
let hiredisLibrary = Context.environment["GATEHOUSE_STATIC_HIREDIS"] == "1" ? ":libhiredis.a" : "hiredis"

/// The commit for `gatehouse_build_info`, from the environment of the build. `nil` if it is unset or not a hash.
let commit = Context.environment["GATEHOUSE_COMMIT"].flatMap { commit in
    !commit.isEmpty && commit.allSatisfy("0123456789abcdef".contains) ? commit : nil
}

/// Returns the dependency on a product of another package.
func product(_ name: String, of package: String) -> Target.Dependency { .product(name: name, package: package) }

let asyncHTTPClient = product("AsyncHTTPClient", of: "async-http-client")
let atomics = product("Atomics", of: "swift-atomics")
let grdb = product("GRDB", of: "GRDB.swift")
let logging = product("Logging", of: "swift-log")
let nioCore = product("NIOCore", of: "swift-nio")
let nioHPACK = product("NIOHPACK", of: "swift-nio-http2")
let nioHTTP1 = product("NIOHTTP1", of: "swift-nio")
let nioHTTP2 = product("NIOHTTP2", of: "swift-nio-http2")
let nioPosix = product("NIOPosix", of: "swift-nio")
let nioSSL = product("NIOSSL", of: "swift-nio-ssl")
let nioTLS = product("NIOTLS", of: "swift-nio")
let serviceLifecycle = product("ServiceLifecycle", of: "swift-service-lifecycle")
let unixSignals = product("UnixSignals", of: "swift-service-lifecycle")
let argumentParser = product("ArgumentParser", of: "swift-argument-parser")
let nioConcurrencyHelpers = product("NIOConcurrencyHelpers", of: "swift-nio")
let nioEmbedded = product("NIOEmbedded", of: "swift-nio")
let yams = product("Yams", of: "Yams")

/// The floors of Sources, from the lowest to the highest.
let floors = ["System", "Libraries", "Core", "Stores", "Pipeline", "Edges", "Operations", "Application"]

/// Returns the target of a module, which may import only the dependencies in `uses`.
func module(
    _ name: String, in floor: String, uses dependencies: [Target.Dependency], embeds files: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(floor)/\(name)",
        resources: files.map { .embedInCode($0) }, swiftSettings: settings)
}

/// Returns the target of tests for one or several modules, or of shared test support.
func tests(
    _ name: String, in floor: String? = nil, of dependencies: [Target.Dependency], excluding excluded: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(floor.map { $0 + "/" } ?? "")\(name)", exclude: excluded,
        swiftSettings: settings)
}

let package = Package(
    name: "gatehouse",
    products: [
        .executable(name: "gatehouse", targets: ["gatehouse"]),
        .library(name: "JOSE", targets: ["JOSE"]),
        .library(name: "HTTPWire", targets: ["HTTPWire"]),
        .library(name: "Redis", targets: ["Redis"]),
        .library(name: "SecurityRules", targets: ["SecurityRules"]),
        .library(name: "DevelopmentIdentity", targets: ["DevelopmentIdentity"]),
        // Only for the packages in Benchmarks/ and Fuzzing/.
        .library(
            name: "Gatehouse",
            targets: [
                "Authentication", "Authorization", "Forwarding", "Gatehouse", "GatewayConfiguration", "GatewayCore",
                "HTTPServer", "RequestPipeline", "Revocation", "RevocationStores", "Routing",
            ]),
        .library(name: "AllocationCounter", targets: ["AllocationCounter"]),
        .library(name: "WireFuzzTargets", targets: ["WireFuzzTargets"]),
        .library(name: "GatewayFuzzTargets", targets: ["GatewayFuzzTargets"]),
        .library(name: "HTTP2FuzzTargets", targets: ["HTTP2FuzzTargets"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-atomics", exact: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // MARK: - System
        .systemLibrary(
            name: "CLibcrypto", path: "Sources/System/CLibcrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CLibhiredis", path: "Sources/System/CLibhiredis", pkgConfig: hiredisPackage,
            providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .target(
            name: "CHiredis", dependencies: ["CLibhiredis"], path: "Sources/System/CHiredis",
            linkerSettings: [.linkedLibrary(hiredisLibrary)]),
        .target(name: "CLibyaml", dependencies: [yams], path: "Sources/System/CLibyaml"),
        .target(name: "CPrefetch", path: "Sources/System/CPrefetch"),
        .target(
            name: "CBuildInfo", path: "Sources/System/CBuildInfo",
            cSettings: commit.map { [.define("GATEHOUSE_COMMIT", to: "\"\($0)\"")] }),

        // MARK: - Libraries: without knowledge of the gateway
        module("CivilCalendar", in: "Libraries", uses: []),
        module("PrintableText", in: "Libraries", uses: []),
        module("TextCoding", in: "Libraries", uses: []),
        module("HTTPWire", in: "Libraries", uses: ["CLibcrypto", "TextCoding"]),
        module("HTTP2Mapping", in: "Libraries", uses: ["HTTPWire", nioCore, nioHPACK]),
        module("JOSE", in: "Libraries", uses: ["CLibcrypto", "TextCoding"]),
        module(
            "SecurityRules", in: "Libraries", uses: ["CivilCalendar", "CLibcrypto", "PrintableText", "TextCoding"]),
        module(
            "Redis", in: "Libraries", uses: ["CHiredis", logging, nioConcurrencyHelpers, nioCore, nioPosix, nioSSL]),

        // MARK: - Core: shared vocabulary, configuration, the HTTP client for other services
        module(
            "GatewayCore", in: "Core",
            uses: [
                "CivilCalendar", "HTTPWire", "JOSE", "PrintableText", "TextCoding", atomics, nioCore,
            ]),
        module(
            "Routing", in: "Core",
            uses: [
                "GatewayCore", "TextCoding",
            ]),
        module(
            "GatewayConfiguration", in: "Core",
            uses: [
                "CLibyaml", "GatewayCore", "HTTPWire", "JOSE", "Routing", "SecurityRules", "TextCoding",
            ]),
        module(
            "OutboundHTTP", in: "Core",
            uses: [
                "CivilCalendar", "GatewayCore", "JOSE", asyncHTTPClient, logging, nioCore, nioHTTP1,
            ]),

        // MARK: - Stores: revocations, accounts and sessions, shared between gateways
        module(
            "Revocation", in: "Stores",
            uses: [
                "GatewayCore", "JOSE", "Redis", "TextCoding",
            ]),
        module(
            "RevocationStores", in: "Stores",
            uses: [
                "GatewayConfiguration", "GatewayCore", "JOSE", "Redis", "Revocation", grdb, logging, nioCore, nioPosix,
            ]),

        // MARK: - Pipeline: the decision
        module(
            "Authentication", in: "Pipeline",
            uses: [
                "CivilCalendar", "CPrefetch", "GatewayConfiguration", "GatewayCore", "HTTPWire", "JOSE", "OutboundHTTP",
                "Revocation",
                "SecurityRules", "TextCoding", asyncHTTPClient, logging, nioCore, nioHTTP1,
            ]),
        module(
            "Authorization", in: "Pipeline",
            uses: [
                "Authentication", "CivilCalendar", "GatewayConfiguration", "GatewayCore", "HTTPWire", "JOSE",
                "OutboundHTTP",
                "Revocation", "SecurityRules", "TextCoding", logging, nioCore, nioPosix,
            ]),
        module(
            "RequestPipeline", in: "Pipeline",
            uses: [
                "Authentication", "Authorization", "GatewayCore", "HTTPWire", "Revocation", "Routing", "SecurityRules",
            ]),

        // MARK: - Edges: front ends and back ends of the pipeline
        module(
            "HTTPServer", in: "Edges",
            uses: [
                "GatewayConfiguration", "GatewayCore", "HTTP2Mapping", "HTTPWire", "JOSE", "TextCoding", nioCore,
                nioHPACK, nioHTTP2, nioPosix, nioSSL, nioTLS,
            ]),
        module(
            "Forwarding", in: "Edges",
            uses: [
                "Authentication", "GatewayConfiguration", "GatewayCore", "HTTP2Mapping", "HTTPServer", "HTTPWire",
                "JOSE", "RequestPipeline", "Revocation", "SecurityRules", "TextCoding", logging, nioCore, nioHPACK,
                nioHTTP2, nioPosix, nioSSL, nioTLS,
            ]),
        module(
            "Accounts", in: "Edges",
            uses: [
                "Authentication", "Authorization", "CivilCalendar", "GatewayConfiguration", "GatewayCore", "JOSE",
                "OutboundHTTP", "PrintableText",
                "RequestPipeline", "Revocation", "TextCoding", logging, nioCore,
            ],
            embeds: ["Page/Resources/page.css", "Page/Resources/page.js", "Page/Resources/texts.json"]),

        module(
            "Decisions", in: "Edges",
            uses: [
                "Authentication", "Forwarding", "GatewayConfiguration", "GatewayCore", "HTTPServer", "HTTPWire",
                "JOSE", "Revocation", "Routing", "TextCoding", nioCore,
            ]),

        // MARK: - Operations: logs, metrics, administration
        module(
            "Observability", in: "Operations",
            uses: [
                "CBuildInfo", "CivilCalendar", "GatewayCore", "OutboundHTTP", "PrintableText", "Revocation",
                "TextCoding", atomics, logging, nioPosix,
            ]),
        module(
            "Telemetry", in: "Operations",
            uses: [
                "GatewayConfiguration", "GatewayCore", "JOSE", "Observability", "OutboundHTTP", "TextCoding", logging,
                nioCore,
            ]),
        module(
            "OperatorConsole", in: "Operations",
            uses: ["GatewayCore", "JOSE", "Revocation", "SecurityRules", "TextCoding"],
            embeds: [
                "Page/Resources/charts.js", "Page/Resources/configuration.js", "Page/Resources/console.css",
                "Page/Resources/console.js", "Page/Resources/dom.js", "Page/Resources/fleet.js",
                "Page/Resources/live.js", "Page/Resources/overview.js", "Page/Resources/playground.js",
                "Page/Resources/rules.js", "Page/Resources/texts.json", "Page/Resources/users.js",
            ]),
        module(
            "AdminAPI", in: "Operations",
            uses: [
                "CivilCalendar", "GatewayConfiguration", "GatewayCore", "HTTPWire", "JOSE", "Observability",
                "OperatorConsole", "PrintableText", "Revocation", "SecurityRules", "TextCoding", nioCore,
                nioHTTP1, nioPosix,
            ]),

        // MARK: - Application: composition, the program, the development provider
        module(
            "Gatehouse", in: "Application",
            uses: [
                "Accounts", "AdminAPI", "Authentication", "Authorization", "Decisions", "Forwarding",
                "GatewayConfiguration", "GatewayCore", "HTTPServer", "HTTPWire", "JOSE", "Observability",
                "OperatorConsole", "OutboundHTTP", "Redis",
                "RequestPipeline", "Revocation", "RevocationStores", "Routing", "SecurityRules", "Telemetry",
                "TextCoding",
                asyncHTTPClient, atomics, logging, nioCore, nioPosix, serviceLifecycle,
            ]),
        module(
            "Diagnostics", in: "Application",
            uses: [
                "Accounts", "Authentication", "Authorization", "CivilCalendar", "Forwarding", "Gatehouse",
                "GatewayConfiguration", "GatewayCore", "HTTP2Mapping", "HTTPServer", "HTTPWire", "JOSE",
                "OutboundHTTP", "PrintableText", "RequestPipeline", "Revocation", "RevocationStores", "Routing",
                "SecurityRules", "TextCoding", asyncHTTPClient, nioCore, nioEmbedded, nioHPACK, nioHTTP1, nioPosix,
            ]),
        module(
            "DevelopmentIdentity", in: "Application",
            uses: [
                "CivilCalendar", "HTTPWire", "JOSE", "TextCoding", nioCore, nioHTTP1, nioPosix,
            ]),
        .executableTarget(
            name: "gatehouse",
            dependencies: [
                "CivilCalendar", "DevelopmentIdentity", "Diagnostics", "Gatehouse", "GatewayConfiguration",
                "GatewayCore", "JOSE",
                "Observability", "PrintableText", "Revocation", "SecurityRules", argumentParser, logging,
                serviceLifecycle, unixSignals,
            ],
            path: "Sources/Application/Command",
            resources: [
                .embedInCode("Init/starter.yaml"), .embedInCode("Demo/demo.yaml"),
                .embedInCode("Demo/Page/demo.css"),
                .embedInCode("Demo/Page/demo.html"), .embedInCode("Demo/Page/demo.js"),
            ], swiftSettings: settings),

        // MARK: - Tests
        .target(
            name: "WireFuzzTargets", dependencies: ["HTTPWire", "JOSE", "SecurityRules"],
            path: "Tests/FuzzTargets/Wire", swiftSettings: settings),
        .target(
            name: "GatewayFuzzTargets",
            dependencies: [
                "Accounts", "Authentication", "Authorization", "Gatehouse", "GatewayConfiguration", "GatewayCore",
                "JOSE", "OutboundHTTP", "RequestPipeline", "Revocation", "RevocationStores", "Routing",
                "TextCoding", "WireFuzzTargets", logging, yams,
            ],
            path: "Tests/FuzzTargets/Gateway", swiftSettings: settings),
        .target(
            name: "HTTP2FuzzTargets",
            dependencies: [
                "GatewayCore", "HTTP2Mapping", "HTTPServer", "HTTPWire", "WireFuzzTargets", nioCore, nioEmbedded,
                nioHPACK,
            ],
            path: "Tests/FuzzTargets/HTTP2", swiftSettings: settings),
        .target(name: "AllocationCounter", path: "Tests/Support/AllocationCounter"),
        // MARK: - Tests: targets with shared support; then, by floor, the tests of each module
        // Support is in test targets too, because these see the internals of modules and are not part of a release
        // build.
        tests("SystemFixtures", in: "Support", of: [nioCore, nioPosix]),
        tests("RedisFixtures", in: "Support", of: ["SystemFixtures"]),
        tests("IdentityFixtures", in: "Support", of: ["DevelopmentIdentity", nioCore]),
        tests(
            "CoreFixtures", in: "Support",
            of: ["GatewayConfiguration", "GatewayCore", "HTTPWire", "JOSE", "OutboundHTTP", logging]),
        tests(
            "StoreFixtures", in: "Support",
            of: [
                "GatewayConfiguration", "GatewayCore", "JOSE", "RedisFixtures", "Revocation", "RevocationStores",
                "SystemFixtures", logging, nioCore, nioPosix,
            ]),
        tests(
            "GatewayFixtures", in: "Support",
            of: [
                "Accounts", "AdminAPI", "Authentication", "Authorization", "CoreFixtures", "Forwarding",
                "GatewayConfiguration", "GatewayCore", "JOSE", "Observability", "OutboundHTTP", "Revocation",
                "SecurityRules", "StoreFixtures",
            ]),
        tests("CivilCalendarTests", in: "Libraries", of: ["CivilCalendar", "SystemFixtures"]),
        tests("TextCodingTests", in: "Libraries", of: ["SystemFixtures", "TextCoding"]),
        tests("HTTPWireTests", in: "Libraries", of: ["HTTPWire", "SystemFixtures"]),
        tests("HTTP2MappingTests", in: "Libraries", of: ["HTTP2Mapping", "HTTPWire", nioCore, nioHPACK]),
        tests("PrintableTextTests", in: "Libraries", of: ["PrintableText"]),
        tests(
            "JOSETests", in: "Libraries", of: ["JOSE", "SystemFixtures"],
            excluding: ["Vectors/Data", "Vectors/make_vectors.py", "Vectors/making"]),
        tests(
            "SecurityRulesTests", in: "Libraries", of: ["CivilCalendar", "SecurityRules", "SystemFixtures"],
            excluding: ["Regex/make_rows.py"]),
        tests(
            "RedisTests", in: "Libraries",
            of: ["CHiredis", "Redis", "RedisFixtures", "SystemFixtures", logging, nioCore, nioEmbedded, nioPosix]),
        tests("GatewayCoreTests", in: "Core", of: ["CoreFixtures", "GatewayCore", "SystemFixtures", nioCore]),
        tests("RoutingTests", in: "Core", of: ["Routing", "SystemFixtures"]),
        tests(
            "GatewayConfigurationTests", in: "Core",
            of: ["CoreFixtures", "GatewayConfiguration", "GatewayCore", "JOSE", "SystemFixtures"]),
        tests(
            "OutboundHTTPTests", in: "Core",
            of: ["CoreFixtures", "OutboundHTTP", "SystemFixtures", logging, nioCore, nioPosix]),
        tests(
            "RevocationTests", in: "Stores",
            of: [
                "GatewayCore", "JOSE", "Redis", "RedisFixtures", "Revocation", "StoreFixtures", "SystemFixtures",
                logging, nioCore, nioPosix,
            ]),
        tests(
            "RevocationStoresTests", in: "Stores",
            of: [
                "CoreFixtures", "GatewayConfiguration", "GatewayCore", "JOSE", "Redis", "RedisFixtures", "Revocation",
                "RevocationStores", "StoreFixtures", "SystemFixtures", grdb, logging, nioPosix,
            ]),
        tests(
            "AuthenticationTests", in: "Pipeline",
            of: [
                "Accounts", "Authentication", "CoreFixtures", "Forwarding", "GatewayConfiguration", "GatewayCore",
                "GatewayFixtures", "HTTPWire", "JOSE", "OutboundHTTP", "Revocation", "SecurityRules", "StoreFixtures",
                "SystemFixtures", logging, nioCore, nioPosix,
            ]),
        tests(
            "AuthorizationTests", in: "Pipeline",
            of: [
                "Authentication", "Authorization", "CoreFixtures", "DevelopmentIdentity", "Forwarding",
                "GatewayConfiguration", "GatewayCore", "GatewayFixtures", "HTTPWire", "IdentityFixtures", "JOSE",
                "OutboundHTTP", "RedisFixtures", "Revocation", "RevocationStores", "SecurityRules", "StoreFixtures",
                "SystemFixtures", "TextCoding", logging, nioPosix,
            ]),
        tests("RequestPipelineTests", in: "Pipeline", of: ["GatewayCore", "RequestPipeline"]),
        tests(
            "HTTPServerTests", in: "Edges",
            of: [
                "CoreFixtures", "GatewayCore", "HTTPServer", "HTTPWire", "JOSE", "SystemFixtures", nioCore, nioEmbedded,
                nioPosix, nioSSL,
            ]),
        tests(
            "ForwardingTests", in: "Edges",
            of: [
                "Authentication", "Authorization", "CoreFixtures", "Forwarding", "GatewayConfiguration", "GatewayCore",
                "GatewayFixtures", "HTTPServer", "HTTPWire", "JOSE", "RequestPipeline", "Revocation", "SecurityRules",
                "SystemFixtures", "TextCoding", logging, nioCore, nioPosix,
            ]),
        tests(
            "AccountsTests", in: "Edges",
            of: [
                "Accounts", "Authentication", "Authorization", "CoreFixtures", "DevelopmentIdentity",
                "GatewayConfiguration", "GatewayCore", "GatewayFixtures", "JOSE", "OutboundHTTP", "RequestPipeline",
                "Revocation", "RevocationStores", "SecurityRules", "StoreFixtures", "SystemFixtures", "TextCoding",
                grdb, logging, nioCore,
            ]),
        tests(
            "DecisionsTests", in: "Edges",
            of: [
                "Decisions", "Forwarding", "GatewayConfiguration", "GatewayCore", "HTTPServer", "HTTPWire", "JOSE",
                "Routing", "SystemFixtures", nioCore,
            ]),
        tests("ObservabilityTests", in: "Operations", of: ["GatewayCore", "Observability", "SystemFixtures", logging]),
        tests(
            "TelemetryTests", in: "Operations",
            of: [
                "CoreFixtures", "GatewayConfiguration", "GatewayCore", "JOSE", "Observability", "OutboundHTTP",
                "SystemFixtures", "Telemetry",
            ]),
        tests(
            "OperatorConsoleTests", in: "Operations",
            of: ["GatewayCore", "JOSE", "OperatorConsole", "TextCoding"]),
        tests(
            "AdminAPITests", in: "Operations",
            of: [
                "AdminAPI", "GatewayConfiguration", "GatewayCore", "GatewayFixtures", "HTTPWire", "Observability",
                "OperatorConsole", "Revocation", "SecurityRules", "StoreFixtures", nioCore, nioEmbedded, nioPosix,
            ]),
        tests(
            "GatehouseTests", in: "Application",
            of: [
                "Accounts", "AdminAPI", "AllocationCounter", "Authentication", "Authorization", "CoreFixtures",
                "Diagnostics",
                "Forwarding", "Gatehouse", "GatewayConfiguration", "GatewayCore", "GatewayFixtures", "HTTPServer",
                "HTTPWire", "JOSE", "Observability", "Redis",
                "RedisFixtures", "RequestPipeline", "Revocation", "Routing", "SecurityRules", "StoreFixtures",
                "SystemFixtures", "Telemetry", "TextCoding", logging, nioCore, nioHPACK, nioPosix, nioSSL,
            ]),
        tests(
            "DiagnosticsTests", in: "Application",
            of: [
                "AdminAPI", "Authentication", "Authorization", "CoreFixtures", "DevelopmentIdentity", "Diagnostics",
                "Gatehouse", "GatewayConfiguration", "GatewayCore", "GatewayFixtures", "JOSE", "OutboundHTTP",
                "RedisFixtures", "Revocation", "RevocationStores", "SecurityRules", "StoreFixtures", "SystemFixtures",
                logging, nioCore, nioPosix,
            ]),
        tests(
            "DevelopmentIdentityTests", in: "Application",
            of: ["DevelopmentIdentity", "IdentityFixtures", "JOSE", "SystemFixtures"]),
        // MARK: - Tests of the whole program
        tests("DifferentialTests", of: ["HTTPWire", "SystemFixtures", nioCore, nioEmbedded, nioHTTP1]),
        tests(
            "OracleTests",
            of: [
                "Authentication", "DevelopmentIdentity", "Gatehouse", "GatewayConfiguration", "GatewayCore", "JOSE",
                "SystemFixtures", "gatehouse", logging, nioCore,
            ],
            excluding: [
                "app_check_oracle.py", "fake_platform.py", "oracle.py", "platform_story.py", "requirements.txt",
                "revocation_oracle.py",
            ]),
        tests("FuzzTests", of: ["GatewayFuzzTargets", "HTTP2FuzzTargets", "SystemFixtures", "WireFuzzTargets"]),
        tests(
            "EndToEndTests",
            of: [
                "AdminAPI", "Authorization", "Decisions", "DevelopmentIdentity", "Diagnostics", "GatewayConfiguration",
                "GatewayCore", "HTTPWire", "IdentityFixtures", "JOSE", "RedisFixtures", "RequestPipeline",
                "SystemFixtures", "gatehouse", grdb, nioCore, nioHPACK,
            ],
            excluding: [
                "Accounts/ssf_transmitter.py", "Decisions/authlib_resource.py", "Decisions/check_client.py",
                "Proxies/requirements.txt", "Telemetry/otlp_receiver.py", "Upstreams/grpc_server.py",
            ]),
    ]
)

// A module uses only modules of lower floors, and modules of its own floor that are listed before it.
var floorOfModule: [String: Int] = [:]
for target in package.targets {
    guard let floor = floors.firstIndex(where: { target.path?.hasPrefix("Sources/\($0)/") == true }) else { continue }
    for case .byNameItem(let used, _) in target.dependencies {
        guard let other = floorOfModule[used], other <= floor else {
            fatalError(
                "\(target.name) uses \(used), which is on a higher floor or listed after it; see docs/internals/architecture.md"
            )
        }
    }
    floorOfModule[target.name] = floor
}
