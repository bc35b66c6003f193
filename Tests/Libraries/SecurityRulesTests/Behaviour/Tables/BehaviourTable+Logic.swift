extension BehaviourTable {
    static let logic = BehaviourTable(
        #"""
        !
            true: !($int == 8)
            true: !!$bool
            false: !$bool
            fails: !$int
            fails: !$null
            fails: !$missing
            refused: !1
            refused: !'a'
        &&
            true: $bool && $int == 7
            true: true && true && true
            false: $bool && $int == 8
            false: false && $missing
            false: $missing && false
            false: $int && false
            refused, false: 1 / 0 == 0 && false
            refused, false: false && 1 / 0 == 0
            false: $missing && $missing && false
            false: $int / 0 == 1 && false
            fails: $missing && true
            fails: true && $missing
            fails: $int && true
            fails: true && $string
            fails: $missing && $null
            refused: 'a' && true
            refused, false: false && 1
        ||
            true: $bool || $int == 8
            true: $missing || true
            true: true || $missing
            true: $int % 0 == 1 || true
            true: $int || true
            refused, true: 1 / 0 == 0 || true
            true: $missing || $missing || true
            false: false || $int == 8
            false: false || false || false
            fails: $missing || false
            fails: false || $missing
            fails: $int || false
            fails: false || $string
            fails: $missing || $null
            refused: 'a' || false
            refused, true: true || 1
        ?:
            true: $bool ? true : false
            true: $int == 7 ? $bool : $missing
            true: $int == 8 ? $missing : $bool
            true: false ? false : true ? true : false
            false: $bool ? false : true
            fails: $missing ? true : true
            fails: $int ? true : true
            fails: $null ? true : true
            fails: $bool ? $missing : true
            refused: 1 ? true : false
        condition
            true: $bool
            false: $int == 8
            fails: $int
            fails: $string
            fails: $null
            fails: $unreadable
            refused: 7
            refused: 'foo'
            refused: null
            refused: $bool ? 7 : 8
        precedence
            true: 1 + 2 * 3 == 7
            true: (1 + 2) * 3 == 9
            true: -2 + 3 == 1
            true: 2 - 1 - 1 == 0
            true: 8 / 2 / 2 == 2
            true: !false && true
            true: true || false && false
            true: 1 < 2 == true
            true: 1 + 1 in [2]
            true: 1 + 1 is int
            true: 'a' in ['a'] == true
            true: true ? true : false || false
            true: -$list[0] == -1
            true: !$map.keys().hasAll(['z'])
            false: (true || false) && false
            false: !(false || true)
            refused: 1 < 2 < 3 && $missing
            refused: 1 < 2 < 3
        """#)
}
