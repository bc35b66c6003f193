// swift-tools-version: 6.2
import PackageDescription

/// What every target is built with: the strictest imports, `any` spelled out, and no warning let by.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

/// The program that finds hiredis. Not asked where the compiler looks in the right place by itself: SwiftPM warns of a flag that pkg-config gives.
#if os(macOS)
    let hiredisPackage: String? = "hiredis"
#else
    let hiredisPackage: String? = nil
#endif

/// A product of another package.
func product(_ name: String, of package: String) -> Target.Dependency { .product(name: name, package: package) }

let asyncHTTPClient = product("AsyncHTTPClient", of: "async-http-client")
let atomics = product("Atomics", of: "swift-atomics")
let grdb = product("GRDB", of: "GRDB.swift")
let logging = product("Logging", of: "swift-log")
let nioCore = product("NIOCore", of: "swift-nio")
let nioHTTP1 = product("NIOHTTP1", of: "swift-nio")
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

/// A module of the gateway, which may import what `uses` lists and nothing else.
func module(_ name: String, in floor: String, uses dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(floor)/\(name)", swiftSettings: settings)
}

/// The tests of one module, or of several.
func tests(_ name: String, of dependencies: [Target.Dependency], excluding excluded: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: excluded, swiftSettings: settings)
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
        // For the packages in Benchmarks/ and Fuzzing/ alone.
        .library(
            name: "Gatehouse",
            targets: [
                "Authentication", "Authorization", "Forwarding", "Gatehouse", "GatewayConfiguration", "GatewayCore",
                "HTTPServer", "RequestPipeline", "Revocation", "RevocationStores", "Routing",
            ]),
        .library(name: "WireFuzzTargets", targets: ["WireFuzzTargets"]),
        .library(name: "GatewayFuzzTargets", targets: ["GatewayFuzzTargets"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-atomics", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
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
            linkerSettings: [.linkedLibrary("hiredis")]),
        .target(name: "CLibyaml", dependencies: [yams], path: "Sources/System/CLibyaml"),
        .target(name: "CPrefetch", path: "Sources/System/CPrefetch"),

        // MARK: - Libraries: they know nothing of the gateway
        module("HTTPWire", in: "Libraries", uses: []),
        module("PrintableText", in: "Libraries", uses: []),
        module("JOSE", in: "Libraries", uses: ["CLibcrypto"]),
        module("SecurityRules", in: "Libraries", uses: ["CLibcrypto", "PrintableText"]),
        module(
            "Redis", in: "Libraries", uses: ["CHiredis", logging, nioConcurrencyHelpers, nioCore, nioPosix, nioSSL]),

        // MARK: - Core: shared vocabulary, configuration, the client for other services
        module(
            "GatewayCore", in: "Core",
            uses: [
                "HTTPWire", "JOSE", "PrintableText", atomics, nioCore,
            ]),
        module(
            "Routing", in: "Core",
            uses: [
                "GatewayCore"
            ]),
        module(
            "GatewayConfiguration", in: "Core",
            uses: [
                "CLibyaml", "GatewayCore", "JOSE", "Routing", "SecurityRules",
            ]),
        module(
            "OutboundHTTP", in: "Core",
            uses: [
                "GatewayCore", "JOSE", asyncHTTPClient, logging, nioCore, nioHTTP1,
            ]),

        // MARK: - Stores: revocations, accounts and sessions, shared between gateways
        module(
            "Revocation", in: "Stores",
            uses: [
                "GatewayCore", "JOSE", "Redis",
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
                "CPrefetch", "GatewayConfiguration", "GatewayCore", "HTTPWire", "JOSE", "OutboundHTTP", "Revocation",
                "SecurityRules", asyncHTTPClient, logging, nioCore, nioHTTP1,
            ]),
        module(
            "Authorization", in: "Pipeline",
            uses: [
                "Authentication", "GatewayConfiguration", "GatewayCore", "HTTPWire", "JOSE", "OutboundHTTP",
                "Revocation", "SecurityRules", logging, nioCore,
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
                "GatewayConfiguration", "GatewayCore", "HTTPWire", "JOSE", nioCore, nioPosix, nioSSL, nioTLS,
            ]),
        module(
            "Forwarding", in: "Edges",
            uses: [
                "Authentication", "Authorization", "GatewayConfiguration", "GatewayCore", "HTTPServer", "HTTPWire",
                "JOSE", "RequestPipeline", "Revocation", "SecurityRules", logging, nioCore, nioPosix, nioSSL, nioTLS,
            ]),
        module(
            "Accounts", in: "Edges",
            uses: [
                "Authentication", "Authorization", "GatewayConfiguration", "GatewayCore", "HTTPServer", "HTTPWire",
                "JOSE", "RequestPipeline", "Revocation", logging,
            ]),

        // MARK: - Operations: what operators use
        module(
            "Observability", in: "Operations",
            uses: [
                "Authentication", "Authorization", "GatewayCore", "HTTPServer", "PrintableText", "Revocation", atomics,
                logging, nioPosix,
            ]),
        module(
            "AdminAPI", in: "Operations",
            uses: [
                "GatewayConfiguration", "GatewayCore", "JOSE", "Observability", "PrintableText", "Revocation", nioCore,
                nioHTTP1, nioPosix,
            ]),

        // MARK: - Application: composition, the program, the development provider
        module(
            "Gatehouse", in: "Application",
            uses: [
                "Accounts", "AdminAPI", "Authentication", "Authorization", "Forwarding", "GatewayConfiguration",
                "GatewayCore", "HTTPServer", "HTTPWire", "JOSE", "Observability", "OutboundHTTP", "Redis",
                "RequestPipeline", "Revocation", "RevocationStores", "Routing", "SecurityRules", asyncHTTPClient,
                atomics, logging, nioCore, nioPosix, serviceLifecycle,
            ]),
        module(
            "Diagnostics", in: "Application",
            uses: [
                "Accounts", "Authentication", "Authorization", "Forwarding", "Gatehouse", "GatewayConfiguration",
                "GatewayCore", "HTTPServer", "HTTPWire", "JOSE", "OutboundHTTP", "PrintableText", "RequestPipeline",
                "Revocation", "RevocationStores", "Routing", "SecurityRules", asyncHTTPClient, nioCore, nioHTTP1,
                nioPosix,
            ]),
        module(
            "DevelopmentIdentity", in: "Application",
            uses: [
                "HTTPWire", "JOSE", nioCore, nioHTTP1, nioPosix,
            ]),
        .executableTarget(
            name: "gatehouse",
            dependencies: [
                "DevelopmentIdentity", "Diagnostics", "Gatehouse", "GatewayConfiguration", "GatewayCore", "JOSE",
                "Observability", "PrintableText", "Revocation", "SecurityRules", argumentParser, logging,
                serviceLifecycle, unixSignals,
            ],
            path: "Sources/Application/Command", swiftSettings: settings),

        // MARK: - Tests
        .target(
            name: "WireFuzzTargets", dependencies: ["HTTPWire", "JOSE", "SecurityRules"],
            path: "Tests/FuzzTargets/Wire", swiftSettings: settings),
        .target(
            name: "GatewayFuzzTargets",
            dependencies: [
                "Accounts", "Authentication", "Authorization", "Gatehouse", "GatewayConfiguration", "GatewayCore",
                "JOSE", "OutboundHTTP", "RequestPipeline", "Revocation", "RevocationStores", "Routing",
                "WireFuzzTargets", logging, yams,
            ],
            path: "Tests/FuzzTargets/Gateway", swiftSettings: settings),
        .target(name: "RedisFixtures", path: "Tests/RedisFixtures", swiftSettings: settings),
        tests("JOSETests", of: ["JOSE"], excluding: ["Vectors/Data", "Vectors/make_vectors.py", "Vectors/making"]),
        tests("PrintableTextTests", of: ["PrintableText"]),
        tests("HTTPWireTests", of: ["HTTPWire"]),
        tests("SecurityRulesTests", of: ["SecurityRules"], excluding: ["Regex/make_rows.py"]),
        tests("DifferentialTests", of: ["HTTPWire", nioCore, nioEmbedded, nioHTTP1]),
        tests("RedisTests", of: ["CHiredis", "Redis", "RedisFixtures", logging, nioCore, nioEmbedded, nioPosix]),
        tests(
            "GatehouseTests",
            of: [
                "Accounts", "AdminAPI", "Authentication", "Authorization", "DevelopmentIdentity", "Diagnostics",
                "Forwarding", "Gatehouse", "GatewayConfiguration", "GatewayCore", "HTTPServer", "HTTPWire", "JOSE",
                "Observability", "OutboundHTTP", "Redis", "RedisFixtures", "RequestPipeline", "Revocation",
                "RevocationStores", "Routing", "SecurityRules", grdb, logging, nioCore, nioEmbedded, nioPosix, nioSSL,
            ]),
        tests("DevelopmentIdentityTests", of: ["DevelopmentIdentity", "JOSE", "RedisFixtures"]),
        tests(
            "OracleTests",
            of: [
                "Authentication", "DevelopmentIdentity", "Gatehouse", "GatewayConfiguration", "GatewayCore", "JOSE",
                logging, nioCore,
            ],
            excluding: ["oracle.py", "revocation_oracle.py", "requirements.txt"]),
        tests("FuzzTests", of: ["GatewayFuzzTargets", "WireFuzzTargets"]),
        tests("EndToEndTests", of: ["DevelopmentIdentity", "JOSE", "RedisFixtures", "gatehouse", grdb]),
    ]
)

// A module uses no module of a higher floor, and none that is listed after it.
var floorOfModule: [String: Int] = [:]
for target in package.targets {
    guard let floor = floors.firstIndex(where: { target.path?.hasPrefix("Sources/\($0)/") == true }) else { continue }
    for case .byNameItem(let used, _) in target.dependencies {
        guard let other = floorOfModule[used], other <= floor else {
            fatalError(
                "\(target.name) uses \(used), which is on a higher floor or listed after it; see docs/architecture.md")
        }
    }
    floorOfModule[target.name] = floor
}
