// The nouns of the panel, for tests that hold for each: how the first of it is made, changed and looked at.
import type { Client, Reply } from './client.ts'
import {
  createNetwork,
  deleteNetwork,
  getNetwork,
  listNetworks,
  makeTunnels,
  movePath,
  patchNetwork,
  PREFERRED,
} from './networks.ts'
import type { TestPanel } from './panel.ts'
import { itemOf, reconcile } from './reconcile.ts'
import {
  actOnRoute,
  applyAll,
  createRoute,
  deleteRoute,
  getRoute,
  listRoutes,
  madeRoute,
  patchRoute,
  reorder,
} from './routes.ts'
import { act, createTunnel, deleteTunnel, getTunnel, listTunnels, patchTunnel } from './tunnels.ts'

export type Asking = (client: Client) => Promise<Reply<unknown>>

/** One noun of the panel: how the first of it is made, changed and looked at. */
export interface Noun {
  readonly method: string
  /** What it stands on. */
  readonly furnish?: (client: Client) => Promise<unknown>
  readonly create: Asking
  /** What else is there when it is changed. */
  readonly others: (client: Client) => Promise<unknown>
  readonly status: (client: Client) => Promise<string>
  readonly changes: Record<string, Asking>
  readonly reapply: Asking
  /** What the panel does by itself as it starts, and from time to time. */
  readonly look: (panel: TestPanel) => Promise<unknown>
  readonly total: (client: Client) => Promise<number>
  /** How it is where nothing of it was made yet. */
  readonly reported: (client: Client) => Promise<string>
}

export const NOUNS: Record<string, Noun> = {
  rule: {
    method: 'ruleset.apply',
    create: (client) => createRoute(client),
    others: async (client) => {
      for (const bind_port of [7, 8]) await madeRoute(client, { bind_port })
    },
    status: async (client) => (await getRoute(client, 1)).body.route.apply_status,
    changes: {
      'a change': (client) => patchRoute(client, 1, { destination_port: 9 }),
      disabling: (client) => actOnRoute(client, 1, 'disable'),
      'a new order': (client) => reorder(client, [2, 3, 1]),
      'applying all': (client) => applyAll(client),
      deleting: (client) => deleteRoute(client, 1),
    },
    reapply: (client) => actOnRoute(client, 1, 'reapply'),
    look: (panel) => {
      panel.routeWatch.hint('all')
      return panel.routeWatch.pass('event')
    },
    total: async (client) => (await listRoutes(client)).body.total,
    reported: async (client) =>
      ((health) => `${health.state}: ${health.detail}`)((await getRoute(client, 1)).body.health),
  },
  tunnel: {
    method: 'tunnel.apply',
    create: (client) => createTunnel(client),
    others: () => Promise.resolve(),
    status: async (client) => (await getTunnel(client, 1)).body.apply_status,
    changes: {
      'a change': (client) => patchTunnel(client, 1, { mtu: 1300 }),
      'taking down': (client) => act(client, 1, 'down'),
      restarting: (client) => act(client, 1, 'restart'),
      deleting: (client) => deleteTunnel(client, 1),
    },
    reapply: (client) => act(client, 1, 'reapply'),
    look: (panel) => panel.watch.pass('start'),
    total: async (client) => (await listTunnels(client)).body.total,
    reported: async (client) => ((item) => `${item.status}: ${item.detail}`)(await itemOf(client, 'gre-a-1')),
  },
  network: {
    method: 'network.apply',
    furnish: makeTunnels,
    create: (client) => createNetwork(client, { paths: PREFERRED }),
    others: () => Promise.resolve(),
    status: async (client) => (await getNetwork(client, 1)).body.apply_status,
    changes: {
      'a change': (client) => patchNetwork(client, 1, { metric: 60 }),
      disabling: (client) => patchNetwork(client, 1, { is_enabled: false }),
      'taking out a path': (client) => movePath(client, 1, 1, 'take-out'),
      deleting: (client) => deleteNetwork(client, 1),
    },
    reapply: (client) => patchNetwork(client, 1, {}),
    look: (panel) => panel.networkWatch.pass('start'),
    total: async (client) => (await listNetworks(client)).body.total,
    reported: async (client) =>
      (await reconcile(client)).body.networks.map((one) => `${one.status}: ${one.detail}`).join(),
  },
}
