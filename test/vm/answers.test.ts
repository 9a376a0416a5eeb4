// A tunnel that is answered through, over real GRE: clients of A reach a program of B under their own addresses, and the
// provider of B drops whatever B sends under any other address than its own.
import assert from 'node:assert/strict'
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { CreateTunnelAnswer, TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import type { FromPairingCodeAnswer, PairingCodeAnswer } from '@panel/shared/api/tunnels/pairing.ts'
import { becomes } from './eventually.ts'
import { ask, BOTH_PROTOCOLS, FRONT, isAnswered, NAT_NONE, openAnswersLab, type AnswersLab } from './answers-lab.ts'
import { expect, type Panel } from './panel/panel.ts'

const KINDS = [
  { tunnel_type_id: 10, over: 4 },
  { tunnel_type_id: 20, over: 4 },
  { tunnel_type_id: 30, over: 6 },
  { tunnel_type_id: 40, over: 6 },
] as const
const LAST = 40

describe('A tunnel of real GRE that is answered through', function () {
  let opened: AnswersLab
  let a: Panel
  let b: Panel
  let ofB: TunnelView

  before(async () => {
    opened = await openAnswersLab()
    ;({ a, b } = opened)
  })
  after(() => opened?.lab.stop())

  const patch = async (body: object): Promise<void> => {
    expect(await b.operator.patch(`/tunnels/${ofB.tunnel_id}`, body), 200)
  }

  for (const { tunnel_type_id, over } of KINDS)
    it(`answers clients of both families, each under its own address: kind ${tunnel_type_id}`, async () => {
      const key = over === 4 ? 'address' : 'address6'
      const { tunnel: ofA } = expect(
        await a.operator.post<CreateTunnelAnswer>('/tunnels', {
          tunnel_type_id,
          local_endpoint: a.server[key],
          remote_endpoint: b.server[key],
          addresses: [
            { address: `10.9.${tunnel_type_id}.1`, prefix_length: 30 },
            { address: `fd00:9:${tunnel_type_id}::1`, prefix_length: 126 },
          ],
        }),
        201,
      )
      const { pairing_code } = expect(
        await a.operator.get<PairingCodeAnswer>(`/tunnels/${ofA.tunnel_id}/pairing-code`),
        200,
      )
      const { tunnel } = expect(
        await b.operator.post<FromPairingCodeAnswer>('/tunnels/from-pairing-code', { pairing_code }),
        200,
      )
      ofB = expect(await b.operator.post<CreateTunnelAnswer>('/tunnels', tunnel), 201).tunnel
      assert.equal(ofB.is_answered_through, true)
      const rules = await Promise.all(
        ([4, 6] as const).map(async (family) =>
          expect(
            await a.operator.post<ChangeRouteAnswer>('/routes', {
              route_rule_title: `To B ${family}`,
              bind_address: FRONT[family],
              bind_port: 4443,
              route_protocol_id: BOTH_PROTOCOLS,
              nat_mode_id: NAT_NONE,
              destination_address: ofB.addresses[family === 4 ? 0 : 1]?.address,
              destination_port: 4443,
            }),
            201,
          ),
        ),
      )
      await isAnswered(opened)
      await patch({ is_answered_through: false })
      for (const family of [4, 6] as const) assert.equal(await ask(opened, family), 'nobody nobody')
      await patch({ is_answered_through: true })
      await isAnswered(opened)
      if (tunnel_type_id === LAST) return
      for (const { route } of rules) expect(await a.operator.delete(`/routes/${route.route_rule_id}`), 200)
      expect(await b.operator.delete(`/tunnels/${ofB.tunnel_id}`), 200)
      expect(await a.operator.delete(`/tunnels/${ofA.tunnel_id}`), 200)
    })

  it('puts back by itself what others take away: rules, routes, and with a flush of nftables the table', async () => {
    const { interface_name, tunnel_id } = ofB
    expect(await b.operator.patch(`/tunnels/${tunnel_id}`, { is_self_heal: true }), 200)
    await b.server.run('ip rule flush; ip rule add lookup main priority 32766; ip -6 rule del priority 19995')
    await b.server.run('nft delete table inet panel_answers')
    await becomes(
      () => b.request('tunnel.probe', { interface_names: [interface_name] }),
      ({ tunnels }) => tunnels[0]?.state?.answers?.is_whole === true,
      'the tunnel is answered through again',
    )
    await isAnswered(opened)
  })
})
