// swift-tools-version: 6.2
import PackageDescription

/// Returns the executable of one fuzz target, whose body is in `library`, a product of the gateway's package.
func fuzzer(_ name: String, of library: String) -> Target {
    .executableTarget(name: name, dependencies: [.product(name: library, package: "gatehouse")])
}

// A separate package, because its executables only link with the sanitizers that script/fuzz enables.
let package = Package(
    name: "gatehouse-fuzzing",
    dependencies: [.package(name: "gatehouse", path: "..")],
    targets: [
        fuzzer("HeadsFuzzer", of: "WireFuzzTargets"),
        fuzzer("ChunksFuzzer", of: "WireFuzzTargets"),
        fuzzer("JsonFuzzer", of: "WireFuzzTargets"),
        fuzzer("JwtFuzzer", of: "WireFuzzTargets"),
        fuzzer("KeysFuzzer", of: "WireFuzzTargets"),
        fuzzer("CertificatesFuzzer", of: "WireFuzzTargets"),
        fuzzer("CookiesFuzzer", of: "WireFuzzTargets"),
        fuzzer("RulesFuzzer", of: "WireFuzzTargets"),
        fuzzer("RegexesFuzzer", of: "WireFuzzTargets"),
        fuzzer("ConditionsFuzzer", of: "WireFuzzTargets"),
        fuzzer("PathsFuzzer", of: "GatewayFuzzTargets"),
        fuzzer("ConfigurationFuzzer", of: "GatewayFuzzTargets"),
        fuzzer("ClaimsFuzzer", of: "GatewayFuzzTargets"),
        fuzzer("Http2FieldsFuzzer", of: "HTTP2FuzzTargets"),
        fuzzer("Http2FramesFuzzer", of: "HTTP2FuzzTargets"),
    ]
)
