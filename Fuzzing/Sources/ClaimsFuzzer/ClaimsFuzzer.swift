import Dispatch
import GatewayFuzzTargets

/// Tests one input. libFuzzer calls this function, and its thread waits for the task.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    let done = DispatchSemaphore(value: 0)
    Task {
        await fuzzAccountClaims(input)
        done.signal()
    }
    done.wait()
    return 0
}
