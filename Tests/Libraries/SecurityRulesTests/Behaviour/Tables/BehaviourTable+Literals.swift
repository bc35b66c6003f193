extension BehaviourTable {
    static let literals = BehaviourTable(
        #"""
        int literals
            true: 0 == -0; 42 == $int * 6; 9223372036854775807 == $max; -9223372036854775808 == $min
            false: 7 == 8
            refused: 9223372036854775808 > 0; 1u == 1; 0755 == 493
        float literals
            true: 1.5 == $float; 15e-1 == $float; 1.5E0 == $float; 1e3 == 1000; 1e-400 == 0.0
            false: 1.0 == 1.5
            refused: 1. == 1.0; 1e == 1.0
        string literals
            true: 'Ada' == "Ada"; 'a"b' == "a\"b"; 'a\'b' == "a'b"; '\n\r\t\\'.size() == 4
            true: '\x41\u0041\U00000041' == 'AAA'; '\101' == 'A'; 'é'.size() == 1; '🐱'.size() == 1
            false: 'a' == 'A'
            refused: 'a; 'a\q' == 'aq'; '\ud800' == 'a'; `a` == 'a'
        bytes literals
            true: b'ab' == $bytes; b"ab" == b'ab'; b'\xff\x00'.size() == 2; b'\377' == b'\xff'; b'é' == b'\xc3\xa9'
            false: b'a' == b'b'
            refused: b'a
        Boolean literals
            true: true
            false: false
            refused: True; TRUE
        null literal
            true: null == null
            false: [$int] == [null]
            refused: undefined == null; nil == null
        list literals
            true: [1, 'a', [null]].size() == 3; [].size() == 0; [1, 2, 3,].size() == 3
            false: [1] == [2]
            fails: [$missing].size() == 1
            refused: [1, 2 == [1, 2]
        map literals
            true: {'a': 1, "b": [2]}.b == [2]; {}.size() == 0; {'a' + 'b': 1}.ab == 1; {$string: 1}['Ada'] == 1
            false: {'a': 1} == {'a': 2}
            fails: {'a': $missing}.size() == 1; {$int: 1}.size() == 1; {'a': 1, $empty + 'a': 2}.size() == 1
            refused: {'a': 1, 'a': 2}.size() == 1; {1: 'a'}.size() == 1
            refused: {a: 1}.size() == 1 -- quote
        path literals
            true: /users/ada == path('/users/ada'); /users/$($lower) == /users/ada
            true: /users/$('a' + 'da')/x == /users/ada/x; /a/$($path[0]) == /a/users
            false: /users/ada == /users/bob
            fails: /users/$($missing) == /users/ada; /users/$($int) == /users/7; /users/$($null) == /users/ada
        comments
            true: true // && false; /* false && */ true; true /* a /* b */
            false: false // || true
            refused: true /* without an end
        """#)
}
