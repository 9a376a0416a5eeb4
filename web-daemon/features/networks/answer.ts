// What is answered to a change of a network: the network as it is now, the plan that was carried out, and what was read
// back.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { ChangeNetworkAnswer } from '@panel/shared/api/networks/answers.ts'
import type { Change } from '@panel/shared/change/change.ts'
import type { Check } from '@panel/shared/change/check.ts'
import type { NetworkStates } from '@panel/shared/network/model.ts'
import type { ReadContext } from '../../platform/context.ts'
import { planView, verificationView } from './plan-view.ts'
import type { NetworkRecord } from './record.ts'
import { pathTunnels } from './store.ts'
import { networkView, observe } from './view.ts'

interface Carried {
  readonly change: Change<NetworkStates>
  readonly checks: readonly Check[]
  readonly warnings: readonly Warning[]
}

export async function changeAnswer(
  { db, request }: Pick<ReadContext, 'db' | 'request'>,
  record: NetworkRecord,
  { change, checks, warnings }: Carried,
): Promise<ChangeNetworkAnswer> {
  const observed = (await observe(request, [record.destination]))(record.destination)
  return {
    network: networkView(record, await pathTunnels(db, [record]), observed),
    plan: planView(change, { network_id: record.network_id, warnings }),
    verification: verificationView(checks),
    warnings: [...warnings],
  }
}
