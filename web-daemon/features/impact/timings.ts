// How long the last changes of each kind took on this host, from the request to root until its answer. In memory: what
// a host is like now is soon measured again.
import type { Took } from '@panel/shared/impact/impact.ts'
import { kindOf } from '@panel/shared/impact/link.ts'
import type { Params, Writer } from '@panel/shared/rpc/methods.ts'

const KEPT = 50

export class Timings {
  readonly #byKind = new Map<string, number[]>()

  add(kind: string, ms: number): void {
    if (kind !== '') this.#byKind.set(kind, [...(this.#byKind.get(kind) ?? []), ms].slice(-KEPT))
  }

  /** The median of them, and the longest; null before there is one. */
  took(kind: string): Took | null {
    const sorted = [...(this.#byKind.get(kind) ?? [])].sort((a, b) => a - b)
    const [typical, worst] = [sorted[sorted.length >> 1], sorted.at(-1)]
    if (typical === undefined || worst === undefined) return null
    return { typical: Math.round(typical), worst: Math.round(worst), of: sorted.length }
  }
}

/** The same writer, whose changes of tunnels are measured; one that fails counts for nothing. */
export function timed(
  request: Writer,
  monotonic: () => number,
): { readonly request: Writer; readonly timings: Timings } {
  const timings = new Timings()
  const measured: Writer = async (method, params) => {
    const began = monotonic()
    const answer = await request(method, params)
    if (method === 'tunnel.apply') timings.add(kindOf(params as Params<'tunnel.apply'>), monotonic() - began)
    return answer
  }
  return { request: measured, timings }
}
