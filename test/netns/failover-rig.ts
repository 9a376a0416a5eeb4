// The rig of a relay with the web daemon's app in the middle, which checks the destinations of its rules.
import assert from 'node:assert/strict'
import type { ErrorEnvelope } from '@panel/shared/api/base/errors.ts'
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { CheckedDestination, RouteCheckAnswer } from '@panel/shared/api/routes/check.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { eventually } from '../support/eventually.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig } from './relay-rig.ts'

/** Long enough for a busy machine. */
export const CHECK = { interval_ms: 500, timeout_ms: 300, fall: 2, rise: 2 }
export const relayPlace = (port: number, protocol: Place['protocol'] = 'tcp'): Place => ({
  ...{ protocol, address: RELAY, port },
})
export const serverPlace = (address: string, protocol: Place['protocol'] = 'tcp'): Place => ({
  ...{ protocol, address, port: 80 },
})

const isRotated = ({ destinations }: RelayRule): boolean => destinations.some(({ rotation }) => rotation === 'out')

export class FailoverRig extends RelayRig {
  #driver: ReturnType<RelayRig['panel']> | null = null

  get driver(): ReturnType<RelayRig['panel']> {
    return this.#driver ?? assert.fail('The rig is not open')
  }

  override async open(): Promise<void> {
    await super.open()
    this.#driver = this.panel()
    await this.driver.failover()
  }

  async api<B>(method: string, path: string, body?: unknown): Promise<B> {
    const reply = await this.driver.request(method, path, body)
    const { error } = reply.body as Partial<ErrorEnvelope>
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${error?.message ?? ''}`)
    return reply.body as B
  }

  async made(bind_port: number, body: object): Promise<number> {
    const { route } = await this.api<ChangeRouteAnswer>('POST', '/routes', { bind_address: RELAY, bind_port, ...body })
    return route.route_rule_id
  }

  checkOf(id: number): Promise<RouteCheckAnswer> {
    return this.api<RouteCheckAnswer>('GET', `/routes/${id}/check`)
  }

  async destination(id: number, address: string): Promise<CheckedDestination> {
    const { destinations } = await this.checkOf(id)
    return destinations.find((one) => one.address === address) ?? assert.fail(`no ${address}`)
  }

  /** Resolves with how long it took. */
  async until(holds: () => Promise<boolean>): Promise<number> {
    const began = performance.now()
    await eventually(holds)
    return performance.now() - began
  }

  untilState(id: number, address: string, state: string): Promise<number> {
    return this.until(async () => (await this.destination(id, address)).state === state)
  }

  /** A state is stored first and carried out next, so the kernel follows the answer of the API by a moment. */
  untilRotated(id: number): Promise<number> {
    return this.until(async () => (await this.held()).rules.some((one) => one.route_rule_id === id && isRotated(one)))
  }

  /** Who answers a new connection. */
  async answers(port: number): Promise<string> {
    return (await this.client.calls.talk(relayPlace(port)))?.server.split(' ')[0] ?? 'nobody'
  }

  /** Nothing that comes to this address arrives, or nothing of one kind; returns the function that ends it. */
  silence(address: string, what = ''): () => void {
    const table = `silent_${address.replaceAll('.', '_')}`
    this.servers.nft(
      `add table inet ${table}\nadd chain inet ${table} input { type filter hook input priority 0; }\nadd rule inet ${table} input ip daddr ${address} ${what} drop\n`,
    )
    return () => void this.servers.nft(`delete table inet ${table}\n`)
  }
}
