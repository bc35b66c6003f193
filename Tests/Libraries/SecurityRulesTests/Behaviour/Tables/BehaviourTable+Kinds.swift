extension BehaviourTable {
    static let kinds = BehaviourTable(
        #"""
        is bool
            true: $bool is bool; (1 == 1) is bool
            false: $int is bool; $null is bool
            fails: $missing is bool
        is int
            true: $int is int; $max is int
            false: $float is int; $string is int
            fails: $missing is int
        is float
            true: $float is float; $nan is float; 1.0 is float
            false: $int is float
            fails: $missing is float
        is number
            true: $int is number; $float is number
            false: $string is number
            fails: $missing is number
        is string
            true: $string is string; request.method is string
            false: $bytes is string
            fails: $missing is string
        is bytes
            true: $bytes is bytes; b'' is bytes
            false: $string is bytes
            fails: $missing is bytes
        is list
            true: $list is list; [] is list
            false: $set is list
            fails: $missing is list
        is set
            true: $set is set; [1].toSet() is set
            false: $list is set
            fails: $missing is set
        is map
            true: $map is map; request.auth is map
            false: $list is map; $null is map
            fails: $missing is map
        is map_diff
            true: $map.diff($other) is map_diff
            false: $map is map_diff
            fails: $missing is map_diff
        is path
            true: $path is path; request.path is path
            false: $string is path
            fails: $missing is path
        is timestamp
            true: $timestamp is timestamp; request.time is timestamp
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
            refused: $map is latlng; $map is constraint; $int is integer; $int is double
            fails: $unreadable is string
        """#)
}
