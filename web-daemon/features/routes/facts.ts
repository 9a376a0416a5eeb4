// What a draft needs to know of the host: its interfaces, its addresses, who listens on its ports and what carries out
// its rules. Read live, remembered nowhere.
import { canonicalIp } from '@panel/shared/address/ip.ts'
import type { Listener } from '@panel/shared/host/listener.ts'
import type { HostFound } from '@panel/shared/host/model.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'

export interface HostFacts {
  readonly interfaces: ReadonlySet<string>
  /** In canonical spelling. */
  readonly addresses: ReadonlySet<string>
  /** None where the change cannot conflict with them. */
  readonly listeners: readonly Listener[]
  /** What carries out relay rules here. */
  readonly rule_backend: NonNullable<HostFound['rule_backend']>
}

/** Finding who listens is the most costly part: every process is looked at. Without it there are none. */
export async function hostFacts(request: Reader, needsListeners: boolean): Promise<HostFacts> {
  const { interfaces, listeners, rule_backend } = await request('host.probe', {
    parts: ['interfaces', 'rule_backend', ...(needsListeners ? (['listeners'] as const) : [])],
  })
  if (!interfaces || (needsListeners && !listeners) || !rule_backend)
    throw new Error('The helper left out a part of the host that was requested')
  const addresses = interfaces.flatMap((one) => one.addresses.map((text) => canonicalIp(text.split('/')[0] ?? '')))
  return {
    interfaces: new Set(interfaces.map(({ name }) => name)),
    addresses: new Set(addresses),
    listeners: listeners ?? [],
    rule_backend,
  }
}
