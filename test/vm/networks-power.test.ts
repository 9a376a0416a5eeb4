// A network on a machine whose power is cut in a change of its paths: real GRE, links that systemd and networkd make
// again, and the helper that brings back the rest.
import assert from 'node:assert/strict'
import type { ChangeNetworkAnswer, NetworkView } from '@panel/shared/api/networks/answers.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { NetworkFound } from '@panel/shared/network/model.ts'
import { becomes, eventually } from './eventually.ts'
import { startLab, type Lab } from './lab/index.ts'
import { KEPT } from './panel/kept-tunnels.ts'
import { expect, OPERATOR, startOnDisk, type Panel, type Place } from './panel/panel.ts'
import { tunnelRequest } from '../support/records.ts'

const PATHS = ['sd-gre', 'nd-gretap'] as const
const [DESTINATION, OWN] = ['10.70.0.0/16', '10.66.0.9']

describe('A network whose power is cut in a change of its paths', function () {
  let lab: Lab
  let panel: Panel<Place>
  const ids: number[] = []
  const route = (): Promise<string> => lab.run(`ip route show ${DESTINATION} proto 84`)
  const found = async (): Promise<NetworkFound[]> =>
    (await panel.request('network.probe', { destinations: [DESTINATION] })).networks
  before(async () => {
    lab = await startLab()
    panel = await startOnDisk(lab)
    for (const interface_name of PATHS) {
      const body = tunnelRequest({ interface_name, ...KEPT[interface_name] })
      ids.push(expect(await panel.operator.post<CreateTunnelAnswer>('/tunnels', body), 201).tunnel.tunnel_id)
    }
    const paths = ids.map((tunnel_id, at) => ({ tunnel_id, preference: 10 * (at + 1) }))
    const body = { destination: DESTINATION, paths, own_addresses: [OWN] }
    expect(await panel.operator.post<ChangeNetworkAnswer>('/networks', body), 201)
    assert.match(await route(), / dev sd-gre /)
  })
  after(() => lab?.stop())

  it('has its links and nothing else before the helper runs', async () => {
    // The answer to this is lost with the power.
    const lost = panel.operator.post(`/networks/1/paths/${ids[0]}/take-out`).catch(() => undefined)
    await lab.reset()
    await lost
    await eventually(linksAreThere)
    assert.equal((await lab.try('pgrep', ['-f', 'helper.cjs'])).code, 1)
    assert.equal(await route(), '')
  })

  async function linksAreThere(): Promise<boolean> {
    const shown = await lab.run('ip -o link show up')
    return PATHS.every((name) => shown.includes(` ${name}@`))
  }

  it('is back whole, as it was before the change or after it, before the helper serves', async () => {
    await panel.startHelper()
    const [network] = await found()
    assert.deepEqual(network?.state.lacks, [])
    assert.match(await route(), / dev (sd-gre|nd-gretap) /)
    assert.match(await lab.run('ip -o address show dev lo'), new RegExp(` ${OWN}/32 `))
  })

  it('is InSync, or drifted by that change alone, which a change without fields puts right', async () => {
    await panel.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
    expect(await panel.operator.post('/auth/login', OPERATOR), 200)
    expect(await panel.operator.patch<ChangeNetworkAnswer>('/networks/1', {}), 200)
    const view = await becomes(
      async () => expect(await panel.operator.get<NetworkView>('/networks/1'), 200),
      ({ lacks, severity }) => lacks.length === 0 && severity === 'ok',
      'the network is as it is stored',
    )
    const carrying = view.paths.findIndex(({ state }) => state === 'carries')
    assert.match(await route(), new RegExp(` dev ${PATHS[carrying]} `))
    const { networks } = expect(await panel.operator.get<ReconcileAnswer>('/reconcile'), 200)
    assert.deepEqual(
      networks.map(({ status }) => status),
      ['InSync'],
    )
  })
})
