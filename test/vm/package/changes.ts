// One change after the other by the operator, and what has to be there of them once they were answered, however the
// machine ended.
import assert from 'node:assert/strict'
import type { ChangeRouteAnswer, RouteItem } from '@panel/shared/api/routes/answers.ts'
import type { CreateTunnelAnswer, TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import type { Client } from '../../api/support/client.ts'
import { expect } from '../panel/panel.ts'
import { HERE } from './installed.ts'

const LIMIT_MS = 60_000

/** Objects of the older version by their ids. */
interface Older {
  readonly tunnels: readonly number[]
  readonly routes: readonly number[]
}

export class Changes {
  /** How many were answered. */
  answered = 0
  readonly #operator: Client
  /** The MTU that was answered, by id. */
  readonly #tunnels = new Map<number, number>()
  readonly #routes = new Set<number>()
  readonly #deleted = new Set<number>()
  /** What was there before the first of these changes. */
  readonly #older: Older
  #number: number
  /** Which tunnel or rule the change without an answer was about; "" where it would have made one. */
  #underWay = ''

  /** Their numbers count from `first`, so that no two changes of a machine ask for the same address or port. */
  constructor(operator: Client, older: Older, first: number) {
    this.#operator = operator
    this.#older = older
    this.#number = first
  }

  /**
   * In turn, until all are made or the machine is gone: nothing that is sent into a machine without power ever ends by
   * itself.
   */
  async make(count: number, gone: AbortSignal): Promise<void> {
    try {
      while (this.answered < count && !gone.aborted) {
        await this.#change(this.#number, AbortSignal.any([gone, AbortSignal.timeout(LIMIT_MS)]))
        this.#number += 1
        this.answered += 1
      }
    } catch (failure) {
      if (!gone.aborted) throw failure
    }
  }

  async #change(number: number, signal: AbortSignal): Promise<void> {
    const [oldest = 0] = this.#tunnels.keys()
    switch (number % 5) {
      case 2:
        return this.#createRoute(number, signal)
      case 3:
        return this.#changeMtu(oldest, 1300 + (number % 100), signal)
      case 4:
        return number % 10 === 4 ? this.#deleteTunnel(oldest, signal) : this.#deleteRoute(signal)
      default:
        return this.#createTunnel(number, signal)
    }
  }

  async #createTunnel(number: number, signal: AbortSignal): Promise<void> {
    this.#underWay = ''
    const { tunnel } = expect(
      await this.#operator.post<CreateTunnelAnswer>(
        '/tunnels',
        {
          local_endpoint: HERE,
          remote_endpoint: `198.51.${100 + Math.floor(number / 250)}.${(number % 250) + 1}`,
          persistence_type_id: 10,
        },
        { signal },
      ),
      201,
    )
    this.#tunnels.set(tunnel.tunnel_id, tunnel.mtu)
  }

  async #changeMtu(id: number, mtu: number, signal: AbortSignal): Promise<void> {
    this.#underWay = `tunnel ${id}`
    expect(await this.#operator.patch(`/tunnels/${id}`, { mtu }, { signal }), 200)
    this.#tunnels.set(id, mtu)
  }

  async #deleteTunnel(id: number, signal: AbortSignal): Promise<void> {
    this.#underWay = `tunnel ${id}`
    expect(await this.#operator.delete(`/tunnels/${id}`, undefined, { signal }), 200)
    this.#tunnels.delete(id)
    this.#deleted.add(id)
  }

  async #createRoute(number: number, signal: AbortSignal): Promise<void> {
    this.#underWay = ''
    const { route } = expect(
      await this.#operator.post<ChangeRouteAnswer>(
        '/routes',
        { bind_address: HERE, bind_port: 10_000 + number, destination_address: '172.17.1.2', destination_port: 80 },
        { signal },
      ),
      201,
    )
    this.#routes.add(route.route_rule_id)
  }

  async #deleteRoute(signal: AbortSignal): Promise<void> {
    const [id = 0] = this.#routes
    this.#underWay = `rule ${id}`
    expect(await this.#operator.delete(`/routes/${id}`, undefined, { signal }), 200)
    this.#routes.delete(id)
  }

  /** What was answered is there, as answered; of what was not, at most one thing, which the record calls unfinished. */
  check(tunnels: readonly TunnelView[], routes: readonly RouteItem[]): void {
    for (const [id, mtu] of this.#tunnels) {
      if (this.#underWay === `tunnel ${id}`) continue
      const tunnel = tunnels.find(({ tunnel_id }) => tunnel_id === id)
      assert.deepEqual(
        [tunnel?.apply_status, tunnel?.mtu, tunnel?.observed.exists],
        ['Applied', mtu, true],
        `tunnel ${id}`,
      )
    }
    for (const id of this.#routes) {
      if (this.#underWay === `rule ${id}`) continue
      assert.equal(
        routes.find(({ route_rule_id }) => route_rule_id === id)?.route.apply_status,
        'Applied',
        `rule ${id}`,
      )
    }
    assert.deepEqual(
      tunnels.filter(({ tunnel_id }) => this.#deleted.has(tunnel_id)),
      [],
    )
    const known = [...this.#older.tunnels, ...this.#tunnels.keys()]
    const unknown = [
      ...tunnels.filter(({ tunnel_id }) => !known.includes(tunnel_id)),
      ...routes.filter(({ route_rule_id }) => ![...this.#older.routes, ...this.#routes].includes(route_rule_id)),
    ]
    assert.ok(unknown.length <= (this.#underWay === '' ? 1 : 0), JSON.stringify(unknown))
  }
}
