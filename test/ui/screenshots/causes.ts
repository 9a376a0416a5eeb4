// The overview with each kind of cause for which rules relay nothing, or may not.
import { readForeign } from '@panel/shared/foreign/read.ts'
import type { FakeKernel } from '../../support/fake-kernel.ts'
import type { Client } from '../../api/support/client.ts'
import { fakeRoute } from '../../support/fake-routes.ts'
import type { Scene } from './scene.ts'
import { look, type FullWorld } from './world.ts'

const chain = (fields: object): object => ({
  chain: { family: 'inet', table: 'filter', name: 'gate', type: 'filter', prio: 0, policy: 'accept', ...fields },
})
const rule = (...expr: object[]): object => ({ rule: { family: 'inet', table: 'filter', chain: 'gate', expr } })
const holds =
  (...objects: object[]) =>
  (kernel: FakeKernel): void =>
    void (kernel.foreign = readForeign(JSON.stringify({ nftables: objects }), ''))
const toTheShop = { match: { op: '==', left: { payload: { protocol: 'tcp', field: 'dport' } }, right: 443 } }

const STOPPED = {
  dropped: holds(chain({ hook: 'forward', policy: 'drop' })),
  'may-drop': holds(chain({ hook: 'forward', policy: 'drop' }), rule({ xt: null }, { accept: null })),
  untracked: holds(chain({ hook: 'prerouting', prio: -300 }), rule(toTheShop, { notrack: null })),
  taken: holds(
    chain({ hook: 'prerouting', type: 'nat', prio: -110 }),
    rule(toTheShop, { dnat: { addr: '172.17.0.2' } }),
  ),
  'lost-address': (_, client) => client.patch('/routes/1', { bind_address: '203.0.113.99', force: true }),
  'no-route': (kernel) => void (kernel.hostRoutes = [fakeRoute('192.0.2.0/24', 'eth0')]),
  'forwarding-off': (kernel) => void (kernel.forwarding.live.ipv4 = false),
  'table-full': (kernel) => void (kernel.forwarding.conntrack = { count: 90, max: 100 }),
} satisfies Record<string, (kernel: FakeKernel, client: Client) => unknown>

export const stopped =
  (by: keyof typeof STOPPED) =>
  async ({ host, client }: FullWorld): Promise<void> => {
    await STOPPED[by](host.kernel, client)
    host.routeWatch.hint('all')
    await look(host)
  }

/** The drawer of the first incident, and the same diagnosed. */
const DRAWERS: readonly Scene[] = [
  { name: 'incident', path: '?incident=1', alone: stopped('dropped'), shows: 'Drawer', isWindow: true },
  {
    name: 'incident-diagnosed',
    path: '?incident=1&diagnose=1',
    alone: stopped('dropped'),
    shows: 'Drawer',
    isWindow: true,
    arrive: ({ page, say }) => page.getByText(say('routes.analysis.evidence')).first().waitFor(),
  },
]

const STOPPED_OVERVIEWS: readonly Scene[] = (Object.keys(STOPPED) as (keyof typeof STOPPED)[]).map((by) => ({
  name: `overview-${by}`,
  path: '',
  alone: stopped(by),
}))

export const OVERVIEWS: readonly Scene[] = [...STOPPED_OVERVIEWS, ...DRAWERS]
