// 100 connections by an ordinary relay rule and 100 by one on the fast path, over a real GRE tunnel of the package's
// panel, and whether the panel counts what both ends have had.
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { ChangeRouteAnswer, RouteItem } from '@panel/shared/api/routes/answers.ts'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { RELAY } from '../panel/cables.ts'
import { arrivedAt, layExactCables, countArrivals, ENDS, FAR_INSIDE, SERVER_PORTS, serveFar } from '../panel/far-end.ts'
import { expect } from '../panel/panel.ts'
import { FLOWS, HeldFlows } from './held-flows.ts'
import { becomes } from '../eventually.ts'
import { type Installed } from './installed.ts'

const RULES = [
  { route_rule_title: 'ordinary', bind_port: 4443, destination_port: SERVER_PORTS[0], is_fast_path: false },
  { route_rule_title: 'fast', bind_port: 4444, destination_port: SERVER_PORTS[1], is_fast_path: true },
]

export class RelayedFlows {
  readonly #panel: Installed
  #tunnelId = 0
  #ruleIds: number[] = []
  #ordinary!: HeldFlows
  #fast!: HeldFlows
  #open = FLOWS

  constructor(panel: Installed) {
    this.#panel = panel
  }

  async begin(): Promise<void> {
    const { lab, operator } = this.#panel
    await layExactCables(lab)
    serveFar(lab)
    const body = { ...ENDS, persistence_type_id: 10 }
    this.#tunnelId = expect(await operator.post<CreateTunnelAnswer>('/tunnels', body), 201).tunnel.tunnel_id
    for (const rule of RULES) {
      const wanted = { ...rule, bind_address: RELAY, destination_address: FAR_INSIDE }
      const { route } = expect(await operator.post<ChangeRouteAnswer>('/routes', wanted), 201)
      this.#ruleIds.push(route.route_rule_id)
    }
    const [far, client] = [
      RULES.map(({ destination_port }) => `tcp dport ${destination_port}`),
      RULES.map(({ bind_port }) => `tcp sport ${bind_port}`),
    ]
    await countArrivals(lab, far, client)
    await lab.run('until ip netns exec far ss -Hltn sport = 9001 | grep -q .; do sleep 0.2; done')
    this.#ordinary = new HeldFlows(lab, 4443)
    this.#fast = new HeldFlows(lab, 4444)
  }

  /**
   * Checks that all held connections bring back what is sent on each of them, and none was ever reset or closed by
   * another.
   */
  async areAlive(word: string): Promise<void> {
    const [ordinary, fast] = await Promise.all([this.#ordinary.say(word), this.#fast.say(word)])
    const alive = (back: number) => ({ back, failed: 0, closed: 0 })
    assert.deepEqual({ ordinary, fast }, { ordinary: alive(FLOWS), fast: alive(this.#open) })
  }

  /** Those of the fast path that the kernel forwards past the chains. */
  offloaded(): Promise<number> {
    return this.#tracked((line) => line.includes('[OFFLOAD]'))
  }

  /** Those of the fast path that the kernel has not forgotten. */
  tracked(): Promise<number> {
    return this.#tracked(() => true)
  }

  async #tracked(which: (line: string) => boolean): Promise<number> {
    const listed = await this.#panel.lab.run('conntrack -L -p tcp --orig-port-dst 4444 2>/dev/null')
    return listed.split('\n').filter((line) => line !== '' && which(line)).length
  }

  /** Ends so many on the fast path; the kernel forgets them at once. */
  async end(count: number): Promise<void> {
    await this.#fast.end(count)
    this.#open -= count
  }

  /** Waits until the panel's totals of both rules are what both ends have had, to the byte, and returns them. */
  async areCounted(): Promise<readonly number[]> {
    const { totals } = await becomes(
      async () => ({ totals: await this.totals(), had: await this.#had() }),
      ({ totals, had }) => isDeepStrictEqual(totals, had),
    )
    return totals
  }

  /** The totals of the ordinary rule and of the fast one: to the far end, then to the client. */
  async totals(): Promise<number[]> {
    const items = await Promise.all(
      this.#ruleIds.map(async (id) => expect(await this.#panel.operator.get<RouteItem>(`/routes/${id}`), 200)),
    )
    return [
      ...items.map(({ tx_bytes_since_creation }) => tx_bytes_since_creation),
      ...items.map(({ rx_bytes_since_creation }) => rx_bytes_since_creation),
    ]
  }

  async #had(): Promise<number[]> {
    const { lab } = this.#panel
    return [...(await arrivedAt(lab, 'far')), ...(await arrivedAt(lab, 'client'))]
  }

  /** Nothing comes to the relay any more, from either end. */
  async cutOff(): Promise<void> {
    await this.#panel.lab.run('ip link delete to-client; ip link delete to-far')
  }

  async remove(): Promise<void> {
    const { operator } = this.#panel
    for (const id of this.#ruleIds) expect(await operator.delete(`/routes/${id}`), 200)
    expect(await operator.delete(`/tunnels/${this.#tunnelId}`), 200)
  }
}
