import HTTP2FuzzTargets

/// Tests one input. libFuzzer calls this function.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    fuzzHTTP2Fields(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
