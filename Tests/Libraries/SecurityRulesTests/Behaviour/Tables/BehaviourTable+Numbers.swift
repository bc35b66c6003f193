extension BehaviourTable {
    static let numbers = BehaviourTable(
        #"""
        math.abs
            true: math.abs($negative) == 7
            true: math.abs(-1.5) == 1.5
            true: math.abs($negative) is int
            false: math.abs($negative) == -7
            fails: math.abs($min) > 0
            fails: math.abs($string) == 0
            refused: math.abs('a') == 0
        math.ceil
            true: math.ceil($float) == 2
            true: math.ceil(-1.5) == -1
            true: math.ceil($float) is int
            true: math.ceil($int) == 7
            false: math.ceil($float) == 1
            fails: math.ceil($nan) == 0
            fails: math.ceil($infinite) > 0
            refused: math.ceil(1e300) > 0
            fails: math.ceil($string) == 0
        math.floor
            true: math.floor($float) == 1
            true: math.floor(-1.5) == -2
            false: math.floor($float) == 2
            fails: math.floor($infinite) > 0
            fails: math.floor($null) == 0
        math.round
            true: math.round(1.4) == 1
            true: math.round($float) == 2
            true: math.round(2.5) == 3
            false: math.round(1.6) == 1
            fails: math.round($nan) == 0
            fails: math.round($bool) == 0
        math.pow
            true: math.pow(2, 10) == 1024
            true: math.pow(4, 0.5) == 2
            true: math.pow(2, 10) is float
            false: math.pow(2, 3) == 9
            fails: math.pow($string, 2) == 1
            refused: math.pow(2) == 2
        math.sqrt
            true: math.sqrt(9) == 3
            true: math.isNaN(math.sqrt(-1))
            false: math.sqrt(9) == 9
            fails: math.sqrt($string) == 3
        math.isNaN
            true: math.isNaN($nan)
            false: math.isNaN($float)
            false: math.isNaN($int)
            fails: math.isNaN($string)
            refused: math.isNaN('NaN')
        math.isInfinite
            true: math.isInfinite($infinite)
            false: math.isInfinite($nan)
            false: math.isInfinite($max)
            fails: math.isInfinite($null)
        int
            true: int('42') == 42
            true: int('-7') == $negative
            true: int(2.9) == 2
            true: int(-2.9) == -2
            true: int($int) == 7
            false: int('42') == 43
            fails: int($string) == 0
            fails: int($empty) == 0
            refused: int(' 1') == 1
            refused: int('1.5') == 1
            refused: int('') == 0
            refused: int('9223372036854775808') > 0
            fails: int($nan) == 0
            fails: int($infinite) > 0
            refused: int(1e300) > 0
            fails: int($bool) == 1
            fails: int($null) == 0
            refused: int([]) == 0
        float
            true: float('1.5') == 1.5
            true: float($int) == 7.0
            true: float($int) is float
            true: float('1e3') == 1000.0
            false: float('1.5') == 1
            fails: float($string) == 0.0
            fails: float($empty) == 0.0
            refused: float('') == 0.0
            fails: float($bool) == 1.0
            refused: float({}) == 0.0
        string
            true: string($int) == '7'
            true: string($float) == '1.5'
            true: string($bool) == 'true'
            true: string(null) == 'null'
            true: string($string) == 'Ada'
            true: string($path) == '/users/ada/docs'
            true: string(/a/$('b/c')) == '/a/b%2Fc'
            false: string($int) == '07'
            fails: string($list) == ''
            fails: string($timestamp) == ''
            fails: string($unreadable) == ''
            refused: string([]) == ''
        bool
            true: bool('true')
            true: bool($bool)
            false: bool('false')
            fails: bool($string)
            refused: bool('yes')
            fails: bool($int)
            fails: bool($null)
            refused: bool(1)
        """#)
}
