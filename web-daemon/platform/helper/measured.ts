// How long root takes for each change, from any caller.
import { METHODS, type Writer } from '@panel/shared/rpc/methods.ts'

export type OnChange = (method: string, seconds: number) => void

/** The same writer; what only reads is not measured. */
export function measured(request: Writer, monotonic: () => number, onChange: OnChange): Writer {
  return async (method, params) => {
    if (METHODS[method].effect !== 'write') return request(method, params)
    const began = monotonic()
    try {
      return await request(method, params)
    } finally {
      onChange(method, (monotonic() - began) / 1000)
    }
  }
}
