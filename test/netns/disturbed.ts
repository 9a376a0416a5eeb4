// A relay of the whole panel whose ruleset others disturb, under established connections and new ones, at each level of
// protection.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Result } from '@panel/shared/rpc/methods.ts'
import type { CapabilitiesAnswer } from '@panel/shared/api/system.ts'
import { eventually } from '../support/eventually.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import { namespaceOf } from './own-namespace.ts'
import type { Place, Storm } from './relay-peer.ts'
import { RELAY, RelayRig, SERVERS } from './relay-rig.ts'

export const LEVELS = ['owned', 'held', 'none'] as const
export type Level = (typeof LEVELS)[number]

const FILTER = `table inet filter {
	chain input { type filter hook input priority 0; policy accept; }
	chain forward { type filter hook forward priority 0; policy accept; }
}
`
const DOCKER = ['nat', 'filter']
  .map(
    (table) => `add table ip ${table}\ndelete table ip ${table}\nadd table ip ${table}\nadd chain ip ${table} DOCKER\n`,
  )
  .join('')

/** What others do, as a shell has it. */
export const DISTURBANCES = {
  'nft flush ruleset': 'nft flush ruleset',
  'systemctl reload nftables': `printf 'flush ruleset\\n%s' '${FILTER}' | nft -f -`,
  'docker restarted': `printf '%s' '${DOCKER}' | nft -f -`,
  'a flush every second, for 5 s': 'for i in 1 2 3 4 5; do nft flush ruleset; sleep 1; done',
} as const
export type Disturbance = keyof typeof DISTURBANCES

export interface Disturbed extends Storm {
  readonly lost: number
}

/** Rules that are stored before the panel starts, each to the first server. */
export interface Stored {
  readonly count: number
  /** The port of the last rule: if it relays, the ruleset is whole. */
  readonly port: number
  readonly seed: (store: string) => Promise<void>
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export class DisturbedRelay {
  readonly rig = new RelayRig()
  readonly #stored: Stored | null
  readonly #door: Place
  #panel: ReturnType<RelayRig['panel']> | null = null

  /** Without any that are stored it makes one rule. */
  constructor(stored: Stored | null = null) {
    this.#stored = stored
    this.#door = { protocol: 'tcp', address: RELAY, port: stored?.port ?? 1001 }
  }

  async open(): Promise<void> {
    await this.rig.open()
    this.#panel = this.rig.panel({ isKept: true })
    await this.rig.servers.calls.listen({ protocol: 'tcp', address: SERVERS[0], port: 80 })
    await this.#set({ 'system.ruleset_protection': 'off', 'system.self_heal': 'rules' })
    const fields = { bind_address: RELAY, bind_port: 1001, destination_address: SERVERS[0], destination_port: 80 }
    if (!this.#stored) await this.#api('POST', '/routes', fields)
    else {
      await this.rig.killPanel()
      await this.#stored.seed(this.rig.store)
      this.#panel = this.rig.panel({ isKept: true })
    }
    await this.#panel.watch()
    // As a host boots nothing is put back.
    await this.#panel.advance(31)
    // What was stored is put back then; a table that is made later, unprotected, could not be owned.
    await this.#isWhole()
  }

  close(): Promise<void> {
    return this.rig.close()
  }

  /** A table that was made while nothing protected it is held, and one that was made later is owned. */
  async become(level: Level): Promise<void> {
    await this.#set({ 'system.ruleset_protection': 'off', 'system.self_heal': 'off' })
    await this.#until('none')
    this.rig.relay.run('nft', ['flush', 'ruleset'])
    if (level === 'owned') await this.#protect()
    await this.#api('POST', '/routes/apply-all')
    if (level === 'held') await this.#set({ 'system.ruleset_protection': 'auto' })
    await this.#until(level)
    await this.#api('POST', '/reconcile/heal/reset')
    await this.#set({ 'system.self_heal': 'rules' })
  }

  async disturb(what: Disturbance, flows: number, per_second: number, rest_ms = 2500): Promise<Disturbed> {
    const { calls } = this.rig.client
    const gathered = await calls.gather(flows, this.#door)
    assert.equal(gathered, flows)
    await calls.chat()
    await calls.startStorm(this.#door, per_second)
    await pause(500)
    const script = spawn('nsenter', [`--net=${namespaceOf(this.rig.relay.child)}`, 'sh', '-c', DISTURBANCES[what]], {
      stdio: 'ignore',
    })
    const [code] = (await once(script, 'exit')) as [number]
    assert.equal(code, 0, what)
    await pause(rest_ms)
    await this.#isWhole()
    const storm = await calls.stopStorm()
    const alive = await calls.answering(0)
    await calls.disperse()
    return { ...(storm ?? assert.fail()), lost: flows - alive }
  }

  async isRelayed(): Promise<boolean> {
    return (await this.rig.client.calls.talk(this.#door)) !== null
  }

  async #isWhole(): Promise<void> {
    const wanted = this.#stored?.count ?? 1
    await eventually(async () => (await this.#countOfRules()) >= wanted, 'all rules are back', { pause_ms: 200 })
  }

  /** Root answers with as many at a time as fit into an answer. */
  async #countOfRules(): Promise<number> {
    let count = 0
    for (let from_id: number | null = 0; from_id !== null;) {
      const found: Result<'ruleset.probe'> = await askOnce(this.rig.socket, 'ruleset.probe', {
        route_rule_ids: [],
        from_id,
      })
      count += found.rules.length
      from_id = found.next_id
    }
    return count
  }

  /** The setting is sent to root in the background; a table that root makes before that could not be owned. */
  async #protect(): Promise<void> {
    await this.#set({ 'system.ruleset_protection': 'auto' })
    await askOnce(this.rig.socket, 'ruleset.protect', { wanted: true })
  }

  /** The setting is sent to root in the background. */
  async #until(level: Level): Promise<void> {
    await eventually(async () => {
      const { rule_backend } = await this.#api<CapabilitiesAnswer>('GET', '/system/capabilities')
      return rule_backend.protection.how === level
    }, `the table is ${level}`)
  }

  async #set(values: object): Promise<void> {
    await this.#api('PUT', '/settings', values)
  }

  async #api<B>(method: string, path: string, body?: unknown): Promise<B> {
    const reply = await (this.#panel ?? assert.fail()).request(method, path, body)
    assert.ok([200, 201].includes(reply.status), `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body as B
  }
}
