import WireFuzzTargets

/// Tests one input. libFuzzer calls this function.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    fuzzTokens(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
