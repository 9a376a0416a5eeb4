// Host and store compared on a real kernel: adopting under the eyes of an event listener, what is changed behind the
// panel's back, and what a reboot leaves.
import assert from 'node:assert/strict'
import type { AdoptAnswer, ForgetAnswer, IgnoreAnswer } from '@panel/shared/api/reconcile.ts'
import type { CreateTunnelAnswer, TunnelActionAnswer, UpdateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { tunnelRequest } from '../support/records.ts'
import { startLab, type Lab } from './lab/index.ts'
import type { Server } from './lab/servers.ts'
import { putsAddressesBack } from './heal-ways.ts'
import { putPanel } from './panel/bundles.ts'
import { expect, Panel } from './panel/panel.ts'
import { heardWhile, reconciling } from './panel/reconciling.ts'

describe('Host and store compared on a real kernel', function () {
  let lab: Lab
  let a: Panel
  let far: Server
  let reconcile: ReturnType<typeof reconciling>

  before(async () => {
    lab = await startLab()
    const servers = await lab.twoServers()
    await putPanel(lab)
    a = new Panel(servers.a)
    far = servers.b
    reconcile = reconciling(a)
    await a.start()
    await a.setUp()
  })
  after(() => lab?.stop())

  const create = async (body: object = {}) =>
    expect(
      await a.operator.post<CreateTunnelAnswer>(
        '/tunnels',
        tunnelRequest({
          local_endpoint: a.server.address,
          remote_endpoint: far.address,
          ...body,
        }),
      ),
      201,
    ).tunnel
  const byHand = (name: string, key: number, more = ''): Promise<string> =>
    a.server.run(
      `ip link add ${name} mtu 1400 type gre local ${a.server.address} remote ${far.address} key ${key} ttl 64 && ip address add 10.10.${key}.1/30 dev ${name} && ip link set ${name} up ${more}`,
    )

  it("lists a tunnel made by hand, and never the kernel's own stubs, which are there", async () => {
    await byHand('by-hand', 5)
    await a.server.run('ip link add probe6 type ip6gre local 2001:db8::1 remote 2001:db8::2 && ip link del probe6')
    assert.match(await a.server.run('ip -br link'), /gre0@.*gretap0@.*erspan0@.*ip6gre0@/s)
    const { items } = await reconcile.report()
    assert.deepEqual(
      items.map(({ interface_name, status, actions }) => [interface_name, status, actions]),
      [['by-hand', 'Unmanaged', ['adopt', 'ignore']]],
    )
  })

  it('adopts it without a touch: the index stays, a ping goes on, and an event listener hears nothing', async () => {
    await far.run(
      `ip link add peer type gre local ${far.address} remote ${a.server.address} key 5 && ip address add 10.10.5.2/30 dev peer && ip link set peer up`,
    )
    await a.server.run('ping', ['-c', '1', '-W', '10', '10.10.5.2'])
    const [index, picture] = [await reconcile.indexOf('by-hand'), await a.picture()]
    const ping = a.server.spawn('ping', ['-i', '0.2', '-c', '25', '-W', '10', '10.10.5.2'])
    await ping.says(/icmp_seq=1 /)
    let adopted!: AdoptAnswer
    const received = await heardWhile(
      a.server,
      async () => void (adopted = await reconcile.adopt({ interface_name: 'by-hand' })),
    )
    assert.equal(received, '')
    await ping.exited
    assert.match(ping.text('stdout'), /25 packets transmitted, 25 received/)
    const { tunnel } = adopted
    assert.deepEqual(
      [
        adopted.interface_bounced,
        tunnel.tunnel_side_id,
        tunnel.is_name_templated,
        tunnel.mtu,
        tunnel.ttl,
        tunnel.ikey,
        tunnel.address_pool_id,
      ],
      [false, 10, false, 1400, 64, 5, 20],
    )
    assert.deepEqual(
      [
        await reconcile.indexOf('by-hand'),
        `${tunnel.observed.index}`,
        (await a.picture()).replace(/"mtu": 6[01]00[01]/g, ''),
      ],
      [index, index, picture.replace(/"mtu": 6\d+/g, '')],
    )
    assert.equal((await reconcile.itemOf('by-hand')).status, 'InSync')
  })

  it('takes it over into a unit of its own without a touch of the link, and so does forgetting and adopting it again', async () => {
    const { tunnel_id } = await reconcile.itemOf('by-hand')
    const index = await reconcile.indexOf('by-hand')
    const received = await heardWhile(a.server, async () => {
      expect(await a.operator.post<ForgetAnswer>(`/reconcile/${tunnel_id}/forget`), 200)
      assert.equal((await reconcile.itemOf('by-hand')).status, 'Unmanaged')
      const taken = await reconcile.adopt({ interface_name: 'by-hand', takeover: true })
      assert.deepEqual(
        taken.plan.steps.map(({ kind }) => kind),
        ['file_write', 'systemd_enable'],
      )
      expect(await a.operator.post<ForgetAnswer>(`/reconcile/${taken.tunnel.tunnel_id}/forget`), 200)
      const again = await reconcile.adopt({ interface_name: 'by-hand' })
      assert.deepEqual(
        [again.tunnel.persistence_type_id, again.units_taken_over, again.plan.steps],
        [10, [`${a.unitDir}/tunnel-panel-link-by-hand.service`], []],
      )
    })
    assert.deepEqual(
      [received, await reconcile.indexOf('by-hand'), (await reconcile.itemOf('by-hand')).status],
      ['', index, 'InSync'],
    )
    assert.match(
      await a.server.run(`cat ${a.unitDir}/tunnel-panel-link-by-hand.service`),
      /link add name by-hand up mtu 1400/,
    )
  })

  it('shows what is changed with ip as drift, field by field, and a reapply puts it right in place', async () => {
    const { tunnel_id } = await reconcile.itemOf('by-hand')
    const picture = await a.picture()
    const index = await reconcile.indexOf('by-hand')
    for (const [command, fields] of [
      ['ip link set by-hand mtu 1300', ['mtu']],
      ['ip link set by-hand txqueuelen 7', ['tx_queue_length']],
      ['ip link set by-hand multicast on', ['is_multicast']],
      ['ip link set by-hand down', ['is_up']],
      ['ip address add 10.99.0.1/32 dev by-hand', ['addresses']],
      ['ip address flush dev by-hand', ['addresses']],
    ] as const) {
      await a.server.run(command)
      const { status, diffs } = await reconcile.itemOf('by-hand')
      assert.deepEqual([status, diffs.map(({ field }) => field)], ['Drifted', fields], command)
      const { verification, action } = expect(
        await a.operator.post<TunnelActionAnswer>(`/reconcile/${tunnel_id}/reapply`),
        200,
      )
      assert.deepEqual(
        [action, verification.ok, await a.picture(), await reconcile.indexOf('by-hand')],
        ['reapply', true, picture, index],
        command,
      )
      assert.equal((await reconcile.itemOf('by-hand')).status, 'InSync')
    }
  })

  it('shows a changed ttl, key or far endpoint as drift, and puts it right in place', async () => {
    const { tunnel_id } = await reconcile.itemOf('by-hand')
    const from = `mode gre local ${a.server.address}`
    for (const [command, fields] of [
      [`ip tunnel change by-hand ${from} remote ${far.address} key 5 ttl 9`, ['ttl']],
      [`ip tunnel change by-hand ${from} remote ${far.address} key 55 ttl 64`, ['ikey', 'okey']],
      ['ip tunnel change by-hand remote 192.0.2.77', ['remote_endpoint']],
      ['ip link change by-hand type gre remote 192.0.2.77', ['remote_endpoint']],
    ] as const) {
      await a.server.run(command)
      const { status, diffs, detail } = await reconcile.itemOf('by-hand')
      assert.deepEqual([status, diffs.map(({ field }) => field)], ['Drifted', fields], command)
      assert.match(detail, /corrects it in place/)
      const index = await a.server.run('cat /sys/class/net/by-hand/ifindex')
      expect(await a.operator.post(`/reconcile/${tunnel_id}/reapply`), 200)
      assert.equal(await a.server.run('cat /sys/class/net/by-hand/ifindex'), index)
      assert.equal((await reconcile.itemOf('by-hand')).status, 'InSync')
    }
  })

  it('says which link to rename back after one was renamed by hand', async () => {
    const { tunnel_id } = await reconcile.itemOf('by-hand')
    await a.server.run('ip link set by-hand down && ip link set by-hand name renamed')
    assert.equal((await reconcile.itemOf('by-hand')).status, 'Missing')
    const { status, error } = await a.operator.post(`/reconcile/${tunnel_id}/reapply`)
    assert.equal(status, 409)
    const [, advice = ''] = /"(ip link set dev renamed name by-hand)"/.exec(error.message) ?? []
    await a.server.run(advice)
    expect(await a.operator.post(`/reconcile/${tunnel_id}/reapply`), 200)
  })

  it('calls a tunnel Missing whose link is deleted, and Inconsistent whose name another kind of interface takes', async () => {
    const { tunnel_id } = await reconcile.itemOf('by-hand')
    await a.server.run('ip link del by-hand')
    const gone = await reconcile.itemOf('by-hand')
    assert.deepEqual([gone.status, gone.observed.exists], ['Missing', false])
    await a.server.run('ip link add by-hand type dummy')
    const taken = await reconcile.itemOf('by-hand')
    assert.deepEqual([taken.status, taken.observed.kind], ['Inconsistent', 'dummy'])
    assert.equal((await a.operator.post(`/reconcile/${tunnel_id}/reapply`)).error.code, 'PROTECTED_INTERFACE')
    await a.server.run('ip link del by-hand')
    expect(await a.operator.post(`/reconcile/${tunnel_id}/reapply`), 200)
    assert.equal((await reconcile.itemOf('by-hand')).status, 'InSync')
    await a.server.run('ping', ['-c', '1', '-W', '10', '10.10.5.2'])
  })

  it('reports what the panel cannot keep, and protects it from a change that would lose it', async () => {
    await byHand('rich', 6, 'alias office group 7')
    await a.server.run(
      'ip link property add dev rich altname london && ip address add 10.66.0.1/24 dev rich label rich:old',
    )
    const carried = ['alias office', 'altname london', 'group 7', 'address 10.66.0.1/24 label rich:old']
    assert.deepEqual([...(await reconcile.itemOf('rich')).unmodelled].sort(), [...carried].sort())
    const { tunnel, warnings } = await reconcile.adopt({ interface_name: 'rich' })
    for (const word of carried)
      assert.ok(warnings.find(({ code }) => code === 'UNMODELLED_STATE')?.message.includes(word), word)
    assert.equal((await reconcile.itemOf('rich')).status, 'InSync')
    const picture = await a.picture()
    const refused = await a.operator.patch(`/tunnels/${tunnel.tunnel_id}`, {
      interface_name: 'poor',
      confirm_recreate: true,
    })
    assert.deepEqual([refused.status, refused.error.code, await a.picture()], [409, 'CONFLICT', picture])
    expect(await a.operator.patch<UpdateTunnelAnswer>(`/tunnels/${tunnel.tunnel_id}`, { mtu: 1390, ttl: 3 }), 200)
    assert.deepEqual([...(await reconcile.itemOf('rich')).unmodelled].sort(), [...carried].sort())
  })

  it('recognises a legacy name and gives it its number', async () => {
    await byHand('gre-ab-7', 7)
    assert.deepEqual((await reconcile.itemOf('gre-ab-7')).legacy, {
      tunnel_number: 7,
      marker: 'ab',
      unit_path: '',
      is_panel_owned: false,
    })
    const { tunnel, legacy } = await reconcile.adopt({ interface_name: 'gre-ab-7' })
    assert.deepEqual([tunnel.tunnel_number, tunnel.tunnel_side_id, legacy?.tunnel_number], [7, 10, 7])
  })

  it('adopts each kind of GRE with its options, and finds it as stored', async () => {
    const six = 'local 2001:db8::1 remote 2001:db8::2'
    for (const [name, kind, options] of [
      [
        't4',
        'gretap',
        `local ${a.server.address} remote ${far.address} ikey 8 okey 9 ocsum iseq pmtudisc tos 0x10 dev eth0`,
      ],
      ['n6', 'ip6gre', `${six} key 8 encaplimit none hoplimit 12 tclass 0x20 flowlabel 0x12345`],
      ['t6', 'ip6gretap', `${six} icsum encaplimit 4 fwmark 6`],
    ] as const) {
      await a.server.run(`ip link add ${name} type ${kind} ${options}`)
      const index = await reconcile.indexOf(name)
      const { tunnel } = await reconcile.adopt({ interface_name: name })
      assert.deepEqual(
        [
          (await reconcile.itemOf(name)).status,
          (await reconcile.itemOf(name)).diffs,
          tunnel.is_enabled,
          await reconcile.indexOf(name),
        ],
        ['InSync', [], false, index],
        name,
      )
      const elsewhere = kind === 'gretap' ? '192.0.2.78' : '2001:db8::78'
      await a.server.run(`ip link change ${name} type ${kind} ${options.replace(/remote \S+/, `remote ${elsewhere}`)}`)
      const { status, diffs } = await reconcile.itemOf(name)
      assert.deepEqual([status, diffs.map(({ field }) => field)], ['Drifted', ['remote_endpoint']], name)
    }
  })

  it('leaves an ignored interface out, until it is reported again', async () => {
    await byHand('secret', 11)
    for (const [ignored, listed] of [
      [true, false],
      [false, true],
    ] as const) {
      expect(await a.operator.post<IgnoreAnswer>('/reconcile/ignore', { interface_name: 'secret', ignored }), 200)
      assert.equal(
        (await reconcile.report()).items.some(({ interface_name }) => interface_name === 'secret'),
        listed,
      )
    }
  })

  it('lists a tunnel under a name that the panel cannot take', async () => {
    await a.server.run(`ip link add _gre1 type gre local ${a.server.address} remote ${far.address} key 12`)
    assert.deepEqual((await reconcile.itemOf('_gre1')).actions, ['ignore'])
    await a.server.run('ip link del _gre1')
  })

  it("notices a changed MTU through the kernel's event, and that it is put right again", async () => {
    await create({ interface_name: 'watched' })
    await reconcile.noticed('watched', 'InSync')
    await reconcile.atRest()
    for (const [mtu, status] of [
      [1300, 'Drifted'],
      [1472, 'InSync'],
    ] as const) {
      await a.server.run(`ip link set watched mtu ${mtu}`)
      assert.equal(await reconcile.noticed('watched', status), 'event')
    }
  })

  it('notices what was changed while nobody could tell of it, as soon as there is a helper again', async () => {
    a.helper.kill('KILL')
    await a.helper.exited
    await a.server.run('ip link set watched mtu 1333')
    await a.startHelper()
    assert.equal(await reconcile.noticed('watched', 'Drifted'), 'event')
    assert.deepEqual((await reconcile.itemOf('watched')).diffs, [{ field: 'mtu', desired: '1472', actual: '1333' }])
  })

  it("finds tunnels of the panel's own as stored, up and down", async () => {
    const { tunnel_id, interface_name } = await create()
    assert.equal((await reconcile.itemOf(interface_name)).status, 'InSync')
    expect(await a.operator.post(`/tunnels/${tunnel_id}/down`), 200)
    assert.equal((await reconcile.itemOf(interface_name)).status, 'InSync')
  })

  putsAddressesBack(() => ({ lab, panel: a, far: far.address }))
})
