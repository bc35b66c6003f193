import Foundation

/// How many times as long as usual everything may take: what sanitizers add to a build is nobody's fault.
enum Allowance {
    static let factor = ProcessInfo.processInfo.environment["GATEHOUSE_TEST_ALLOWANCE"].flatMap { Int($0) } ?? 1
}
