// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the gateway's tests do not build it. docs/internals/performance.md has the commands.
let package = Package(
    name: "gatehouse-benchmarks",
    dependencies: [
        .package(name: "gatehouse", path: ".."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "MicroBenchmarks",
            dependencies: [
                .product(name: "DevelopmentIdentity", package: "gatehouse"),
                .product(name: "Gatehouse", package: "gatehouse"),
                .product(name: "HTTPWire", package: "gatehouse"),
                .product(name: "JOSE", package: "gatehouse"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "RevocationTable",
            dependencies: [
                .product(name: "Gatehouse", package: "gatehouse"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Redis", package: "gatehouse"),
            ]),
        .executableTarget(
            name: "Rules",
            dependencies: [
                .product(name: "AllocationCounter", package: "gatehouse"),
                .product(name: "SecurityRules", package: "gatehouse"),
            ]),
        .executableTarget(
            name: "TokenFlood",
            dependencies: [
                .product(name: "DevelopmentIdentity", package: "gatehouse"),
                .product(name: "JOSE", package: "gatehouse"),
            ]),
    ]
)
