extension BehaviourTable {
    static let literals = BehaviourTable(
        #"""
        int literals
            true: 0 == -0
            true: 42 == $int * 6
            true: 9223372036854775807 == $max
            true: -9223372036854775808 == $min
            false: 7 == 8
            refused: 9223372036854775808 > 0
            refused: 1u == 1
            refused: 0755 == 493
        float literals
            true: 1.5 == $float
            true: 15e-1 == $float
            true: 1.5E0 == $float
            true: 1e3 == 1000
            true: 1e-400 == 0.0
            false: 1.0 == 1.5
            refused: 1. == 1.0
            refused: 1e == 1.0
        string literals
            true: 'Ada' == "Ada"
            true: 'a"b' == "a\"b"
            true: 'a\'b' == "a'b"
            true: '\n\r\t\\'.size() == 4
            true: '\x41\u0041\U00000041' == 'AAA'
            true: '\101' == 'A'
            true: 'é'.size() == 1
            true: '🐱'.size() == 1
            false: 'a' == 'A'
            refused: 'a
            refused: 'a\q' == 'aq'
            refused: '\ud800' == 'a'
            refused: `a` == 'a'
        bytes literals
            true: b'ab' == $bytes
            true: b"ab" == b'ab'
            true: b'\xff\x00'.size() == 2
            true: b'\377' == b'\xff'
            true: b'é' == b'\xc3\xa9'
            false: b'a' == b'b'
            refused: b'a
        Boolean literals
            true: true
            false: false
            refused: True
            refused: TRUE
        null literal
            true: null == null
            false: [$int] == [null]
            refused: undefined == null
            refused: nil == null
        list literals
            true: [1, 'a', [null]].size() == 3
            true: [].size() == 0
            true: [1, 2, 3,].size() == 3
            false: [1] == [2]
            fails: [$missing].size() == 1
            refused: [1, 2 == [1, 2]
        map literals
            true: {'a': 1, "b": [2]}.b == [2]
            true: {}.size() == 0
            true: {'a' + 'b': 1}.ab == 1
            true: {$string: 1}['Ada'] == 1
            false: {'a': 1} == {'a': 2}
            fails: {'a': $missing}.size() == 1
            fails: {$int: 1}.size() == 1
            fails: {'a': 1, $empty + 'a': 2}.size() == 1
            refused: {'a': 1, 'a': 2}.size() == 1
            refused: {1: 'a'}.size() == 1
            refused: {a: 1}.size() == 1 -- quote
        path literals
            true: /users/ada == path('/users/ada')
            true: /users/$($lower) == /users/ada
            true: /users/$('a' + 'da')/x == /users/ada/x
            true: /a/$($path[0]) == /a/users
            false: /users/ada == /users/bob
            fails: /users/$($missing) == /users/ada
            fails: /users/$($int) == /users/7
            fails: /users/$($null) == /users/ada
        comments
            true: true // && false
            true: /* false && */ true
            true: true /* a /* b */
            false: false // || true
            refused: true /* without an end
        """#)
}
