/// Who is told what became of a command. A class, so that asking allocates nothing; it is kept until it was told.
///
/// A command of one part gets exactly one call. A pipeline of n gets n replies in their order, or fewer and then one failure. All come on
/// the link's loop, and never before `send` has returned.
public protocol RedisReceiver: AnyObject {
    /// A reply, valid only during this call. The server's refusal is one.
    func received(_ reply: RedisReply, ticket: UInt64)
    /// No reply, or no further one, will come.
    func failed(_ failure: RedisFailure, ticket: UInt64)
}
