// The reads of one piece of work: the host stays the same meanwhile, so the same request is sent once.
import { METHODS, type Params, type Reader, type Result, type Writer } from '@panel/shared/rpc/methods.ts'

type Method = keyof typeof METHODS
type Send = (method: Method, params: Params<Method>) => Promise<Result<Method>>

/** The answers that such a reader has had, by what was read. */
const memories = new WeakMap<object, Map<unknown, Promise<unknown>>>()

/** What was read is read again once the host was changed. */
export function readingOnce<R extends Reader | Writer>(request: R): R {
  const send = request as unknown as Send
  const answers = new Map<unknown, Promise<unknown>>()
  const once = (method: Method, params: Params<Method>): Promise<unknown> =>
    METHODS[method].effect === 'write'
      ? send(method, params).finally(() => answers.clear())
      : kept(answers, `${method} ${JSON.stringify(params)}`, () => send(method, params))
  memories.set(once, answers)
  return once as unknown as R
}

export const isReadingOnce = (request: Reader): boolean => memories.has(request)

/** What takes many reads, also of the store: with such a reader once by each key, too. */
export function readOnce<T>(request: Reader, key: unknown, read: () => Promise<T>): Promise<T> {
  const answers = memories.get(request)
  return answers ? kept(answers, key, read) : read()
}

function kept<T>(answers: Map<unknown, Promise<unknown>>, key: unknown, read: () => Promise<T>): Promise<T> {
  const known = answers.get(key)
  if (known) return known as Promise<T>
  const answer = read()
  answers.set(key, answer)
  // The next one may be answered.
  answer.catch(() => answers.delete(key))
  return answer
}
