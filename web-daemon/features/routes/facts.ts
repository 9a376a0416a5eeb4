// What a draft needs to know of the host: its interfaces, its addresses who listens on its ports and what carries out
// its rules. Read live, remembered nowhere.
import { canonicalIp } from '@panel/shared/address/ip.ts'
import type { Listener } from '@panel/shared/host/listener.ts'
import type { RuleBackendFound } from '@panel/shared/ruleset/backend.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'

export interface HostFacts {
  readonly interfaces: ReadonlySet<string>
  /** In canonical spelling. */
  readonly addresses: ReadonlySet<string>
  readonly listeners: readonly Listener[]
  /** What carries out relay rules here. */
  readonly rule_backend: RuleBackendFound
}

export async function hostFacts(request: Reader): Promise<HostFacts> {
  const { interfaces, listeners, rule_backend } = await request('host.probe', {
    parts: ['interfaces', 'listeners', 'rule_backend'],
  })
  if (!interfaces || !listeners || !rule_backend)
    throw new Error('The helper left out a part of the host that was requested')
  const addresses = interfaces.flatMap((one) => one.addresses.map((text) => canonicalIp(text.split('/')[0] ?? '')))
  return {
    interfaces: new Set(interfaces.map(({ name }) => name)),
    addresses: new Set(addresses),
    listeners,
    rule_backend,
  }
}
