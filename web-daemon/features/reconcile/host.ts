// What the host holds beside what is stored: digests of everything, and the whole of what differs. Names by the
// thousand go in portions.
import { createHash } from 'node:crypto'
import { withoutCounters } from '@panel/shared/tunnel/observed.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { TunnelDigest } from '@panel/shared/rpc/digest.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'

/** A name as the host holds it. */
export interface Found extends Omit<TunnelDigest, 'digest'> {
  readonly state: TunnelState | null
}

/** `state` is canonical. */
export const digestOf = (state: TunnelState | null): string =>
  createHash('sha256').update(JSON.stringify(state)).digest('hex')

/** Whole states, as many as fit into the line of an answer. */
const PORTION = 1000

type Digests = ReadonlyMap<string, TunnelDigest>

/** The last answer with digests; no other answer has its revision. */
let last: { readonly revision: string; readonly digests: Digests } | null = null

/**
 * Every tunnel of the host: each link, and each name that files of ours stand under. One that is as it was at the last
 * request is the very object of then.
 */
export async function readDigests(request: Reader): Promise<Digests> {
  const known = last
  const { revision, is_unchanged, tunnels } = await request('tunnel.digest', known ? { known: known.revision } : {})
  if (known && is_unchanged) return known.digests
  const digests = new Map(tunnels.map((tunnel) => [tunnel.interface_name, tunnel]))
  last = { revision, digests }
  return digests
}

export async function probeNames(request: Reader, names: readonly string[]): Promise<Map<string, Found>> {
  const answers = await Promise.all(
    inPortions(names).map((interface_names) => request('tunnel.probe', { interface_names })),
  )
  return new Map(
    answers
      .flatMap(({ tunnels }) => tunnels)
      .map((tunnel) => [
        tunnel.interface_name,
        { ...tunnel, observed: tunnel.observed && withoutCounters(tunnel.observed) },
      ]),
  )
}

const inPortions = (names: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(names.length / PORTION) }, (_, at) => names.slice(at * PORTION, (at + 1) * PORTION))
