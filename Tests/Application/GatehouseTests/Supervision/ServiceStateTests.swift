import Testing

@testable import Gatehouse

@Suite struct ServiceStateTests {
    private static let first = ServingStatus(listeners: ["127.0.0.1:8080"], generation: 1)
    private static let second = ServingStatus(listeners: ["127.0.0.1:8080"], generation: 2)
    private static let firstLine = "STATUS=Serving on 127.0.0.1:8080, configuration 1"
    private static let secondLine = "STATUS=Serving on 127.0.0.1:8080, configuration 2"

    /// A started service.
    private var serving: ServiceState {
        var state = ServiceState()
        _ = state.serving(Self.first)
        return state
    }

    @Test func `the end of the start is reported once`() {
        var state = ServiceState()
        #expect(state.serving(Self.first) == "READY=1\n\(Self.firstLine)")
        #expect(state.serving(Self.second) == Self.secondLine)
    }

    @Test func `a reload has the monotonic time in microseconds and ends with READY`() {
        var state = serving
        #expect(
            state.reloadBegan(at: 1_234_567_890)
                == "RELOADING=1\nMONOTONIC_USEC=1234567\nSTATUS=Reloading the configuration")
        #expect(state.reloadEnded(Self.second) == "READY=1\n\(Self.secondLine)")
        #expect(state.reloadEnded(Self.second) == nil)
    }

    @Test func `a reload before the end of the start is not reported`() {
        var state = ServiceState()
        #expect(state.reloadBegan(at: 1) == nil)
        #expect(state.reloadEnded(Self.second) == nil)
        #expect(state.serving(Self.second) == "READY=1\n\(Self.secondLine)")
    }

    @Test func `a change of the status does not end a reload`() {
        var state = serving
        _ = state.reloadBegan(at: 1)
        #expect(state.serving(Self.first) == nil)
        #expect(state.reloadEnded(Self.second) == "READY=1\n\(Self.secondLine)")
    }

    @Test func `a stop requests the time of the drain, and no message follows it`() {
        var state = serving
        _ = state.reloadBegan(at: 1)
        #expect(
            state.stopping(within: .seconds(50))
                == "STOPPING=1\nSTATUS=Stopping within 50 s\nEXTEND_TIMEOUT_USEC=50000000")
        #expect(state.stopping(within: .seconds(50)) == nil)
        #expect(state.reloadEnded(Self.second) == nil)
        #expect(state.reloadBegan(at: 2) == nil)
        #expect(state.serving(Self.second) == nil)
    }

    @Test func `a stop during the start is reported`() {
        var state = ServiceState()
        #expect(state.stopping(within: .seconds(1))?.hasPrefix("STOPPING=1\n") == true)
    }

    @Test func `the status is one line about listeners, readiness and reload`() {
        var status = ServingStatus(listeners: ["https://[::]:8443", "unix:/a", "unix:/b"], generation: 3)
        #expect(status.text == "Serving on https://[::]:8443 and 2 more, configuration 3")
        status.isReady = false
        #expect(status.text.hasSuffix(", configuration 3; not ready: see /readyz"))
        status.isReloadRejected = true
        #expect(status.text.hasSuffix("; not ready: see /readyz; the last reload was rejected: see the log"))
        #expect(ServingStatus(listeners: [], generation: 1).text == "Serving, configuration 1")
    }

    @Test func `a path with a line feed adds no assignment`() {
        var state = ServiceState()
        let message = state.serving(ServingStatus(listeners: ["unix:/a\r\nSTOPPING=1\nb"], generation: 1))
        #expect(message == "READY=1\nSTATUS=Serving on unix:/a STOPPING=1 b, configuration 1")
    }

    @Test func `a long address is shortened`() {
        let status = ServingStatus(listeners: [String(repeating: "x", count: 1000)], generation: 1)
        #expect(status.text.utf8.count < 200)
    }
}
