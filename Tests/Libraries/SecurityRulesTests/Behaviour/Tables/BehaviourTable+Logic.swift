extension BehaviourTable {
    static let logic = BehaviourTable(
        #"""
        !
            true: !($int == 8); !!$bool
            false: !$bool
            fails: !$int; !$null; !$missing
            refused: !1; !'a'
        &&
            true: $bool && $int == 7; true && true && true
            false: $bool && $int == 8; false && $missing; $missing && false; $int && false
            refused, false: 1 / 0 == 0 && false; false && 1 / 0 == 0
            false: $missing && $missing && false; $int / 0 == 1 && false
            fails: $missing && true; true && $missing; $int && true; true && $string; $missing && $null
            refused: 'a' && true
            refused, false: false && 1
        ||
            true: $bool || $int == 8; $missing || true; true || $missing; $int % 0 == 1 || true; $int || true
            refused, true: 1 / 0 == 0 || true
            true: $missing || $missing || true
            false: false || $int == 8; false || false || false
            fails: $missing || false; false || $missing; $int || false; false || $string; $missing || $null
            refused: 'a' || false
            refused, true: true || 1
        ?:
            true: $bool ? true : false; $int == 7 ? $bool : $missing; $int == 8 ? $missing : $bool
            true: false ? false : true ? true : false
            false: $bool ? false : true
            fails: $missing ? true : true; $int ? true : true; $null ? true : true; $bool ? $missing : true
            refused: 1 ? true : false
        condition
            true: $bool
            false: $int == 8
            fails: $int; $string; $null; $unreadable
            refused: 7; 'foo'; null; $bool ? 7 : 8
        precedence
            true: 1 + 2 * 3 == 7; (1 + 2) * 3 == 9; -2 + 3 == 1; 2 - 1 - 1 == 0; 8 / 2 / 2 == 2; !false && true
            true: true || false && false; 1 < 2 == true; 1 + 1 in [2]; 1 + 1 is int; 'a' in ['a'] == true
            true: true ? true : false || false; -$list[0] == -1; !$map.keys().hasAll(['z'])
            false: (true || false) && false; !(false || true)
            refused: 1 < 2 < 3 && $missing; 1 < 2 < 3
        """#)
}
