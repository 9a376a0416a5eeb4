// What a draft needs to know of the host: its interfaces, its addresses, who listens on its ports and what carries out
// its rules. Read live, remembered nowhere.
import { addressIn } from '@panel/shared/address/ip.ts'
import type { Listener } from '@panel/shared/host/listener.ts'
import type { HostFound } from '@panel/shared/host/model.ts'
import type { LimitsFound } from '@panel/shared/limits/model.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import type { HostInterface } from '@panel/shared/tunnel/observed.ts'
import { readOnce } from '../../platform/helper/reading-once.ts'

export interface HostFacts {
  readonly interfaces: ReadonlyMap<string, HostInterface>
  /** In canonical spelling. */
  readonly addresses: ReadonlySet<string>
  /** None where the change cannot conflict with them. */
  readonly listeners: readonly Listener[]
  /** What carries out relay rules here. */
  readonly rule_backend: NonNullable<HostFound['rule_backend']>
  readonly limits: LimitsFound
}

/** Finding who listens is the most costly part: every process is looked at. Without it there are none. */
export const hostFacts = (request: Reader, needsListeners: boolean): Promise<HostFacts> =>
  readOnce(request, `facts ${needsListeners}`, () => readFacts(request, needsListeners))

async function readFacts(request: Reader, needsListeners: boolean): Promise<HostFacts> {
  const { interfaces, listeners, rule_backend, limits } = await request('host.probe', {
    parts: ['interfaces', 'rule_backend', 'limits', ...(needsListeners ? (['listeners'] as const) : [])],
  })
  if (!interfaces || (needsListeners && !listeners) || !rule_backend || !limits)
    throw new Error('The helper left out a part of the host that was requested')
  const addresses = interfaces.flatMap((one) => one.addresses.map(addressIn))
  return {
    interfaces: new Map(interfaces.map((one) => [one.name, one])),
    addresses: new Set(addresses),
    listeners: listeners ?? [],
    rule_backend,
    limits,
  }
}
