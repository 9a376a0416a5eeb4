// A change behind the panel's back is noticed by an event, without polling; and a lost event by the pass that comes
// from time to time (decisions.md, S15).
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LastPass } from '@panel/shared/api/reconcile.ts'
import { watchKernel, type KernelWatch } from '@panel/web-daemon/platform/helper/kernel-events.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { keepWatchingTunnels, passView } from '@panel/web-daemon/features/reconcile/watch.ts'
import type { SettingsReader } from '@panel/web-daemon/platform/settings.ts'
import { eventually } from '../support/eventually.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { settingsWith } from '../support/settings.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { adopt, forget, itemOf, plantByHand, reconcile } from './support/reconcile.ts'
import { createTunnel } from './support/tunnels.ts'

describe('The panel keeps watching', () => {
  const logger = makeLogger({ write: () => undefined })
  let panel: TestPanel
  let client: Client
  let end: () => Promise<void>
  let kernel: KernelWatch | null
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await createTunnel(client)
    kernel = null
  })
  afterEach(async () => {
    await kernel?.close()
    await end()
    await panel.close()
  })

  const watching = (settings: SettingsReader = panel.settings): void => {
    end = keepWatchingTunnels(panel.watch, { bus: panel.bus, settings, logger })
  }
  const hearing = async (): Promise<void> => {
    kernel = watchKernel({
      stream: inProcessHelper(panel.kernel).stream,
      logger,
      listener: (events) => panel.bus.publish('host.changed', { events }),
    })
    watching()
    // The first event says that there may have been others before.
    await passed((pass) => pass.because === 'event')
  }
  async function passed(holds: (pass: LastPass) => boolean): Promise<LastPass> {
    let found: LastPass | null = null
    await eventually(
      () => {
        const last = panel.watch.last()
        const pass = last && passView(last)
        if (pass && holds(pass)) found = pass
        return found !== null
      },
      () => JSON.stringify(panel.watch.last()),
    )
    return found ?? assert.fail('no such pass')
  }
  const drift = async (): Promise<void> => panel.kernel.links.setMtu('gre-a-1', 1400)

  it('and looks once as it starts', async () => {
    watching()
    const { counts } = await passed(({ because }) => because === 'start')
    assert.equal(counts.InSync, 1)
  })

  it('and shows a changed MTU as drift within two seconds, by the event', async () => {
    await hearing()
    await drift()
    const { because } = await passed(({ changed }) => changed.some(({ to }) => to === 'Drifted'))
    assert.equal(because, 'event')
    const { status, noticed } = await itemOf(client, 'gre-a-1')
    assert.deepEqual([status, noticed?.because], ['Drifted', 'event'])
    assert.equal((await reconcile(client)).body.last_pass?.because, 'event')
  })

  it('and makes no pass while nothing happens', async () => {
    await hearing()
    await sleep(500)
    const last = panel.watch.last()
    await sleep(1500)
    assert.equal(panel.watch.last(), last)
  })

  it('and catches what no event announced from time to time, as often as the setting says', async () => {
    watching(settingsWith({ 'system.reconcile_interval_seconds': 0.2 }))
    await passed(({ because }) => because === 'start')
    await drift()
    const { because } = await passed(({ changed }) => changed.some(({ to }) => to === 'Drifted'))
    assert.equal(because, 'period')
  })

  it('and looks after an adoption and a forgetting too, which no kernel tells of', async () => {
    watching()
    await passed(({ because }) => because === 'start')
    plantByHand(panel.kernel, 'by-hand')
    const { body } = await adopt(client, { interface_name: 'by-hand' })
    assert.deepEqual(
      (await passed(({ because }) => because === 'change')).changed.map(({ to }) => to),
      ['InSync'],
    )
    await forget(client, body.tunnel.tunnel_id)
    await passed(({ changed }) => changed.some(({ to }) => to === 'Unmanaged'))
  })

  it('and stops on request', async () => {
    await hearing()
    await kernel?.close()
    await end()
    const last = panel.watch.last()
    await drift()
    panel.bus.publish('host.changed', { events: [] })
    await sleep(700)
    assert.equal(panel.watch.last(), last)
  })
})
