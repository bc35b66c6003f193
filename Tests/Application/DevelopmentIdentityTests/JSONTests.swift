import DevelopmentIdentity
import Testing

@Suite struct JSONTests {
    @Test func `values are written compactly and in order`() {
        let value: JSON = ["b": 1, "a": [true, nil, "x\n\"", 1.5], "c": ["d": .raw("[ ]")]]
        #expect(value.text == #"{"b":1,"a":[true,null,"x\n\"",1.5],"c":{"d":[ ]}}"#)
    }

    @Test func `a number without a JSON form is null`() {
        #expect(JSON.number(.infinity).text == "null")
    }

    @Test func `a document keeps its spelling`() {
        let text = #"{"a":[1,-2,1.50,1e3,123456789012345678901234567890],"b":{"c":"é\"","d":null,"e":false}}"#
        #expect(JSON(parsing: Array(text.utf8))?.text == text)
    }

    @Test(arguments: ["", "{", #"{"a":1,"a":2}"#, "[1,]", "{} x"])
    func `invalid JSON is rejected`(text: String) {
        #expect(JSON(parsing: Array(text.utf8)) == nil)
    }

    @Test func `setting a path creates the objects on it`() {
        var object: JSONObject = ["a": 1]
        object.set(["a", "b", "c"], to: 2)
        object.set([String](), to: 3)
        #expect(object.text == #"{"a":{"b":{"c":2}}}"#)
    }
}
