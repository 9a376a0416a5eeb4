// Words for tests that speak of checked destinations: checks that answer as a test says, run when it says so.
import assert from 'node:assert/strict'
import type { ChangeCheckAnswer, CheckedDestination, RouteCheckAnswer } from '@panel/shared/api/routes/check.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import type { RunCheck } from '@panel/web-daemon/features/failover/checker.ts'
import type { Sample } from '@panel/web-daemon/features/failover/judge.ts'
import { eventually } from '../../support/eventually.ts'
import type { Client, Reply } from './client.ts'
import { startPanel, type TestPanel } from './panel.ts'
import { madeRoute } from './routes.ts'

/** The addresses of the destinations of THREE. */
export const ADDRESSES = ['10.9.0.2', '10.9.0.3', '10.9.0.4'] as const
const THREE = {
  destination_address: undefined,
  destination_port: undefined,
  destinations: ADDRESSES.map((address) => ({ address, port: 80 })),
}
/** The quickest check that the API allows. */
export const QUICK = { interval_ms: 500, timeout_ms: 100, fall: 1, rise: 1 } as const

/** What every check comes to, until a test says otherwise. */
export class FakeChecks {
  readonly #down = new Map<string, Sample['outcome']>()
  /** Addresses in the order in which they were checked. */
  readonly requests: string[] = []

  run: RunCheck = async ({ address, port }) => {
    this.requests.push(address)
    const outcome = this.#down.get(address) ?? 'success'
    const reason = outcome === 'success' ? message('check.accepts', { port }) : message('check.refuses', { port })
    return { outcome, reason, latency_ms: outcome === 'success' ? 1.5 : null }
  }

  fail(address: string, outcome: Sample['outcome'] = 'failure'): void {
    this.#down.set(address, outcome)
  }

  mend(address: string): void {
    this.#down.delete(address)
  }
}

interface CheckedPanel {
  readonly panel: TestPanel
  readonly client: Client
  readonly checks: FakeChecks
}

export const heldRule = ({ kernel }: TestPanel, id: number): RelayRule =>
  kernel.rulesets.rules.get(id) ?? assert.fail(`Rule ${id} is not held`)

/** The rotation of each destination that the kernel holds, such as `in,out,in`. */
export const rotationOf = (panel: TestPanel, id: number): string =>
  heldRule(panel, id)
    .destinations.map((one) => one.rotation)
    .join()

/** For each test of a description a panel of its own, whose checks answer as the test says. */
export function startChecked(take: (made: CheckedPanel) => void): void {
  let panel: TestPanel
  beforeEach(async () => {
    const checks = new FakeChecks()
    panel = await startPanel({ failover: { run: checks.run, random: () => 0 } })
    take({ panel, client: await panel.setUp(), checks })
    await panel.failover.start()
  })
  afterEach(() => panel.close())
}

export const madeThree = async (client: Client, body: object = {}): Promise<number> =>
  (await madeRoute(client, { ...THREE, check: QUICK, ...body })).route_rule_id

export const checkOf = async (client: Client, id: number): Promise<RouteCheckAnswer> =>
  (await client.get<RouteCheckAnswer>(`/routes/${id}/check`)).body

export const putCheck = (client: Client, id: number, body: object): Promise<Reply<ChangeCheckAnswer>> =>
  client.put(`/routes/${id}/check`, body)

export const destinationAt = async (client: Client, id: number, address: string): Promise<CheckedDestination> => {
  const found = (await checkOf(client, id)).destinations.find((one) => one.address === address)
  if (!found) throw new Error(`Rule ${id} has no destination ${address}`)
  return found
}

export const drain = async (
  client: Client,
  id: number,
  address: string,
  body: object = {},
): Promise<Reply<ChangeCheckAnswer>> =>
  client.post(
    `/routes/${id}/destinations/${(await destinationAt(client, id, address)).route_destination_id}/drain`,
    body,
  )

export const putBack = async (client: Client, id: number, address: string): Promise<Reply<ChangeCheckAnswer>> =>
  client.post(`/routes/${id}/destinations/${(await destinationAt(client, id, address)).route_destination_id}/return`)

export const untilState = (client: Client, id: number, address: string, state: string): Promise<void> =>
  eventually(async () => (await destinationAt(client, id, address)).state === state)
