// All networks, stored or kept by root alone, each compared with the other side (reference.md, GET /reconcile).
import { RECONCILE_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { NetworkFinding, NetworkFindings } from '@panel/shared/api/networks/findings.ts'
import { message, messageFields, verbatim } from '@panel/shared/messages/message.ts'
import type { NetworkFound } from '@panel/shared/network/model.ts'
import type { ReadContext } from '../../platform/context.ts'
import { isHelperAway } from '../../platform/helper/away.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'
import { compareNetwork, type Comparison } from './compare.ts'
import { failedSince, type NetworkRecord } from './record.ts'
import { allNetworks, pathTunnels } from './store.ts'

type Context = Pick<ReadContext, 'db' | 'request'>

export interface Compared extends Comparison {
  readonly destination: string
  /** Null: root alone has it. */
  readonly record: NetworkRecord | null
  /** Since when none of its paths is well; null where one is. */
  readonly failed_since: string | null
}

/** Throws where root cannot say what it keeps. */
export async function compareAll({ db, request }: Context): Promise<Compared[]> {
  const { networks: found } = await request('network.probe', {})
  const records = await allNetworks(db)
  const tunnels = await pathTunnels(db, records)
  const byDestination = new Map(found.map((one) => [one.state.destination, one]))
  const known = new Set(records.map(({ destination }) => destination))
  return [
    ...records.map((record) => ({
      record,
      destination: record.destination,
      failed_since: failedSince(record, tunnels),
      ...compareNetwork(record, tunnels, byDestination.get(record.destination) ?? null),
    })),
    ...found.filter(({ state }) => !known.has(state.destination)).map(orphan),
  ]
}

const orphan = ({ state }: NetworkFound): Compared => ({
  record: null,
  failed_since: null,
  destination: state.destination,
  status: 'Unmanaged',
  sentence: message('drift.network_unknown'),
  diffs: [],
  isCut: false,
})

/** Throws 503 if the helper is away: then nothing is known. */
export async function networkFindings(context: Context): Promise<NetworkFindings> {
  try {
    const networks = (await compareAll(context)).map(findingOf)
    const network_counts: NetworkFindings['network_counts'] = {}
    for (const { status } of networks) network_counts[status] = (network_counts[status] ?? 0) + 1
    return { networks, network_counts, network_findings: { readable: true, ...messageFields('detail', verbatim('')) } }
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || isHelperAway(thrown)) throw thrown
    const network_findings = { readable: false, ...messageFields('detail', asMessage(thrown)) }
    return { networks: [], network_counts: {}, network_findings }
  }
}

const findingOf = ({ record, destination, status, sentence, diffs }: Compared): NetworkFinding => ({
  network_id: record?.network_id ?? null,
  network_title: record?.network_title ?? '',
  destination,
  status,
  reconcile_status_id: RECONCILE_STATUSES[status],
  ...messageFields('detail', sentence),
  actions: record ? ['reapply', 'delete'] : ['adopt'],
  diffs: [...diffs],
})
