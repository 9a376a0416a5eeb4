// The health of rules is watched: a change of the panel's table by another program is noticed by an event, and reported
// inside the panel (decisions.md, S7, S15, E2).
import assert from 'node:assert/strict'
import type { RouteHealthEvent } from '@panel/shared/api/routes/answers.ts'
import { watchKernel, type KernelWatch } from '@panel/web-daemon/platform/helper/kernel-events.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { eventually } from '../support/eventually.ts'
import { idleHeals } from './support/heals.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { keepWatchingRoutes, makeRouteWatch } from '@panel/web-daemon/features/rule-health/watch.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, createRoute, deleteRoute, getRoute, madeRoute, patchRoute } from './support/routes.ts'
import { act, createTunnel } from './support/tunnels.ts'

describe('The health of rules', () => {
  const logger = makeLogger({ write: () => undefined })
  let panel: TestPanel
  let client: Client
  let reported: RouteHealthEvent[]
  let kernel: KernelWatch
  let end: () => Promise<void>
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    reported = []
    panel.bus.subscribe('route.health', (event) => void reported.push(event))
    await madeRoute(client)
    await panel.routeWatch.pass('event')
    kernel = watchKernel({
      stream: inProcessHelper(panel.kernel).stream,
      logger,
      listener: (events) => panel.bus.publish('host.changed', { events }),
    })
    end = keepWatchingRoutes(panel.routeWatch, { bus: panel.bus, settings: panel.settings, logger })
    await until(() => panel.kernel.listeners.size > 0)
  })
  afterEach(async () => {
    await kernel.close()
    await end()
    await panel.close()
  })

  const until = (holds: () => boolean): Promise<void> => eventually(holds, () => JSON.stringify(reported))
  const moves = (): [number, string | null, string | null][] =>
    reported.map(({ route_rule_id, from, to }) => [route_rule_id, from, to])
  const next = async (...move: [number, string | null, string | null]): Promise<void> => {
    await until(() => moves().some((one) => one.join() === move.join()))
    reported = []
  }

  it('is published within two seconds of a foreign change, and when it is put right', async () => {
    panel.kernel.rulesets.edit(1, { nat_mode: 'none' })
    await until(() => reported.length > 0)
    assert.deepEqual(
      [moves(), reported[0]?.title],
      [[[1, 'healthy', 'failed']], (await getRoute(client, 1)).body.route.route_rule_title],
    )
    assert.match(reported[0]?.detail ?? '', /nat_mode/)
    reported = []
    await actOnRoute(client, 1, 'reapply')
    await next(1, 'failed', 'healthy')
    panel.kernel.rulesets.flush()
    await next(1, 'healthy', 'failed')
    // The next change of any rule brings back what was there.
    await actOnRoute(client, 1, 'reapply')
    await next(1, 'failed', 'healthy')
  })

  it('is published for what the panel does itself: made, disabled, enabled, deleted', async () => {
    await createRoute(client, { bind_port: 444 })
    await next(2, null, 'healthy')
    await actOnRoute(client, 2, 'disable')
    await next(2, 'healthy', 'disabled')
    await actOnRoute(client, 2, 'enable')
    await next(2, 'disabled', 'healthy')
    await deleteRoute(client, 2)
    await next(2, 'healthy', null)
  })

  it('follows the tunnel that a rule relays over', async () => {
    await createTunnel(client)
    await patchRoute(client, 1, { tunnel_id: 1 })
    await act(client, 1, 'down')
    await next(1, 'healthy', 'impaired')
    await act(client, 1, 'up')
    await next(1, 'impaired', 'healthy')
    await panel.kernel.links.setUp('gre-a-1', false)
    await next(1, 'healthy', 'impaired')
  })

  it('is not published while nothing changes, nor while root is away, when nothing is known', async () => {
    await panel.routeWatch.pass('event')
    const away = async (): Promise<never> =>
      Promise.reject(new Refusal('HELPER_UNAVAILABLE', verbatim('The root helper does not answer.')))
    const { db, clock, bus, settings, traffic } = panel
    const deps = { db, request: away, now: clock.now, api_path: '', inTurn: <T>(work: () => Promise<T>) => work() }
    const others = {
      settings,
      publish: bus.publish,
      publishIn: bus.publishIn,
      record: async () => undefined,
      isHeldBack: () => false,
      heals: idleHeals(settings),
      logger,
    }
    await makeRouteWatch({ ...deps, ...others }, traffic, panel.proofs).pass('event')
    assert.deepEqual(reported, [])
  })

  it('is pending where the ruleset cannot be read any more', async () => {
    panel.kernel.rulesets.unreadable = 'Operation not permitted'
    panel.routeWatch.hint('all')
    await panel.routeWatch.pass('event')
    assert.deepEqual(moves(), [[1, 'healthy', 'pending']])
  })
})
