/// An object that can be in one ``Registry``.
package protocol Registered: AnyObject {
    /// The position in the registry, which only the registry sets.
    var registryIndex: Int { get set }
}

/// Objects in no order, with insertion and removal in constant time.
package final class Registry<Element: Registered> {
    package private(set) var elements: [Element] = []

    package var count: Int { elements.count }
    package var isEmpty: Bool { elements.isEmpty }

    func add(_ element: Element) {
        element.registryIndex = elements.count
        elements.append(element)
    }

    /// Returns whether the registry contained the element.
    @discardableResult
    func remove(_ element: Element) -> Bool {
        let index = element.registryIndex
        guard index < elements.count, elements[index] === element else { return false }
        let last = elements.removeLast()
        if last !== element {
            elements[index] = last
            last.registryIndex = index
        }
        return true
    }

    /// Visits each element once, even if some are removed meanwhile.
    package func forEach(_ body: (Element) -> Void) {
        for element in elements { body(element) }
    }
}

extension Registry<HTTP2Connection> {
    package func tick(now: UInt64) { forEach { $0.tick(now: now) } }

    /// The number of open streams.
    package var streamCount: Int { elements.reduce(0) { $0 + $1.streams.count } }
}
