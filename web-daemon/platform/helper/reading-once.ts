// The reads of a plan: the host stays the same meanwhile, so the same request is sent once.
import type { Reader } from '@panel/shared/rpc/methods.ts'

export function readingOnce(request: Reader): Reader {
  const answers = new Map<string, ReturnType<Reader>>()
  return ((method, params) => {
    const key = `${method} ${JSON.stringify(params)}`
    const known = answers.get(key)
    if (known) return known
    const answer = request(method, params)
    answers.set(key, answer)
    // The next one may be answered.
    answer.catch(() => answers.delete(key))
    return answer
  }) as Reader
}
