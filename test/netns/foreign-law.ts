// Firewalls of other software beside a relay: what is found of each is compared with what becomes of real packets.
import assert from 'node:assert/strict'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import { findRelayBlocks } from '@panel/shared/foreign/relay-block.ts'
import type { Surroundings } from '@panel/shared/foreign/relay-packet.ts'
import { untrackedBy } from '@panel/shared/foreign/untracked.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RELAY_FAR, ruleOfRig, SERVERS, type RelayRig } from './relay-rig.ts'

/** Clients are on the internet, and servers in a private network. */
export const LISTENER = '198.51.100.1'
export const CLIENT = '198.51.100.2'
const DOOR: Place = { protocol: 'tcp', address: LISTENER, port: 1001 }
export const AROUND: Surroundings = {
  own_addresses: [LISTENER, RELAY, RELAY_FAR],
  in_interface: 'near0',
  out_interface: 'far0',
}

/** "unsure": something was found that may stop the rule, and nothing that does for certain. */
export type Found = 'nothing' | 'unsure' | 'stops'

export interface Finding {
  readonly found: Found
  /** The commands of the remedies. */
  readonly commands: readonly string[]
  readonly texts: readonly string[]
}

export function judge(rule: RelayRule, foreign: ForeignFound): Finding {
  const all = [...findRelayBlocks(rule, foreign, AROUND), ...untrackedBy(rule, foreign, AROUND)]
  const found = all.some((one) => one.is_certain) ? 'stops' : all.length > 0 ? 'unsure' : 'nothing'
  const commands = all
    .filter((one) => one.is_certain)
    .flatMap(({ remedy }) => /: ((?:nft|ufw|ip6?tables)\S* .*?)(?: \(and in .*)?\.$/.exec(remedy.message)?.[1] ?? [])
  return { found, commands, texts: all.map(({ text }) => text) }
}

/** Relays one rule of the rig; `relays` and `find` are to agree whatever is loaded beside it. */
export class ForeignLaw {
  readonly #rig: RelayRig
  readonly rule: RelayRule
  constructor(rig: RelayRig, fields: Partial<RelayRule> = {}) {
    this.#rig = rig
    this.rule = ruleOfRig(1, { bind_address: LISTENER, ...fields })
  }

  async open(): Promise<void> {
    await this.#rig.open()
    this.#rig.relay.batch(`addr add ${LISTENER}/24 dev near0`)
    this.#rig.client.batch(`addr add ${CLIENT}/24 dev eth0`)
    await this.#rig.servers.calls.listen({ protocol: 'tcp', address: SERVERS[0], port: 80 })
    await this.#rig.become(this.rule)
  }

  foreign(): Promise<ForeignFound> {
    return askOnce(this.#rig.socket, 'netfilter.probe', {})
  }

  async find(): Promise<Finding> {
    return judge(this.rule, await this.foreign())
  }

  async relays(): Promise<boolean> {
    return (await this.#rig.client.calls.talk(DOOR)) !== null
  }

  /** Follows the remedies until nothing is left for certain, at most a few times. */
  async follow(): Promise<Found> {
    for (let round = 0; ; round += 1) {
      const { found, commands, texts } = await this.find()
      if (found !== 'stops' || round === 4) return found
      assert.notEqual(commands.length, 0, `no command for ${texts.join('; ')}`)
      for (const command of commands)
        this.#rig.relay.run('sh', ['-c', `PATH=${this.#rig.folder}/ufw/bin:$PATH; ${command}`])
    }
  }

  /** Takes away everything but the panel's rules, and relays again. */
  async clear(): Promise<void> {
    const { relay } = this.#rig
    await this.#rig.become()
    for (const line of relay.run('nft', ['list', 'tables']).split('\n'))
      if (line.startsWith('table ') && !/ panel(?:_hold)?$/.test(line)) relay.nft(`delete ${line}\n`)
    for (const line of relay.run('iptables-legacy-save', []).split('\n'))
      if (line.startsWith('*')) relay.run('iptables-legacy-restore', [], `${line}\n${FRESH[line] ?? ''}COMMIT\n`)
    await this.#rig.become(this.rule)
  }
}

/** The built-in chains of tables as they are made. */
const FRESH: Readonly<Record<string, string>> = {
  '*filter': ':INPUT ACCEPT\n:FORWARD ACCEPT\n:OUTPUT ACCEPT\n',
}
