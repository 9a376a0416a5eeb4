// Root saying no before anything was touched: a code of the closed list and a sentence.
import type { RefusalCode } from '@panel/shared/rpc/outcome.ts'

export class RefusedError extends Error {
  readonly code: RefusalCode
  constructor(code: RefusalCode, message: string) {
    super(message)
    this.name = 'RefusedError'
    this.code = code
  }
}
