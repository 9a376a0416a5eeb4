// What brings tunnels back after a reboot, on a machine that reboots: real systemd, real systemd-networkd, and nothing
// of the panel running yet.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import type {
  CreateTunnelAnswer,
  TunnelActionAnswer,
  TunnelView,
  UpdateTunnelAnswer,
} from '@panel/shared/api/tunnels/answers.ts'
import { renderNetwork } from '@panel/shared/tunnel/networkd.ts'
import { eventually } from './eventually.ts'
import { outlastsNetworkd } from './heal-ways.ts'
import { startLab, type Lab } from './lab/index.ts'
import { DOWN, HERE, inside, KEPT, LOST, NETWORKD, RUNTIME, SYSTEMD } from './panel/kept-tunnels.ts'
import { expect, ON_DISK, OPERATOR, startOnDisk, type Panel, type Place } from './panel/panel.ts'
import { reconciling } from './panel/reconciling.ts'
import { tunnelRequest } from '../support/records.ts'

const { unitDir: UNITS, networkdDir: NETWORK } = ON_DISK
const SPARE = `${NETWORK}/10-tunnel-panel-nd-spare.network`
/** Longer than the helper waits for a burst of changes to end, and networkd takes. */
const SETTLED_MS = 4000
/** Changed in a window that is still open when the power is cut. */
const UNCONFIRMED = ['nd-gre', 'sd-gre']
const ANSWERED_THROUGH = Object.keys(KEPT).filter((name) => 'is_answered_through' in (KEPT[name] ?? {}))

describe('A machine that reboots', function () {
  let lab: Lab
  let panel: Panel<Place>
  const ids = new Map<string, number>()
  /** The links before the reboot. */
  let stood: Record<string, string>

  const path = (name: string): string => `/tunnels/${ids.get(name)}`
  const patch = async (name: string, body: object): Promise<UpdateTunnelAnswer> =>
    expect(await panel.operator.patch<UpdateTunnelAnswer>(path(name), { confirm_recreate: true, ...body }), 200)
  const act = async (name: string, action: string): Promise<TunnelActionAnswer> =>
    expect(await panel.operator.post<TunnelActionAnswer>(`${path(name)}/${action}`), 200)
  const files = async (): Promise<string[]> =>
    (await lab.run(`cd /etc/systemd && find . -name '*tunnel-panel*' -printf '%P\\n' | sort`)).trim().split('\n')
  const filesOf = async (name: string): Promise<string[]> =>
    (await files()).filter((file) => file.includes(`-${name}.`))

  /**
   * Every link by its name, as ip tells it in full, but for what no two links share: number, counters, hardware and
   * link-local addresses.
   */
  async function links(): Promise<Record<string, string>> {
    const all = JSON.parse(await lab.run('ip', ['-d', '-j', 'address', 'show'])) as {
      ifname: string
      link_type: string
      addr_info: { scope: string; local: string }[]
    }[]
    return Object.fromEntries(
      all.filter(({ ifname }) => ifname.includes('-')).map((link) => [link.ifname, pictureOf(link)]),
    )
  }

  before(async () => {
    lab = await startLab()
    panel = await startOnDisk(lab)
    for (const [interface_name, body] of Object.entries({ ...KEPT, ...DOWN, ...LOST })) {
      const { tunnel, verification } = expect(
        await panel.operator.post<CreateTunnelAnswer>('/tunnels', tunnelRequest({ interface_name, ...body })),
        201,
      )
      assert.ok(verification.ok, interface_name)
      ids.set(interface_name, tunnel.tunnel_id)
    }
  })
  after(() => lab?.stop())

  it('has networkd as a way to keep tunnels, since it is enabled here', async () => {
    const { body } = await panel.operator.get<{ persistence: { persistence_type_id: number; available: boolean }[] }>(
      '/system/capabilities',
    )
    assert.deepEqual(
      body.persistence.map(({ persistence_type_id, available }) => [persistence_type_id, available]),
      [
        [SYSTEMD, true],
        [NETWORKD, true],
        [RUNTIME, true],
      ],
    )
  })

  it('leaves links alone that the panel has made when networkd learns of them', async () => {
    await sleep(SETTLED_MS)
    for (const name of ids.keys()) assert.deepEqual((await act(name, 'reapply')).plan.steps, [], name)
    assert.match(
      await lab.run('networkctl list --no-legend nd-gre nd-ip6gretap'),
      /nd-gre.*configured\n.*nd-ip6gretap.*configured/,
    )
  })

  it('gives nothing to a card that has the name of a tunnel as its alternative name', async () => {
    await lab.run('ip link add card0 type dummy && ip link property add dev card0 altname nd-spare')
    const addresses = [{ address: '10.77.0.1', peer_address: '', prefix_length: 30 }]
    const written = async (text: string): Promise<string> => {
      await lab.write(SPARE, text)
      await lab.run('networkctl reload')
      await sleep(SETTLED_MS)
      return lab.run('ip -br address show dev card0')
    }
    const ours = renderNetwork('nd-spare', { is_enabled: true, config: { addresses } })
    assert.doesNotMatch(await written(ours), /10\.77\.0\.1/)
    assert.match(await written(ours.replace(/^Kind=.*\n/m, '')), /10\.77\.0\.1/)
    await lab.run(`rm ${SPARE} && ip link delete card0 && networkctl reload`)
  })

  it('keeps a tunnel that is taken down as it is, down, whatever keeps it and whenever networkd is restarted', async () => {
    for (const name of Object.keys(DOWN)) {
      const { observed } = (await panel.operator.get<TunnelView>(path(name))).body
      const down = await act(name, 'down')
      assert.deepEqual(
        [down.verification.ok, down.tunnel.observed.index, down.tunnel.observed.is_up],
        [true, observed.index, false],
        name,
      )
    }
    await sleep(SETTLED_MS)
    await lab.run('systemctl restart systemd-networkd')
    await sleep(SETTLED_MS)
    for (const name of Object.keys(DOWN)) {
      const { plan, tunnel } = await act(name, 'reapply')
      assert.deepEqual([plan.steps, tunnel.observed.is_up], [[], false], name)
    }
  })

  it('pings the far end of a tunnel that has a keepalive, while it is up, and reports that it was stopped by hand', async () => {
    const isSaidToBe = (word: string): Promise<void> =>
      eventually(
        async () =>
          (await lab.try('systemctl', ['is-active', 'tunnel-panel-keepalive-nd-gre.service'])).stdout.trim() === word,
      )
    const seen = async () =>
      (({ status, diffs }) => [status, diffs[0]?.actual])(await reconciling(panel).itemOf('nd-gre'))
    await isSaidToBe('active')
    assert.match(await lab.run('pgrep -a ping'), /ping -n -q -I nd-gre -i 2 -s 56 172\.17\.21\.2/)
    await act('nd-gre', 'down')
    await isSaidToBe('inactive')
    await act('nd-gre', 'up')
    await isSaidToBe('active')
    await lab.run('systemctl stop tunnel-panel-keepalive-nd-gre.service')
    assert.deepEqual(await seen(), ['Drifted', 'yes, but stopped'])
    assert.deepEqual(
      (await act('nd-gre', 'reapply')).plan.steps.map(({ kind }) => kind),
      ['systemd_enable'],
    )
    assert.deepEqual(await seen(), ['InSync', undefined])
    await isSaidToBe('active')
    assert.deepEqual(await seen(), ['InSync', undefined])
    await patch('nd-gre', { ttl: 1 })
    await patch('nd-gre', { ttl: 0 })
    await eventually(async () => (await lab.try('pgrep', ['-fa', `nd-gre.*172.17.21.2`])).code === 0)
    assert.deepEqual((await act('nd-gre', 'reapply')).plan.steps, [])
  })

  outlastsNetworkd(() => panel)

  it('brings back the enabled tunnels with every attribute before anything of the panel runs; neither the runtime one nor those that were down', async () => {
    stood = await links()
    expect(await panel.operator.post('/safe-apply', { seconds: 3600 }), 201)
    for (const name of UNCONFIRMED) await patch(name, { ttl: 9 })
    const changed = await links()
    await lab.reset()
    await eventually(async () => Object.keys(await links()).length >= Object.keys(KEPT).length)
    await sleep(SETTLED_MS)
    const after = await links()
    assert.equal((await lab.try('pgrep', ['-f', 'helper.cjs'])).code, 1)
    assert.deepEqual(Object.keys(after).sort(), Object.keys(KEPT).sort())
    for (const name of Object.keys(KEPT))
      assert.equal(after[name], (UNCONFIRMED.includes(name) ? changed : stood)[name], name)
    await eventually(async () => (await lab.try('pgrep', ['-fa', 'ping.*nd-gre'])).code === 0)
  })

  it('has what nobody had confirmed before the power was cut put back by the helper before it serves, and the store follows', async () => {
    await panel.startHelper()
    await eventually(async () => {
      const now = await links()
      return UNCONFIRMED.every((name) => now[name] === stood[name])
    })
    const { tunnels } = await panel.request('tunnel.probe', { interface_names: ANSWERED_THROUGH })
    assert.deepEqual(
      tunnels.map(({ state }) => state?.answers),
      ANSWERED_THROUGH.map(() => ({ is_whole: true })),
    )
    await panel.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
    expect(await panel.operator.post('/auth/login', OPERATOR), 200)
    const last = async () => expect(await panel.operator.get<SafeApplyAnswer>('/safe-apply'), 200).last
    await eventually(async () => (await last())?.ended_how === 'rebooted')
    assert.deepEqual((await last())?.items.map(({ title, what }) => `${title} ${what}`).sort(), [
      ...UNCONFIRMED.map((name) => `${name} updated`),
    ])
    for (const name of UNCONFIRMED) assert.deepEqual((await act(name, 'reapply')).plan.steps, [], name)
  })

  it('has a runtime tunnel that is Missing, those that systemd and networkd keep are InSync, and a reapply makes the missing one', async () => {
    const statuses = async (): Promise<Record<string, string>> => {
      const { items } = expect(await panel.operator.get<ReconcileAnswer>('/reconcile'), 200)
      return Object.fromEntries(items.map(({ interface_name, status }) => [interface_name, status]))
    }
    const found = await statuses()
    assert.equal(found['rt-gre'], 'Missing')
    for (const name of Object.keys(KEPT)) assert.equal(found[name], 'InSync', name)
    expect(await panel.operator.post(`/reconcile/${ids.get('rt-gre')}/reapply`), 200)
    assert.equal((await statuses())['rt-gre'], 'InSync')
  })

  it('has nothing left to do for those that came back, and makes the others on request', async () => {
    for (const name of Object.keys(KEPT)) assert.deepEqual((await act(name, 'reapply')).plan.steps, [], name)
    for (const name of [...Object.keys(DOWN), ...Object.keys(LOST)])
      assert.ok((await act(name, 'reapply')).verification.ok, name)
    await sleep(SETTLED_MS)
    assert.deepEqual(await links(), stood)
  })

  it('goes from one keeper to the other and back, with its files and nothing else than its files', async () => {
    const name = 'nd-gretap'
    const inNetworkd = [`network/10-tunnel-panel-${name}.netdev`, `network/10-tunnel-panel-${name}.network`]
    const was = (await links())[name]
    const inSystemd = [
      `system/multi-user.target.wants/tunnel-panel-link-${name}.service`,
      `system/tunnel-panel-link-${name}.service`,
    ]
    for (const [persistence_type_id, expected] of [
      [SYSTEMD, inSystemd],
      [NETWORKD, inNetworkd],
      [RUNTIME, []],
      [NETWORKD, inNetworkd],
      [SYSTEMD, inSystemd],
      [NETWORKD, inNetworkd],
    ] as const) {
      assert.ok((await patch(name, { persistence_type_id })).verification.ok)
      assert.deepEqual(await filesOf(name), expected)
      await sleep(SETTLED_MS)
      assert.deepEqual((await act(name, 'reapply')).plan.steps, [], `${persistence_type_id}`)
      assert.equal((await links())[name], was, `${persistence_type_id}`)
    }
  })

  it('changes a link that networkd has in its hands in place, without a word from networkd', async () => {
    const was = (await links())['nd-gre']
    const addresses = [{ address: '172.17.99.1', peer_address: '172.17.99.2', prefix_length: 30 }]
    for (const body of [{ ttl: 33, addresses }, { mtu: 1350 }, { ttl: 0, mtu: 1400, addresses: inside(21) }]) {
      assert.ok((await patch('nd-gre', body)).verification.ok)
      await sleep(SETTLED_MS)
      assert.deepEqual((await act('nd-gre', 'reapply')).plan.steps, [], JSON.stringify(body))
    }
    assert.equal((await links())['nd-gre'], was)
  })

  it('writes over no file that is not ours: 409, and nothing is changed', async () => {
    for (const [name, file] of [
      ['nd-gre', `${NETWORK}/10-tunnel-panel-nd-gre.network`],
      ['nd-gretap', `${NETWORK}/10-tunnel-panel-nd-gretap.netdev`],
      ['sd-gre', `${UNITS}/tunnel-panel-link-sd-gre.service`],
    ] as const) {
      const kept = await lab.read(file)
      await lab.write(file, `${kept}# mine\n`)
      const was = await links()
      const addresses = [{ address: '172.17.98.1', prefix_length: 30 }]
      for (const body of [
        { ttl: 5, mtu: 1290, addresses },
        { persistence_type_id: RUNTIME, keepalive_interval_seconds: null },
      ]) {
        const { status, error } = await panel.operator.patch(path(name), { confirm_recreate: true, ...body })
        assert.deepEqual([status, error.code], [409, 'FOREIGN_UNIT_FILE'], file)
      }
      assert.deepEqual(await links(), was)
      assert.equal(await lab.read(file), `${kept}# mine\n`)
      await lab.write(file, kept)
      assert.deepEqual((await act(name, 'reapply')).plan.steps, [])
    }
  })

  it('says what to do where networkd is not started at boot', async () => {
    await lab.run('systemctl disable systemd-networkd')
    const { error } = await panel.operator.post(
      '/tunnels',
      tunnelRequest({
        local_endpoint: HERE,
        remote_endpoint: '192.0.2.51',
        persistence_type_id: NETWORKD,
      }),
    )
    assert.match(error.message, /systemctl enable systemd-networkd/)
    await lab.run('systemctl enable systemd-networkd')
  })

  it('is left without a trace by tunnels that are deleted', async () => {
    for (const name of ids.keys()) expect(await panel.operator.delete(path(name)), 200)
    await sleep(SETTLED_MS)
    assert.deepEqual([await files(), Object.keys(await links())], [[''], []])
    await eventually(async () => (await lab.try('pgrep', ['-x', 'ping'])).code === 1)
  })
})

/**
 * `link_type` tells which links have a hardware address of their own; a queue discipline comes with the first time up.
 */
function pictureOf({
  ifindex: _index,
  stats64: _stats,
  qdisc: _discipline,
  permaddr: _permanent,
  address,
  broadcast,
  addr_info,
  ...link
}: Record<string, unknown> & { addr_info: { scope: string; local: string }[] }): string {
  const ends = link['link_type'] === 'ether' ? {} : { address, broadcast }
  const addresses = addr_info.filter((a) => a.scope !== 'link').sort((a, b) => (a.local < b.local ? -1 : 1))
  return JSON.stringify({ ...link, ...ends, addresses }, null, 1)
}
