extension BehaviourTable {
    static let kinds = BehaviourTable(
        #"""
        is bool
            true: $bool is bool
            true: (1 == 1) is bool
            false: $int is bool
            false: $null is bool
            fails: $missing is bool
        is int
            true: $int is int
            true: $max is int
            false: $float is int
            false: $string is int
            fails: $missing is int
        is float
            true: $float is float
            true: $nan is float
            true: 1.0 is float
            false: $int is float
            fails: $missing is float
        is number
            true: $int is number
            true: $float is number
            false: $string is number
            fails: $missing is number
        is string
            true: $string is string
            true: request.method is string
            false: $bytes is string
            fails: $missing is string
        is bytes
            true: $bytes is bytes
            true: b'' is bytes
            false: $string is bytes
            fails: $missing is bytes
        is list
            true: $list is list
            true: [] is list
            false: $set is list
            fails: $missing is list
        is set
            true: $set is set
            true: [1].toSet() is set
            false: $list is set
            fails: $missing is set
        is map
            true: $map is map
            true: request.auth is map
            false: $list is map
            false: $null is map
            fails: $missing is map
        is map_diff
            true: $map.diff($other) is map_diff
            false: $map is map_diff
            fails: $missing is map_diff
        is path
            true: $path is path
            true: request.path is path
            false: $string is path
            fails: $missing is path
        is timestamp
            true: $timestamp is timestamp
            true: request.time is timestamp
            false: $int is timestamp
            fails: $missing is timestamp
        is duration
            true: $duration is duration
            false: $timestamp is duration
            fails: $missing is duration
        is, other names
            no true: they are refused at load
            no false: they are refused at load
            refused: $null is null -- == null
            refused: $map is latlng
            refused: $map is constraint
            refused: $int is integer
            refused: $int is double
            fails: $unreadable is string
        """#)
}
