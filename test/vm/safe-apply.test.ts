// The lockout drill on a real kernel: the operator's only way to the panel is a tunnel, he cuts it, and is back without
// anybody's help (reference.md, Safe apply).
import assert from 'node:assert/strict'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { startLab, type Lab, type Server } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { Inside } from './panel/inside.ts'
import { expect, Panel } from './panel/panel.ts'
import { tunnelRequest } from '../support/records.ts'

/** The least that a window takes. */
const SECONDS = 15

interface Cut {
  readonly method: 'PATCH' | 'DELETE' | 'POST'
  readonly path: string
  readonly body: object
}

const CUTS: Record<string, Cut> = {
  'takes the address away that he comes by': {
    method: 'PATCH',
    path: '/tunnels/1',
    body: { addresses: [{ address: '10.9.0.1', prefix_length: 30 }] },
  },
  'gives the tunnel another far end': {
    method: 'PATCH',
    path: '/tunnels/1',
    body: { remote_endpoint: '192.0.2.99', confirm_recreate: true },
  },
  'takes the tunnel down': { method: 'POST', path: '/tunnels/1/down', body: {} },
  'deletes the tunnel': { method: 'DELETE', path: '/tunnels/1', body: {} },
}

/** His address is in its subnet. */
const SWALLOWS = {
  ...tunnelRequest({ local_endpoint: '192.0.2.1', remote_endpoint: '192.0.2.9' }),
  interface_name: 'gre-a-9',
  addresses: [{ address: '10.77.0.2', prefix_length: 28 }],
  force: true,
}

describe('An operator whose only way to the panel is a tunnel', function () {
  this.timeout(600_000)
  let lab: Lab
  let a: Panel
  let far: Server
  let inside: Inside

  before(async () => {
    lab = await startLab()
    const servers = await lab.twoServers()
    await putPanel(lab)
    a = new Panel(servers.a)
    far = servers.b
    await a.startHelper()
    await a.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
    await a.setUp()
    const ends = { local_endpoint: a.server.address, remote_endpoint: far.address }
    const { tunnel } = expect(await a.operator.post<CreateTunnelAnswer>('/tunnels', tunnelRequest(ends)), 201)
    await far.run(
      `ip link add by-hand mtu ${tunnel.mtu} type gre local ${far.address} remote ${a.server.address} ikey ${tunnel.okey} okey ${tunnel.ikey} && ip address add 172.17.1.2/30 dev by-hand && ip address add 10.77.0.1/32 dev lo && ip link set by-hand up && ip route add 172.17.1.0/30 dev by-hand src 10.77.0.1 metric 1`,
    )
    await a.server.run(`ip route add 10.77.0.0/24 dev ${tunnel.interface_name}`)
    // He comes from a network behind the far end.
    await far.run('ip route delete 172.17.1.0/30 dev by-hand proto kernel')
    inside = new Inside(far, 'http://172.17.1.1:8480', a.operator)
    assert.ok(await inside.reaches(), 'he reaches the panel')
  })
  after(() => lab?.stop())

  /** Sends the cut from inside, and says whether it was applied and he is off. */
  const cutOff = async ({ method, path, body }: Cut): Promise<void> => {
    const { body: foreseen } = await inside.request<ImpactAnswer>('POST', '/impact', { method, path, body }, 30)
    assert.equal(foreseen.impact.own_access.is_affected, true, 'the impact says so beforehand')
    assert.notEqual(foreseen.impact.own_access.how, 'none')
    const refused = await inside.request<{ error?: { code: string } }>(method, path, body, 30)
    assert.deepEqual([refused.status, refused.body.error?.code], [409, 'WOULD_CUT_OWN_ACCESS'])
    // Its answer comes when he is back, if at all.
    void inside.request(method, path, { ...body, confirm_within_seconds: SECONDS }, 3).catch(() => undefined)
    const began = performance.now()
    while (await inside.reaches()) assert.ok(performance.now() - began < 10_000, 'he is cut off')
  }
  /** Within its time and what a try takes. */
  const isBack = async (): Promise<number> => {
    const began = performance.now()
    while (!(await inside.reaches()))
      assert.ok(performance.now() - began < (SECONDS + 15) * 1000, 'he is back within the time')
    return performance.now() - began
  }
  const said = async (): Promise<string | undefined> =>
    (await inside.request<SafeApplyAnswer>('GET', '/safe-apply')).body.last?.ended_how

  for (const [what, cut] of Object.entries(CUTS))
    it(`${what}, is cut off, and is back within the time`, async () => {
      const before = await a.picture()
      const stored = (await a.operator.get('/backup/export')).body['tunnels']
      await cutOff(cut)
      await isBack()
      assert.equal(await a.picture(), before)
      assert.deepEqual((await a.operator.get('/backup/export')).body['tunnels'], stored)
      assert.equal(await said(), 'expired')
    })

  it('cannot make a tunnel whose address swallows the way back to him: root refuses it', async () => {
    const before = await a.picture()
    const { status, body } = await inside.request<{ error?: { details: { reason?: string } } }>(
      'POST',
      '/tunnels',
      { ...SWALLOWS, confirm_within_seconds: SECONDS },
      30,
    )
    assert.deepEqual([status, body.error?.details.reason], [409, 'protected_address'])
    assert.equal(await a.picture(), before)
  })

  it('is back within the time although the helper is killed in between', async () => {
    const before = await a.picture()
    await cutOff(CUTS['gives the tunnel another far end'] ?? assert.fail())
    await a.replaceHelper()
    await isBack()
    assert.equal(await a.picture(), before)
  })

  it('is back within the time although the web daemon is killed in between, and stays dead until then', async () => {
    const before = await a.picture()
    await cutOff(CUTS['deletes the tunnel'] ?? assert.fail())
    a.web.kill('KILL')
    await a.web.exited
    while ((await a.picture()) !== before) await new Promise((resolve) => setTimeout(resolve, 500))
    await a.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
    await isBack()
    assert.equal(await said(), 'expired')
    assert.equal((await inside.request('GET', '/tunnels/1', undefined, 30)).status, 200)
  })

  it('keeps what does not cut him off, over a connection that he made after it', async () => {
    const { body, status } = await inside.request<{ safe_apply?: { window_id: string } }>(
      'PATCH',
      '/tunnels/1',
      {
        mtu: 1400,
        confirm_within_seconds: SECONDS,
      },
      30,
    )
    assert.equal(status, 200)
    const { window_id } = body.safe_apply ?? assert.fail('no window')
    assert.equal((await inside.request('POST', '/safe-apply/confirm', { window_id }, 30)).status, 200)
    await new Promise((resolve) => setTimeout(resolve, (SECONDS + 2) * 1000))
    assert.match(await a.server.run('ip link show dev gre-a-1'), /mtu 1400/)
  })
})
