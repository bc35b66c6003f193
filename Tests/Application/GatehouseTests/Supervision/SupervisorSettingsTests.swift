import Foundation
import Testing

@testable import Gatehouse

@Suite struct SupervisorSettingsTests {
    private func settings(_ environment: [String: String]) -> SupervisorSettings? {
        SupervisorSettings(environment, processID: 42)
    }

    @Test func `without a socket there is no service manager`() {
        #expect(settings([:]) == nil)
        #expect(settings(["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "42"]) == nil)
    }

    @Test(arguments: ["", "@", "run/notify", "vsock:2:1234", "unix:/run/notify", " /run/notify"])
    func `a socket of another kind is ignored`(address: String) {
        #expect(settings(["NOTIFY_SOCKET": address]) == nil)
    }

    @Test func `a path ends with a null byte, and an abstract name begins with one`() {
        #expect(NotifyAddress("/run/n")?.bytes == Array("/run/n".utf8) + [0])
        #expect(NotifyAddress("@n/1")?.bytes == [0] + Array("n/1".utf8))
    }

    @Test func `an address that does not fit into the system's structure is ignored`() {
        let longest = String(repeating: "x", count: NotifyAddress.capacity - 1)
        #expect(NotifyAddress("@\(longest)")?.bytes.count == NotifyAddress.capacity)
        #expect(NotifyAddress("@\(longest)x") == nil)
        #expect(NotifyAddress("/\(longest.dropFirst())")?.bytes.count == NotifyAddress.capacity)
        #expect(NotifyAddress("/\(longest)") == nil)
    }

    private static let watchdogs: [(usec: String?, pid: String?, expected: Duration?)] = [
        (nil, nil, nil), (nil, "42", nil), ("30000000", "42", .seconds(30)), ("30000000", nil, .seconds(30)),
        ("1", "42", .microseconds(1)), ("30000000", "43", nil), ("30000000", "", nil), ("30000000", "x", nil),
        ("0", "42", nil), ("-1", "42", nil), ("30s", "42", nil), ("", "42", nil),
        ("18446744073709551616", "42", nil), ("18446744073709551615", "42", .seconds(3_155_760_000)),
    ]

    @Test(arguments: watchdogs)
    func `the watchdog is on for this process and a positive interval`(
        usec: String?, pid: String?, expected: Duration?
    ) {
        var environment = ["NOTIFY_SOCKET": "/run/n"]
        environment["WATCHDOG_USEC"] = usec
        environment["WATCHDOG_PID"] = pid
        #expect(settings(environment)?.watchdog == expected)
    }

    @Test func `variables are removed from the environment`() {
        let name = "GATEHOUSE_TEST_TAKEN"
        setenv(name, "value", 1)
        #expect(ProcessEnvironment.take([name, "GATEHOUSE_TEST_ABSENT"]) == [name: "value"])
        #expect(getenv(name) == nil)
        #expect(ProcessEnvironment.take([name]) == [:])
    }
}
