import Foundation

/// How much more time than usual the tests may take, such as under a sanitizer: `GATEHOUSE_TEST_ALLOWANCE`.
public enum Allowance {
    /// At least 1.
    public static let factor = max(1, Int(ProcessInfo.processInfo.environment["GATEHOUSE_TEST_ALLOWANCE"] ?? "") ?? 1)
}
