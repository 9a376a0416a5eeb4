// A request that an answer holds ready to be sent has one spelling, whatever the web path: below the base of the API
// (reference.md; decisions.md, W27).
import assert from 'node:assert/strict'
import type { SafeApplyPending } from '@panel/shared/api/safe-apply.ts'
import type { MtuProbeAnswer } from '@panel/shared/api/diagnostics.ts'
import { ApiPath } from '@panel/shared/api/base/ready.ts'
import type { Client } from './support/client.ts'
import { docsOf } from './support/description.ts'
import { plantByHand } from './support/reconcile.ts'
import type { TestPanel } from './support/panel.ts'
import { createTunnel } from './support/tunnels.ts'
import { startWindowPanel } from './support/windows.ts'

interface Ready {
  readonly method: string
  readonly path: string
  readonly body: object
}

type Node = Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Every schema of the description, with where it stands. */
const schemasIn = (value: unknown, at = ''): (readonly [string, Node])[] =>
  isNode(value)
    ? [[at, value], ...Object.entries(value).flatMap(([name, below]) => schemasIn(below, `${at}/${name}`))]
    : []

describe('A request in an answer', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => ({ panel, operator } = await startWindowPanel({ web_path: 'hidden' })))
  afterEach(() => panel.close())

  it('is spelled below the base of the API wherever the API description has one', async () => {
    const { body } = await docsOf(operator)
    const found = schemasIn(body.components.schemas).flatMap(([at, { properties }]) =>
      isNode(properties) && 'method' in properties && isNode(properties['path'])
        ? [[at, properties['path']['pattern']] as const]
        : [],
    )
    // What is sent to be foreseen may have the whole path too.
    const answered = found.filter(([at]) => !at.startsWith('/ImpactBody'))
    assert.ok(answered.length >= 3, JSON.stringify(found))
    for (const [at, pattern] of answered) assert.equal(pattern, ApiPath.pattern, at)
  })

  it('can be sent, and foreseen, as it stands there', async () => {
    const { tunnel } = (await createTunnel(operator)).body
    plantByHand(panel.kernel, 'by-hand')
    const adopted = await createTunnel(operator, { interface_name: 'by-hand' })
    const changed = await operator.patch<{ safe_apply: SafeApplyPending }>(`/tunnels/${tunnel.tunnel_id}`, {
      mtu: 1400,
      confirm_within_seconds: 60,
    })
    const probed = await operator.post<MtuProbeAnswer>(`/tunnels/${tunnel.tunnel_id}/diagnostics/mtu-probe`)
    const { confirm, cancel } = changed.body.safe_apply
    const ready: Ready[] = [
      {
        method: 'POST',
        path: String(adopted.error.details['adopt_path']),
        body: { interface_name: 'by-hand', persistence_type_id: 10 },
      },
      probed.body.apply ?? assert.fail(probed.text),
      confirm,
      cancel,
    ]
    assert.deepEqual(
      ready.map(({ method, path }) => `${method} ${path}`),
      ['POST /reconcile/adopt', 'PATCH /tunnels/1', 'POST /safe-apply/confirm', 'POST /safe-apply/cancel'],
    )
    for (const request of ready) {
      const foreseen = await operator.post('/impact', { ...request })
      assert.equal(foreseen.status, 200, foreseen.text)
    }
    for (const { method, path, body } of ready.slice(0, 3)) {
      const { status, text } = await operator.api(method, path, body)
      assert.ok(status < 300, text)
    }
  })
})
