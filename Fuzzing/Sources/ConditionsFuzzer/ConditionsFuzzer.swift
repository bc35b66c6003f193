import WireFuzzTargets

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    fuzzConditions(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
