// What is seen on the host and not stored, over the end of a daemon: the next one finds it, and what is over by then
// (decisions.md, N2).
import assert from 'node:assert/strict'
import { generateKeySync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NOTICE_KINDS } from '@panel/shared/api/webhooks.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { StoredNotice } from '@panel/web-daemon/features/webhooks/notice.ts'
import type { HostIncident } from '@panel/web-daemon/platform/health.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { turnOnFactor } from './support/factor.ts'
import { OPERATOR, requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { httpReceiver, type HttpReceiver } from './support/receivers.ts'
import { actOnRoute, madeRoute } from './support/routes.ts'
import { set } from './support/settings.ts'
import { act, createTunnel } from './support/tunnels.ts'

describe('A daemon that starts again', () => {
  const signing_key = generateKeySync('hmac', { length: 256 })
  let folder: string
  let kernel: FakeKernel
  let panel: TestPanel
  let operator: Client
  let receiver: HttpReceiver
  let wrong: HostIncident[]
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'panel-restart-'))
    kernel = new FakeKernel()
    wrong = []
    receiver = await httpReceiver()
    panel = await start()
    operator = await panel.setUp()
    await set(operator, { 'webhooks.allow_private': true })
    await operator.post('/webhooks', { title: 'Hook', kind: 'json', url: receiver.url, events: NOTICE_KINDS })
  })
  afterEach(async () => {
    receiver.close()
    await panel.close()
    rmSync(folder, { recursive: true })
  })

  const start = async (): Promise<TestPanel> => {
    const { request, stream } = inProcessHelper(kernel)
    const parts = { request: requestThrough(request), stream, signing_key }
    const started = await startPanel({ store: join(folder, 'panel.db'), ...parts })
    started.notifications.start(async () => wrong)
    return started
  }
  /** So many seconds after the clock of the test. */
  const restart = async (seconds = 0): Promise<void> => {
    await panel.close()
    panel = await start()
    panel.clock.advance(seconds)
  }
  const look = async (): Promise<void> => {
    await panel.watch.pass('start')
    panel.routeWatch.hint('all')
    await panel.routeWatch.pass('start')
    await panel.notifications.look(async () => wrong)
    await panel.notifications.outbox.stored()
  }
  /** Looks as often as it takes for a problem to count. */
  const lookTwice = async (): Promise<void> => {
    await look()
    await look()
  }
  /** Oldest first. */
  const reported = async (): Promise<string[]> => {
    const rows = await panel.db.selectFrom('webhook_delivery').select('notice').orderBy('delivery_id').execute()
    return rows.map(({ notice }) => {
      const { kind, severity } = JSON.parse(notice) as StoredNotice
      return `${kind} ${severity}`
    })
  }

  interface Trouble {
    readonly kind: string
    readonly make: () => Promise<unknown>
    readonly begins: () => void
    readonly ends: () => Promise<unknown>
  }
  const incident = (kind: HostIncident['kind'], name: string): Trouble => ({
    kind: kind === 'helper' ? 'helper_away' : kind,
    make: async () => undefined,
    begins: () => {
      wrong = [{ kind, name, state: 'down', since: null, sentence: message('attention.helper_away') }]
    },
    ends: async () => void (wrong = []),
  })
  const TROUBLES: readonly Trouble[] = [
    {
      kind: 'drift',
      make: () => createTunnel(operator),
      begins: () => void kernel.held.clear(),
      ends: () => act(operator, 1, 'reapply'),
    },
    {
      kind: 'route_health',
      make: () => madeRoute(operator),
      begins: () => void kernel.rulesets.flush(),
      ends: () => actOnRoute(operator, 1, 'reapply'),
    },
    incident('certificate', ''),
    incident('disk', '/var/lib/a folder'),
    incident('helper', ''),
  ]

  for (const { kind, make, begins, ends } of TROUBLES)
    describe(`and ${kind}`, () => {
      beforeEach(async () => {
        await make()
        await lookTwice()
        assert.deepEqual(await reported(), [])
        begins()
      })

      it('reports what the one before had not reported', async () => {
        await restart()
        await lookTwice()
        assert.deepEqual(await reported(), [`${kind} problem`])
      })

      it('reports once what lasts, however long', async () => {
        await lookTwice()
        for (let times = 0; times < 2; times += 1) {
          panel.clock.advance(3600)
          await lookTwice()
        }
        await restart(3 * 3600)
        await lookTwice()
        assert.deepEqual(await reported(), [`${kind} problem`])
      })

      it('reports once the end of what the one before had reported', async () => {
        await lookTwice()
        await ends()
        for (let times = 0; times < 2; times += 1) {
          await restart()
          await lookTwice()
        }
        assert.deepEqual(await reported(), [`${kind} problem`, `${kind} resolved`])
      })
    })

  const failSignIn = () => panel.visitor().post('/auth/login', { ...OPERATOR, password: 'a wrong one' })

  it('counts the sign-ins that failed before', async () => {
    await set(operator, { 'webhooks.sign_in_failures': 3 })
    await failSignIn()
    await failSignIn()
    assert.deepEqual(await reported(), [])
    await restart()
    await failSignIn()
    assert.deepEqual(await reported(), ['sign_in_failed problem'])
  })

  it('does not count the question for the second factor among them, as the one before did not', async () => {
    await set(operator, { 'webhooks.sign_in_failures': 2 })
    await turnOnFactor(panel, operator)
    const { error } = await panel.visitor().post('/auth/login', OPERATOR)
    assert.equal(error.code, 'SECOND_FACTOR_REQUIRED')
    await failSignIn()
    assert.deepEqual(await reported(), [])
    await restart()
    assert.equal((await panel.visitor().post('/auth/login', OPERATOR)).error.code, 'SECOND_FACTOR_REQUIRED')
    assert.deepEqual(await reported(), [])
    await failSignIn()
    assert.deepEqual(await reported(), ['sign_in_failed problem'])
  })
})
