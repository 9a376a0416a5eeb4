// What a draft needs to know of the host: its interfaces, its addresses and who listens on its ports. Read live, remembered nowhere.
import { canonicalIp } from '@panel/shared/address/ip.ts'
import type { Listener } from '@panel/shared/model/listener.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'

export interface HostFacts {
  readonly interfaces: ReadonlySet<string>
  /** In canonical spelling. */
  readonly addresses: ReadonlySet<string>
  readonly listeners: readonly Listener[]
}

export async function hostFacts(ask: Reader): Promise<HostFacts> {
  const { interfaces, listeners } = await ask('host.probe', { parts: ['interfaces', 'listeners'] })
  if (!interfaces || !listeners) throw new Error('The helper left out a part of the host that it was asked for')
  const addresses = interfaces.flatMap((one) => one.addresses.map((text) => canonicalIp(text.split('/')[0] ?? '')))
  return { interfaces: new Set(interfaces.map(({ name }) => name)), addresses: new Set(addresses), listeners }
}
