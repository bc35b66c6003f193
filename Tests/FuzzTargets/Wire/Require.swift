/// Stops the run when a property does not hold. Unlike `precondition` it tells the property in optimised builds too,
/// which is what fuzzers run.
@inline(__always)
package func require(_ holds: @autoclosure () -> Bool, _ property: StaticString) {
    guard holds() else { fatalError("not so: \(property)") }
}
