// What the panel is to do, as objects of the store: each as the request that would make it.
import type { RevisionKind } from '@panel/shared/api/revisions.ts'
import type { ReadDb } from '../../platform/context.ts'
import { networkItem, poolItem, routeItem, tunnelItem } from '../backup/document.ts'
import { allNetworks } from '../networks/store.ts'
import { allPools } from '../pools/store.ts'
import { allRoutes, routesOf } from '../routes/store.ts'
import { SETTING_KEYS } from '../settings/definitions.ts'
import { readValues } from '../settings/settings.ts'
import { everyTunnel, tunnelsOf } from '../tunnels/store.ts'
import type { Item } from './packed.ts'

export interface RevisionObject {
  readonly kind: RevisionKind
  readonly target_key: string
  readonly title: string
  readonly item: Item
}

/** The name of an object among those of every kind. */
export const nameOf = ({ kind, target_key }: { readonly kind: string; readonly target_key: string }): string =>
  `${kind} ${target_key}`

/** Fields whose values follow something else where that is named, as an address follows its name. */
const FOLLOWING: Readonly<Partial<Record<RevisionKind, Readonly<Record<string, string>>>>> = {
  tunnel: { local_endpoint: 'is_local_endpoint_automatic', remote_endpoint: 'remote_hostname' },
  route: { bind_address: 'bind_address_interface', snat_address: 'snat_address_interface' },
}

/** Null in one of these says that it follows; the others are left out. */
const NULL_FOLLOWS: readonly string[] = ['local_endpoint']

/** What is wanted, without what follows from that by itself. */
export function wishOf(kind: RevisionKind, item: Item): Item {
  const names = FOLLOWING[kind] ?? {}
  const isFollowing = (field: string): boolean => ![undefined, null, false].includes(item[names[field] ?? ''] as null)
  const wished = ([field, value]: [string, unknown]): [string, unknown][] =>
    isFollowing(field) ? NULL_FOLLOWS.filter((name) => name === field).map((name) => [name, null]) : [[field, value]]
  return Object.fromEntries(Object.entries(item).flatMap(wished))
}

/** Reads those of one kind, by their keys or all of them. */
type Reader = (db: ReadDb, keys: readonly string[] | null) => Promise<RevisionObject[]>

const READERS: Readonly<Record<RevisionKind, Reader>> = {
  setting: async (db, keys) => {
    const values = await readValues(db)
    return SETTING_KEYS.filter((key) => keys === null || keys.includes(key)).map((key) => ({
      kind: 'setting',
      target_key: key,
      title: key,
      item: { key, value: values[key] },
    }))
  },
  pool: async (db, keys) =>
    (await allPools(db))
      .map((one) => object('pool', one.address_pool_id, one.address_pool_title, poolItem(one)))
      .filter(({ target_key }) => keys === null || keys.includes(target_key)),
  tunnel: async (db, keys) =>
    (await (keys === null ? everyTunnel(db) : tunnelsOf(db, keys.map(Number)))).map((one) =>
      object('tunnel', one.tunnel_id, one.interface_name, tunnelItem(one)),
    ),
  network: async (db, keys) =>
    (await allNetworks(db))
      .map((one) => object('network', one.network_id, one.network_title, networkItem(one)))
      .filter(({ target_key }) => keys === null || keys.includes(target_key)),
  route: async (db, keys) =>
    (await (keys === null ? allRoutes(db) : routesOf(db, keys.map(Number)))).map((one) =>
      object('route', one.route_rule_id, one.route_rule_title, routeItem(one)),
    ),
}

const object = (kind: RevisionKind, id: number, title: string, item: object): RevisionObject => ({
  kind,
  target_key: String(id),
  title,
  item: item as Item,
})

/** In the order in which one can refer to another. */
export const KINDS = Object.keys(READERS) as RevisionKind[]

/** Every object of the store, or of those named the ones that are there. */
export async function readObjects(
  db: ReadDb,
  touched: readonly Pick<RevisionObject, 'kind' | 'target_key'>[] | null,
): Promise<RevisionObject[]> {
  const all: RevisionObject[] = []
  for (const kind of KINDS) {
    const keys = touched?.filter((one) => one.kind === kind).map(({ target_key }) => target_key) ?? null
    if (keys === null || keys.length > 0) all.push(...(await READERS[kind](db, keys)))
  }
  return all
}
