// Has tunnels follow the names of their far ends (decisions.md, T48). A name that does not resolve keeps its last address,
// and another address has to be seen twice.
import type { Logger } from 'pino'
import { kindOfType } from '@panel/shared/api/base/lookups.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { isIpv6Kind } from '@panel/shared/tunnel/model.ts'
import { attempt } from '../../../change/attempt.ts'
import type { PanelAction } from '../../../change/remediate.ts'
import { AuditNote } from '../../../platform/audit-note.ts'
import type { CommandContext } from '../../../platform/context.ts'
import type { Bus } from '../../../platform/events/bus.ts'
import { asMessage } from '../../../platform/http/refusal.ts'
import { BOUNDS_S, FollowedNames, type NamesDeps } from '../../../platform/network/followed-names.ts'
import { resolveHost } from '../../../platform/network/resolver.ts'
import { named, type TunnelRecord } from '../record.ts'
import { storeNameProblem, tunnelsWithName } from '../store-far-end.ts'
import { moveFarEnd } from './move.ts'
import { whyUnresolved } from './unresolved.ts'

export interface FarEndDeps {
  readonly context: Omit<CommandContext, 'note'>
  readonly bus: Bus
  readonly record: (action: PanelAction) => Promise<void>
  readonly logger: Logger
}

/** A move that was refused, so that it is reported once. */
interface Refused {
  readonly addresses: string
  readonly why: string
  readonly tried_at: number
  /** Root refused it, which marks the record: so it is tried again with an event, or after an hour. */
  readonly hasBegun: boolean
}

export class FarEnds {
  readonly #deps: FarEndDeps
  readonly #names: FollowedNames
  readonly #refused = new Map<number, Refused>()
  /** The tunnel that is being written: what is published of it meanwhile is no reason to try again. */
  #writing: number | null = null
  #ends: (() => void)[] = []
  #work: Promise<void> = Promise.resolve()

  constructor(deps: FarEndDeps) {
    this.#deps = deps
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
      this.#follow([tunnel_id, ...this.#refused.keys()])
    this.#ends = [
      ...(['tunnel.created', 'tunnel.updated', 'tunnel.deleted'] as const).map((name) =>
        bus.subscribe(name, followOne),
      ),
      bus.subscribe('host.changed', ({ events }) => {
        const isGone = events.some(
          ({ subject, is_removal }) => subject === 'lost' || (subject === 'link' && is_removal),
        )
        if (isGone && this.#refused.size > 0) this.#follow([...this.#refused.keys()])
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
    const writing = this.#writing
    void this.#enqueue(async () => {
      const records = await tunnelsWithName(this.#deps.context.db, ids)
      const uses = records.map((record) => ({ id: record.tunnel_id, ...nameOf(record) }))
      this.#names.follow(ids ?? uses.map(({ id }) => id), uses)
      for (const id of ids ?? []) if (!uses.some((use) => use.id === id)) this.#refused.delete(id)
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
      for (const record of await this.#namedSo(ids, hostname)) await this.#report(record, kept)
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
      this.#refused.delete(tunnel_id)
      await this.#report(record, null)
      return null
    }
    const all = [...addresses].sort().join(', ')
    const refused = this.#refused.get(tunnel_id)
    const wait_s = refused?.addresses === all && refused.hasBegun ? BOUNDS_S[isEvent ? 'least' : 'most'] : 0
    if (hostname === null || (refused && this.#now < refused.tried_at + wait_s * 1000)) return null
    return this.#move(record, { hostname, addresses, all })
  }

  get #now(): number {
    return this.#deps.context.now().getTime()
  }

  async #move(
    record: TunnelRecord,
    { hostname, addresses, all }: { hostname: string; addresses: readonly string[]; all: string },
  ): Promise<Message | null> {
    const { context, logger, record: writeEntry } = this.#deps
    const { tunnel_id } = record
    const note = new AuditNote()
    note.target('tunnel', tunnel_id)
    let hasBegun = false
    const { failure, refusal, duration_ms } = await this.#writes(tunnel_id, () =>
      attempt(() =>
        context.inTurn(() =>
          moveFarEnd({ ...context, note }, { tunnel_id, hostname, addresses }, () => (hasBegun = true)),
        ),
      ),
    )
    const problem = refusal && message('tunnel.name_not_taken', { hostname, address: all, why: asMessage(refusal) })
    const isNews = problem === null ? hasBegun : this.#refused.get(tunnel_id)?.why !== problem.message
    if (problem === null) this.#refused.delete(tunnel_id)
    else {
      this.#refused.set(tunnel_id, { addresses: all, why: problem.message, tried_at: this.#now, hasBegun })
      if (isNews) logger.warn({ err: failure, tunnel_id, hostname }, 'a tunnel does not follow the name of its far end')
      await this.#report(record, problem)
    }
    if (isNews) await writeEntry({ action: 'TunnelFarEndMoved', note, refusal, duration_ms })
    return problem
  }

  /** Stores what is wrong with the name where that is another problem than before. */
  async #report(record: TunnelRecord, problem: Message | null): Promise<void> {
    if (record.remote_hostname_problem === (problem?.message ?? '')) return
    const { context } = this.#deps
    await this.#writes(record.tunnel_id, async () => {
      await context.inTurn(() => storeNameProblem(context.db, record, problem))
      context.publish('tunnel.updated', named(record))
    })
  }

  async #writes<T>(tunnel_id: number, work: () => Promise<T>): Promise<T> {
    this.#writing = tunnel_id
    try {
      return await work()
    } finally {
      this.#writing = null
    }
  }
}

const nameOf = ({ remote_hostname, tunnel_type_id }: TunnelRecord) => ({
  hostname: remote_hostname ?? '',
  family: isIpv6Kind(kindOfType(tunnel_type_id)) ? (6 as const) : (4 as const),
})
