// Networks over real GRE: clients of A reach an address of B that is on no tunnel, by either of two tunnels, one with and
// one without hardware addresses.
import assert from 'node:assert/strict'
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { NetworkState } from '@panel/shared/network/model.ts'
import { BOTH_PROTOCOLS, FRONT, isAnswered, NAT_NONE, openAnswersLab, type AnswersLab } from './answers-lab.ts'
import { expect, type Panel } from './panel/panel.ts'

const OWN = { 4: '10.66.0.1', 6: 'fd66::1' } as const
const KINDS = [10, 20] as const

describe('Networks over real GRE', function () {
  let opened: AnswersLab
  before(async () => {
    // The user-mode Linux of the lab has no routes with several paths.
    opened = await openAnswersLab('emulated')
  })
  after(() => opened?.lab.stop())

  /** The names of the tunnels of one end. */
  async function makeTunnels(panel: Panel, far: Panel, host: number): Promise<string[]> {
    const names: string[] = []
    for (const tunnel_type_id of KINDS) {
      const body = {
        tunnel_type_id,
        local_endpoint: panel.server.address,
        remote_endpoint: far.server.address,
        addresses: [
          { address: `10.9.${tunnel_type_id}.${host}`, prefix_length: 30 },
          { address: `fd00:9:${tunnel_type_id}::${host}`, prefix_length: 126 },
        ],
        ...(tunnel_type_id === 20 && { ikey: 20, okey: 20 }),
      }
      names.push(expect(await panel.operator.post<CreateTunnelAnswer>('/tunnels', body), 201).tunnel.interface_name)
    }
    return names
  }

  const statesOf = (
    names: readonly string[],
    destinations: Readonly<Record<4 | 6, string>>,
    weights: readonly number[],
    own: Readonly<Record<4 | 6, string>> | null,
  ): NetworkState[] =>
    ([4, 6] as const).map((family) => ({
      destination: destinations[family],
      metric: 50,
      source: null,
      paths: names.map((interface_name, at) => ({ interface_name, weight: weights[at] ?? 0 })),
      own_addresses: own ? [own[family]] : [],
      lacks: [],
    }))

  it('are reached and answered by each path alone and by both', async () => {
    const { a, b } = opened
    const [ofA, ofB] = [await makeTunnels(a, b, 1), await makeTunnels(b, a, 2)]
    const take = async (weights: readonly number[]): Promise<void> => {
      for (const [panel, after] of [
        [a, statesOf(ofA, { 4: `${OWN[4]}/32`, 6: `${OWN[6]}/128` }, weights, null)],
        [b, statesOf(ofB, { 4: '10.50.0.0/16', 6: 'fd50::/56' }, weights, OWN)],
      ] as const) {
        const { networks } = await panel.request('network.probe', {})
        const before = networks.length > 0 ? networks.map(({ state }) => state) : null
        const { outcome, failure } = await panel.request('network.apply', { before, after })
        assert.deepEqual([outcome, failure], ['applied', null])
      }
    }
    await take([1, 1])
    for (const family of [4, 6] as const)
      expect(
        await a.operator.post<ChangeRouteAnswer>('/routes', {
          route_rule_title: `To B ${family}`,
          bind_address: FRONT[family],
          bind_port: 4443,
          route_protocol_id: BOTH_PROTOCOLS,
          nat_mode_id: NAT_NONE,
          destination_address: OWN[family],
          destination_port: 4443,
        }),
        201,
      )
    for (const weights of [
      [1, 1],
      [1, 0],
      [0, 1],
      [3, 1],
    ]) {
      await take(weights)
      await isAnswered(opened)
    }
  })
})
