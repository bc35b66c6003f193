/// The open client connections of one worker: constant-time entry and exit.
package final class ConnectionRegistry {
    package private(set) var connections: [ClientHandler] = []

    package init() {}

    package var count: Int { connections.count }

    func add(_ connection: ClientHandler) {
        connection.registryIndex = connections.count
        connections.append(connection)
    }

    func remove(_ connection: ClientHandler) {
        let index = connection.registryIndex
        guard index < connections.count, connections[index] === connection else { return }
        let last = connections.removeLast()
        if last !== connection {
            connections[index] = last
            last.registryIndex = index
        }
    }

    /// Visits each connection; those that leave meanwhile are not missed and not visited twice.
    package func forEach(_ body: (ClientHandler) -> Void) {
        for connection in connections { body(connection) }
    }
}
