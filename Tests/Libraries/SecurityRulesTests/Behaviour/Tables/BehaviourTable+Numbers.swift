extension BehaviourTable {
    static let numbers = BehaviourTable(
        #"""
        math.abs
            true: math.abs($negative) == 7; math.abs(-1.5) == 1.5; math.abs($negative) is int
            false: math.abs($negative) == -7
            fails: math.abs($min) > 0; math.abs($string) == 0
            refused: math.abs('a') == 0
        math.ceil
            true: math.ceil($float) == 2; math.ceil(-1.5) == -1; math.ceil($float) is int; math.ceil($int) == 7
            false: math.ceil($float) == 1
            fails: math.ceil($nan) == 0; math.ceil($infinite) > 0
            refused: math.ceil(1e300) > 0
            fails: math.ceil($string) == 0
        math.floor
            true: math.floor($float) == 1; math.floor(-1.5) == -2
            false: math.floor($float) == 2
            fails: math.floor($infinite) > 0; math.floor($null) == 0
        math.round
            true: math.round(1.4) == 1; math.round($float) == 2; math.round(2.5) == 3
            false: math.round(1.6) == 1
            fails: math.round($nan) == 0; math.round($bool) == 0
        math.pow
            true: math.pow(2, 10) == 1024; math.pow(4, 0.5) == 2; math.pow(2, 10) is float
            false: math.pow(2, 3) == 9
            fails: math.pow($string, 2) == 1
            refused: math.pow(2) == 2
        math.sqrt
            true: math.sqrt(9) == 3; math.isNaN(math.sqrt(-1))
            false: math.sqrt(9) == 9
            fails: math.sqrt($string) == 3
        math.isNaN
            true: math.isNaN($nan)
            false: math.isNaN($float); math.isNaN($int)
            fails: math.isNaN($string)
            refused: math.isNaN('NaN')
        math.isInfinite
            true: math.isInfinite($infinite)
            false: math.isInfinite($nan); math.isInfinite($max)
            fails: math.isInfinite($null)
        int
            true: int('42') == 42; int('-7') == $negative; int(2.9) == 2; int(-2.9) == -2; int($int) == 7
            false: int('42') == 43
            fails: int($string) == 0; int($empty) == 0
            refused: int(' 1') == 1; int('1.5') == 1; int('') == 0; int('9223372036854775808') > 0
            fails: int($nan) == 0; int($infinite) > 0
            refused: int(1e300) > 0
            fails: int($bool) == 1; int($null) == 0
            refused: int([]) == 0
        float
            true: float('1.5') == 1.5; float($int) == 7.0; float($int) is float; float('1e3') == 1000.0
            false: float('1.5') == 1
            fails: float($string) == 0.0; float($empty) == 0.0
            refused: float('') == 0.0
            fails: float($bool) == 1.0
            refused: float({}) == 0.0
        string
            true: string($int) == '7'; string($float) == '1.5'; string($bool) == 'true'; string(null) == 'null'
            true: string($string) == 'Ada'; string($path) == '/users/ada/docs'; string(/a/$('b/c')) == '/a/b%2Fc'
            false: string($int) == '07'
            fails: string($list) == ''; string($timestamp) == ''; string($unreadable) == ''
            refused: string([]) == ''
        bool
            true: bool('true'); bool($bool)
            false: bool('false')
            fails: bool($string)
            refused: bool('yes')
            fails: bool($int); bool($null)
            refused: bool(1)
        """#)
}
