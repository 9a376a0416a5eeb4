// Root saying no before anything was touched: a code of the closed list and a sentence.
import type { Message } from '@panel/shared/messages/message.ts'
import type { RefusalCode } from '@panel/shared/rpc/outcome.ts'

export class RefusedError extends Error {
  readonly code: RefusalCode

  /** What is malformed is a bug of the web daemon, of which its log tells; everything else reaches the operator. */
  constructor(...[code, sentence]: ['malformed', string] | [Exclude<RefusalCode, 'malformed'>, Message]) {
    super(typeof sentence === 'string' ? sentence : sentence.message)
    this.name = 'RefusedError'
    this.code = code
  }
}
