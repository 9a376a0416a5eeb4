// Changes of a tunnel on a real kernel: which fields it takes in place, shown by the link's index, and which only a new
// link can have; faults, down and up, and a client inside the tunnel.
import assert from 'node:assert/strict'
import type {
  CreateTunnelAnswer,
  TunnelActionAnswer,
  TunnelView,
  UpdateTunnelAnswer,
} from '@panel/shared/api/tunnels/answers.ts'
import type { FaultOrder } from './driver/faulty-helper.ts'
import { IN_PLACE, IN_PLACE_OVER_IPV6, OF_BOTH_ENDS, REBORN, UNTOUCHED } from './changed-fields.ts'
import { startLab, type Lab, type Server } from './lab/index.ts'
import { putDriver, putPanel } from './panel/bundles.ts'
import { expect, OPERATOR, Panel } from './panel/panel.ts'
import { addRoutes, LOST, ROUTES, routesThrough } from './panel/routes-of-others.ts'
import { keepsOwnSysctls } from './sysctl-ways.ts'
import { tunnelRequest } from '../support/records.ts'

describe('A change of a tunnel on a real kernel', function () {
  let lab: Lab
  let a: Panel
  let far: Server
  let made: TunnelView

  const read = async (id = made.tunnel_id): Promise<TunnelView> =>
    expect(await a.operator.get<TunnelView>(`/tunnels/${id}`), 200)
  const patch = (body: object, id = made.tunnel_id) => a.operator.patch<UpdateTunnelAnswer>(`/tunnels/${id}`, body)
  const act = async (action: string): Promise<TunnelActionAnswer> =>
    expect(await a.operator.post<TunnelActionAnswer>(`/tunnels/${made.tunnel_id}/${action}`), 200)

  /** Changes one field, says whether the link is another afterwards, and changes it back. */
  async function isReborn(
    field: string,
    value: unknown,
    id = made.tunnel_id,
    confirm_recreate = true,
  ): Promise<boolean> {
    const before = await read(id)
    const addresses = before.addresses.map(({ address, peer_address, prefix_length }) => ({
      address,
      peer_address,
      prefix_length,
    }))
    const { plan, verification } = expect(await patch({ [field]: value, confirm_recreate }, id), 200)
    assert.ok(verification.ok, field)
    const isAnother = (await read(id)).observed.index !== before.observed.index
    assert.equal(
      plan.steps.some(({ kind }) => kind === 'link_create'),
      isAnother,
      field,
    )
    expect(await patch({ [field]: { ...before, addresses }[field], confirm_recreate }, id), 200)
    return isAnother
  }

  before(async () => {
    lab = await startLab()
    const servers = await lab.twoServers()
    await putPanel(lab)
    a = new Panel(servers.a)
    far = servers.b
    await a.startHelper()
    await a.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
    await a.setUp()
    // What a client inside the tunnel accepts here shall stay (test/vm/safe-apply.test.ts has the other case).
    expect(await a.operator.put('/settings', { 'system.safe_apply_mode': 'off' }), 200)
    made = expect(
      await a.operator.post<CreateTunnelAnswer>(
        '/tunnels',
        tunnelRequest({
          local_endpoint: a.server.address,
          remote_endpoint: far.address,
        }),
      ),
      201,
    ).tunnel
    await far.run(
      `ip link add by-hand mtu ${made.mtu} type gre local ${far.address} remote ${a.server.address} ikey ${made.okey} okey ${made.ikey} && ip address add 172.17.1.2/30 dev by-hand && ip link set by-hand up`,
    )
  })
  after(() => lab?.stop())

  it('is in place for the MTU, the queue, the addresses, up or down, and the outer header of this end: the link keeps its index, and nothing is to be confirmed', async () => {
    const before = await a.picture()
    for (const [field, value] of Object.entries(IN_PLACE)) {
      assert.equal(await isReborn(field, value, made.tunnel_id, false), false, field)
      assert.equal(await a.picture(), before, field)
    }
  })

  it('is in place for what the far end has to follow, after a 409 that changes nothing', async () => {
    const before = await a.picture()
    const routes = await addRoutes(a.server)
    for (const [field, value] of Object.entries(OF_BOTH_ENDS)) {
      assert.equal((await patch({ [field]: value })).error.code, 'CONFIRM_RECREATE_REQUIRED', field)
      assert.equal(await a.picture(), before, field)
      assert.equal(await isReborn(field, value), false, field)
      assert.equal(await a.picture(), before, field)
      assert.equal(await routesThrough(a.server), routes, field)
    }
  })

  it('touches no link for what the kernel never sees, for the side and for the persistence', async () => {
    const before = await a.picture()
    for (const [field, value] of Object.entries(UNTOUCHED)) assert.equal(await isReborn(field, value), false, field)
    assert.equal(await a.picture(), before)
  })

  it('makes a new link for another type or name, after a 409 that changes nothing; each is verified, and changed back it is the link that it was, with the foreign routes', async () => {
    const before = await a.picture()
    const routes = await addRoutes(a.server)
    for (const [field, value] of Object.entries(REBORN)) {
      assert.equal((await patch({ [field]: value })).error.code, 'CONFIRM_RECREATE_REQUIRED', field)
      assert.equal(await a.picture(), before, field)
      assert.equal(await isReborn(field, value), true, field)
      assert.equal(await a.picture(), before, field)
      assert.equal(await routesThrough(a.server), routes, field)
    }
  })

  it('names the foreign routes that a new link cannot have', async () => {
    await a.server.run(`ip route add ${LOST}`)
    const { plan, warnings } = expect(await patch({ tunnel_type_id: 20, mtu: 1458, confirm_recreate: true }), 200)
    assert.equal(plan.steps.filter(({ kind }) => kind === 'route_add').length, ROUTES.length)
    assert.deepEqual(
      warnings.map(({ code, message }) => [code, /10\.54\.0\.0\/16/.test(message)]),
      [['ROUTES_LOST', true]],
    )
    const { tunnel_type_id, mtu } = made
    expect(await patch({ tunnel_type_id, mtu, confirm_recreate: true }), 200)
  })

  // The foreign routes go with the link that is deleted by hand.
  keepsOwnSysctls(() => ({ panel: a, tunnel: made, remake: () => isReborn('tunnel_type_id', 20) }))

  it('is in place for the fields of tunnels over IPv6, and makes a new link for another type', async () => {
    const { tunnel } = expect(
      await a.operator.post<CreateTunnelAnswer>(
        '/tunnels',
        tunnelRequest({
          tunnel_type_id: 30,
          local_endpoint: a.server.address6,
          remote_endpoint: far.address6,
        }),
      ),
      201,
    )
    for (const [field, value] of Object.entries(IN_PLACE_OVER_IPV6))
      assert.equal(await isReborn(field, value, tunnel.tunnel_id, false), false, field)
    assert.equal(await isReborn('tunnel_type_id', 40, tunnel.tunnel_id), true)
    expect(await a.operator.delete(`/tunnels/${tunnel.tunnel_id}`), 200)
  })

  it('is interrupted by down and restored by up: the link is kept with its addresses, its unit is not enabled meanwhile, and pings pass again', async () => {
    const before = await a.picture()
    const { index } = (await read()).observed
    const down = await act('down')
    assert.deepEqual(
      [down.verification.ok, down.tunnel.observed.index, down.tunnel.observed.is_up],
      [true, index, false],
    )
    assert.equal(await a.server.run(`find ${a.unitDir} -type l`), '')
    assert.notEqual((await a.server.try('ping', ['-c', '1', '-W', '1', '172.17.1.2'])).code, 0)
    await act('up')
    assert.equal(await a.picture(), before)
    await a.server.run('ping', ['-c', '1', '-W', '5', '172.17.1.2'])
    const restarted = await act('restart')
    assert.deepEqual(
      [restarted.verification.ok, restarted.tunnel.observed.index, await a.picture()],
      [true, index, before],
    )
  })

  it('has reapply for drift: what was changed or deleted by hand is as stored again', async () => {
    const before = await a.picture()
    for (const drift of [
      'ip link set gre-a-1 mtu 1300 txqueuelen 5 down',
      'ip link change dev gre-a-1 type gre ttl 9 key 5',
      'ip address flush dev gre-a-1',
      'ip link delete gre-a-1',
    ]) {
      await a.server.run(drift)
      assert.notEqual(await a.picture(), before)
      assert.equal((await act('reapply')).verification.ok, true)
      assert.equal(await a.picture(), before, drift)
    }
  })

  it('does not cut a client inside the tunnel off, unless he accepts it', async () => {
    const url = 'http://172.17.1.1:8480/api/v1'
    const request = async (
      method: string,
      path: string,
      body: object,
      from = '172.17.1.2',
    ): Promise<{ status: number; text: string }> => {
      const { cookies } = a.operator
      const headers = [
        `Cookie: ${[...cookies].map(([name, value]) => `${name}=${value}`).join('; ')}`,
        `X-CSRF-Token: ${cookies.get('panel_csrf')}`,
        'Content-Type: application/json',
        'X-Forwarded-For: 203.0.113.9',
      ]
      const output = await far.run('curl', [
        '-sS',
        ...['--interface', from],
        '-m',
        '60',
        '-w',
        '\\n%{http_code}',
        '-X',
        method,
        ...headers.flatMap((header) => ['-H', header]),
        '-d',
        JSON.stringify(body),
        url + path,
      ])
      return { status: Number(output.split('\n').at(-1)), text: output }
    }
    const path = `/tunnels/${made.tunnel_id}`
    const before = await a.picture()
    assert.equal(
      (await request('POST', '/auth/login', OPERATOR)).status,
      200,
      'the panel is reached through the tunnel',
    )
    for (const [method, where, body] of [
      ['POST', '/down', {}],
      ['POST', '/restart', {}],
      ['PATCH', '', { ttl: 3, confirm_recreate: true }],
      ['DELETE', '/addresses', { address: '172.17.1.1', prefix_length: 30, force: true }],
      ['DELETE', '', {}],
    ] as const) {
      const { status, text } = await request(method, path + where, body)
      assert.equal(status, 409, text)
      assert.match(text, /WOULD_CUT_OWN_ACCESS/)
      assert.equal(await a.picture(), before)
    }
    assert.equal((await request('PATCH', path, { note: 'from inside' })).status, 200)
    const { status, text } = await request('POST', `${path}/restart`, { i_understand_i_may_lose_access: true })
    assert.equal(status, 200, text)
    assert.equal(await a.picture(), before)

    // Behind the far end, where only the routing table leads.
    const behind = '10.77.0.1'
    await far.run(`ip address add ${behind}/32 dev lo`)
    await a.server.run('ip route add 10.77.0.0/24 dev gre-a-1')
    const captor = {
      ...{ interface_name: 'gre-a-9', local_endpoint: made.local_endpoint, remote_endpoint: '192.0.2.9' },
      ...{ addresses: [{ address: '10.77.0.2', prefix_length: 28 }], force: true },
    }
    for (const [method, where, body, how] of [
      ['POST', `${path}/down`, {}, 'through_tunnel'],
      ['DELETE', path, {}, 'through_tunnel'],
      ['POST', '/tunnels', captor, 'route_captured'],
    ] as const) {
      const refused = await request(method, where, body, behind)
      assert.equal(refused.status, 409, refused.text)
      assert.match(refused.text, new RegExp(`WOULD_CUT_OWN_ACCESS.*"how":"${how}"`, 's'))
    }
    await a.server.run('ip route delete 10.77.0.0/24 dev gre-a-1')
    await far.run(`ip address delete ${behind}/32 dev lo`)
    assert.equal(await a.picture(), before)
  })

  it('that fails at any step leaves links, addresses and unit files as they were, and the record says so', async () => {
    let turn = 0
    const order = (at: number): Promise<void> =>
      lab.write(
        '/run/fault.json',
        JSON.stringify({ turn: ++turn, fault: 'half', at, lasts: false } satisfies FaultOrder),
      )
    await order(0)
    await a.replaceHelper({
      script: await putDriver(lab, 'vm/driver/faulty-helper.ts'),
      env: { PANEL_FAULT_FILE: '/run/fault.json' },
    })
    const before = await a.picture()
    const routes = await addRoutes(a.server)
    for (const [steps, body] of [
      [3, { mtu: 1400, tx_queue_length: 5 }],
      [8 + ROUTES.length, { interface_name: 'berlin', ttl: 3, confirm_recreate: true }],
    ] as const) {
      for (let at = 1; at <= steps; at += 1) {
        await order(at)
        assert.equal((await patch(body)).error.code, 'APPLY_FAILED', `${JSON.stringify(body)} at ${at}`)
        assert.equal(await a.picture(), before, `${JSON.stringify(body)} at ${at}`)
        assert.equal(await routesThrough(a.server), routes, `${JSON.stringify(body)} at ${at}`)
      }
    }
    assert.deepEqual([(await read()).apply_status, (await read()).interface_name], ['Failed', 'gre-a-1'])
    await order(0)
    expect(await patch({ note: 'well' }), 200)
    assert.equal((await act('reapply')).tunnel.apply_status, 'Applied')
  })
})
