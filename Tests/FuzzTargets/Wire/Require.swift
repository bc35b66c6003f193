/// Stops the run if a property does not hold. Unlike `precondition` it prints the property in optimised builds too.
@inline(__always)
package func require(_ holds: @autoclosure () -> Bool, _ property: StaticString) {
    guard holds() else { fatalError("not so: \(property)") }
}
