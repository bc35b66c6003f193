package import HTTPWire

/// A parsed request head, valid only during the call that provides it.
package struct RequestView {
    package let head: RequestHead
    package let bytes: UnsafeRawBufferPointer
    package let fields: FieldTable

    package init(head: RequestHead, bytes: UnsafeRawBufferPointer, fields: FieldTable) {
        self.head = head
        self.bytes = bytes
        self.fields = fields
    }
}
