// Has rules follow the names among their destinations. Names that do not resolve keep their last addresses, and a new
// set of addresses has to be seen twice.
import type { Family } from '@panel/shared/address/ip.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import {
  FollowedNames,
  STALE_AFTER,
  type FollowedName,
  type NamesDeps,
  type NameStatus,
} from '../../platform/network/followed-names.ts'
import { resolveHost } from '../../platform/network/resolver.ts'
import { familyOf, type RouteRecord } from '../routes/record.ts'
import { hasOtherFamily, whatBecomes, whyUnresolved } from '../routes/unresolved.ts'
import { storeEvents } from './store.ts'
import { routesOf } from '../routes/store.ts'
import { moveToAddresses, type HostnamesDeps } from './move-to-addresses.ts'

export class Hostnames {
  readonly #deps: HostnamesDeps
  readonly #names: FollowedNames

  constructor(deps: HostnamesDeps) {
    this.#deps = deps
    const { context, resolve = resolveHost, logger } = deps
    this.#names = new FollowedNames({
      resolve,
      logger,
      servers: () => context.settings.get('routes.dns_servers'),
      now: context.now,
      take: (...found) => this.#take(...found),
      why: ({ hostname, family }, error, other) => whyUnresolved(hostname, family, error, other),
      stale: (...failed) => this.#stale(...failed),
      changed: ({ ids }) => context.publish('name.changed', { route_rule_ids: [...ids] }),
    })
  }

  follow(ids: readonly number[], records: readonly RouteRecord[]): void {
    const uses = records
      .filter(({ is_enabled }) => is_enabled)
      .flatMap((record) =>
        record.destinations.flatMap(({ hostname }) =>
          hostname === null ? [] : [{ id: record.route_rule_id, hostname, family: familyOf(record) }],
        ),
      )
    this.#names.follow(ids, uses)
  }

  close(): void {
    this.#names.close()
  }

  of(hostname: string, family: Family): NameStatus | null {
    return this.#names.of(hostname, family)
  }

  look(hostname: string, family: Family): Promise<void> {
    return this.#names.look(hostname, family)
  }

  readonly #take: NamesDeps['take'] = async ({ hostname, ids }, resolution, isSteady) => {
    let problem: Message | null = null
    for (const record of await routesOf(this.#deps.context.db, ids))
      problem = (await moveToAddresses(this.#deps, record, { hostname, resolution, isSteady })) ?? problem
    return problem
  }

  /** Reports stale addresses once in the history of each rule; they are shown as long as that lasts. */
  readonly #stale: NamesDeps['stale'] = async (name, { error, why, failures }) => {
    const its = await this.#destinationsOf(name)
    const { hostname } = name
    const isHeld = its.some(({ address }) => address !== '')
    const counted = isHeld
      ? message('check.stale', { hostname, count: failures, error })
      : message('check.unresolved', { hostname, error })
    const reason = hasOtherFamily(why) ? message('health.sentence', { text: whatBecomes(why, isHeld) }) : counted
    if (failures !== STALE_AFTER) return reason
    const { context } = this.#deps
    const events = its.map(({ route_rule_id, route_destination_id, state }) => {
      return { route_rule_id, route_destination_id, from: state, to: state, reason }
    })
    await context.db.transaction().execute((db) => storeEvents(db, events, context.now().toISOString()))
    return reason
  }

  async #destinationsOf({ hostname, ids }: FollowedName) {
    const records = await routesOf(this.#deps.context.db, ids)
    return records.flatMap(({ route_rule_id, destinations }) =>
      destinations.filter((one) => one.hostname === hostname).map((one) => ({ ...one, route_rule_id })),
    )
  }
}
