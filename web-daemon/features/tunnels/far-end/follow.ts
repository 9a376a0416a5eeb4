// Has tunnels follow the names of their far ends (decisions.md, T48). A name that does not resolve keeps its last address,
// and another address has to be seen twice.
import { kindOfType } from '@panel/shared/api/base/lookups.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { isIpv6Kind } from '@panel/shared/tunnel/model.ts'
import type { Bus } from '../../../platform/events/bus.ts'
import { BOUNDS_S, FollowedNames, type NamesDeps } from '../../../platform/network/followed-names.ts'
import { resolveHost } from '../../../platform/network/resolver.ts'
import type { TunnelRecord } from '../record.ts'
import { tunnelsWithName } from '../store-far-end.ts'
import { Moves, type MoveDeps } from './moves.ts'
import { whyUnresolved } from './unresolved.ts'

export interface FarEndDeps extends MoveDeps {
  readonly bus: Bus
}

export class FarEnds {
  readonly #deps: FarEndDeps
  readonly #names: FollowedNames
  readonly #moves: Moves
  #ends: (() => void)[] = []
  #work: Promise<void> = Promise.resolve()

  constructor(deps: FarEndDeps) {
    this.#deps = deps
    this.#moves = new Moves(deps, 'TunnelFarEndMoved', 'remote_hostname_problem')
    const { context, logger } = deps
    this.#names = new FollowedNames({
      resolve: resolveHost,
      logger,
      servers: () => context.settings.get('routes.dns_servers'),
      now: context.now,
      take: (...found) => this.#take(...found),
      why: whyUnresolved,
      stale: ({ ids, hostname }, { why }) => this.#stale(ids, hostname, why),
      changed: () => undefined,
    })
  }

  start(): void {
    const { bus } = this.#deps
    const followOne = ({ tunnel_id }: { readonly tunnel_id: number }): void =>
      this.#follow([tunnel_id, ...this.#moves.refused])
    this.#ends = [
      ...(['tunnel.created', 'tunnel.updated', 'tunnel.deleted'] as const).map((name) =>
        bus.subscribe(name, followOne),
      ),
      bus.subscribe('host.changed', ({ events }) => {
        const isGone = events.some(
          ({ subject, is_removal }) => subject === 'lost' || (subject === 'link' && is_removal),
        )
        if (isGone && this.#moves.refused.length > 0) this.#follow(this.#moves.refused)
      }),
    ]
    this.#follow(null)
  }

  async stop(): Promise<void> {
    for (const end of this.#ends) end()
    this.#ends = []
    this.#names.close()
    await this.settled()
  }

  /** Resolves when everything that is under way has been carried out. */
  async settled(): Promise<void> {
    await this.#work
  }

  /** Looks at once; a timer does it otherwise. */
  async look(hostname: string, family: 4 | 6): Promise<void> {
    await this.#names.look(hostname, family)
  }

  /** These tunnels may have changed, or what kept them from moving; null: any may have. */
  #follow(ids: readonly number[] | null): void {
    const { writing } = this.#moves
    void this.#enqueue(async () => {
      const records = await tunnelsWithName(this.#deps.context.db, ids)
      const uses = records.map((record) => ({ id: record.tunnel_id, ...nameOf(record) }))
      this.#names.follow(ids ?? uses.map(({ id }) => id), uses)
      for (const id of ids ?? []) if (!uses.some((use) => use.id === id)) this.#moves.forget(id)
      for (const record of records) if (record.tunnel_id !== writing) await this.#catchUp(record)
    })
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const { logger } = this.#deps
    this.#work = this.#work
      .then(work)
      .catch((err: unknown) => logger.error({ err }, 'a tunnel could not follow the name of its far end'))
    return this.#work
  }

  /** A record that was put back, or was refused before, is led to what is known already. */
  async #catchUp(record: TunnelRecord): Promise<void> {
    const { hostname, family } = nameOf(record)
    const steady = this.#names.of(hostname, family)?.steady
    if (steady) await this.#lead(record, steady.addresses, true)
  }

  readonly #take: NamesDeps['take'] = async ({ ids, hostname }, { addresses }, isSteady) => {
    let problem: Message | null = null
    await this.#enqueue(async () => {
      for (const record of await this.#namedSo(ids, hostname))
        if (isSteady || addresses.includes(record.remote_endpoint))
          problem = (await this.#lead(record, addresses, false)) ?? problem
    })
    return problem
  }

  async #stale(ids: readonly number[], hostname: string, why: Message): Promise<Message> {
    const kept = message('tunnel.name_last_address', { why })
    await this.#enqueue(async () => {
      for (const record of await this.#namedSo(ids, hostname)) await this.#moves.report(record, kept)
    })
    return kept
  }

  async #namedSo(ids: readonly number[], hostname: string): Promise<TunnelRecord[]> {
    const records = await tunnelsWithName(this.#deps.context.db, ids)
    return records.filter((record) => record.remote_hostname === hostname)
  }

  /** Returns why the tunnel does not follow, if that was just tried. */
  async #lead(record: TunnelRecord, addresses: readonly string[], isEvent: boolean): Promise<Message | null> {
    const { tunnel_id, remote_endpoint, remote_hostname: hostname } = record
    if (addresses.includes(remote_endpoint)) {
      this.#moves.forget(tunnel_id)
      await this.#moves.report(record, null)
      return null
    }
    const to = [...addresses].sort().join(', ')
    const wait_s = BOUNDS_S[isEvent ? 'least' : 'most']
    if (hostname === null || this.#moves.isTooEarly(tunnel_id, to, wait_s)) return null
    const problem = (why: Message): Message => message('tunnel.name_not_taken', { hostname, address: to, why })
    return this.#moves.move(record, { lead: { hostname, addresses }, to, problem })
  }
}

const nameOf = ({ remote_hostname, tunnel_type_id }: TunnelRecord) => ({
  hostname: remote_hostname ?? '',
  family: isIpv6Kind(kindOfType(tunnel_type_id)) ? (6 as const) : (4 as const),
})
