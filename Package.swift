// swift-tools-version: 6.2
import PackageDescription

/// What every target is built with: the strictest imports, `any` spelled out, and no warning let by.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

/// Who finds hiredis. Not asked where the compiler looks in the right place by itself: SwiftPM warns of a flag that pkg-config gives.
#if os(macOS)
    let hiredisPackage: String? = "hiredis"
#else
    let hiredisPackage: String? = nil
#endif

let package = Package(
    name: "gatehouse",
    products: [
        .executable(name: "gatehouse", targets: ["gatehouse"]),
        .library(name: "Gatehouse", targets: ["Gatehouse"]),
        .library(name: "JOSE", targets: ["JOSE"]),
        .library(name: "HTTPWire", targets: ["HTTPWire"]),
        .library(name: "Redis", targets: ["Redis"]),
        .library(name: "SecurityRules", targets: ["SecurityRules"]),
        .library(name: "DevelopmentIdentity", targets: ["DevelopmentIdentity"]),
        // For the package in Fuzzing/ alone.
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
        .systemLibrary(
            name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(name: "CPrefetch"),
        .target(name: "CLibyaml", dependencies: [.product(name: "Yams", package: "Yams")]),
        .target(name: "JOSE", dependencies: ["CLibcrypto"], swiftSettings: settings),
        .target(name: "HTTPWire", swiftSettings: settings),
        .target(name: "PrintableText", swiftSettings: settings),
        .target(name: "SecurityRules", dependencies: ["CLibcrypto", "PrintableText"], swiftSettings: settings),
        .systemLibrary(
            name: "CLibhiredis", pkgConfig: hiredisPackage,
            providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .target(name: "CHiredis", dependencies: ["CLibhiredis"], linkerSettings: [.linkedLibrary("hiredis")]),
        .target(
            name: "Redis",
            dependencies: [
                "CHiredis",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings),
        .target(
            name: "Gatehouse",
            dependencies: [
                "CLibyaml",
                "CPrefetch",
                "HTTPWire",
                "JOSE",
                "PrintableText",
                "Redis",
                "SecurityRules",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Atomics", package: "swift-atomics"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .target(
            name: "DevelopmentIdentity",
            dependencies: [
                "HTTPWire",
                "JOSE",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "gatehouse",
            dependencies: [
                "DevelopmentIdentity",
                "Gatehouse",
                "JOSE",
                "PrintableText",
                "SecurityRules",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .target(
            name: "WireFuzzTargets", dependencies: ["HTTPWire", "JOSE", "SecurityRules"],
            path: "Tests/FuzzTargets/Wire",
            swiftSettings: settings),
        .target(
            name: "GatewayFuzzTargets",
            dependencies: [
                "Gatehouse", "JOSE", "WireFuzzTargets", .product(name: "Logging", package: "swift-log"),
                .product(name: "Yams", package: "Yams"),
            ],
            path: "Tests/FuzzTargets/Gateway", swiftSettings: settings),
        .testTarget(
            name: "JOSETests", dependencies: ["JOSE"],
            exclude: ["Vectors/Data", "Vectors/make_vectors.py", "Vectors/making"], swiftSettings: settings),
        .testTarget(name: "PrintableTextTests", dependencies: ["PrintableText"], swiftSettings: settings),
        .testTarget(name: "HTTPWireTests", dependencies: ["HTTPWire"], swiftSettings: settings),
        .testTarget(
            name: "SecurityRulesTests", dependencies: ["SecurityRules"], exclude: ["Regex/make_rows.py"],
            swiftSettings: settings),
        .testTarget(
            name: "DifferentialTests",
            dependencies: [
                "HTTPWire",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .target(name: "RedisFixtures", path: "Tests/RedisFixtures", swiftSettings: settings),
        .testTarget(
            name: "RedisTests",
            dependencies: [
                "CHiredis", "Redis", "RedisFixtures",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GatehouseTests",
            dependencies: [
                "DevelopmentIdentity", "Gatehouse", "HTTPWire", "JOSE", "Redis", "RedisFixtures", "SecurityRules",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DevelopmentIdentityTests", dependencies: ["DevelopmentIdentity", "JOSE", "RedisFixtures"],
            swiftSettings: settings),
        .testTarget(
            name: "OracleTests",
            dependencies: [
                "DevelopmentIdentity", "Gatehouse", "JOSE",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            exclude: ["oracle.py", "revocation_oracle.py", "requirements.txt"], swiftSettings: settings),
        .testTarget(
            name: "FuzzTests", dependencies: ["GatewayFuzzTargets", "WireFuzzTargets"], swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "DevelopmentIdentity", "JOSE", "RedisFixtures", "gatehouse",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
    ]
)
