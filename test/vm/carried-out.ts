// How masquerade is carried out over a real GRE tunnel, as the panel shows it, beside the source that the far end sees
// (decisions.md, F40).
import assert from 'node:assert/strict'
import type { ChangeRouteAnswer, RouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { becomes } from './eventually.ts'
import type { Lab } from './lab/index.ts'
import { FAR_END, farTunnel, NEAR_END, RELAY } from './panel/cables.ts'
import { expect, type Panel, type Place } from './panel/panel.ts'

const KEY = 9
const [FIRST, SECOND, DESTINATION] = ['172.21.1.1', '172.21.1.9', '172.21.1.2']
const PORT = 4470

export const CARRIED_OUT_FAR = farTunnel('far-carried', 'gre', KEY, `${DESTINATION}/24`)

interface Stage {
  readonly lab: Lab
  readonly panel: Panel<Place>
}

export function showsHowItIsCarriedOut(stage: () => Stage): void {
  describe('How masquerade is carried out over a tunnel, and what the far end sees', () => {
    let tunnel = ''
    let rule = ''

    before(async () => {
      const { lab, panel } = stage()
      const server = `TCP-LISTEN:9000,bind=${DESTINATION},fork,reuseaddr`
      lab.spawn('ip', ['netns', 'exec', 'far', 'socat', server, 'SYSTEM:echo $SOCAT_PEERADDR'])
      const made = await panel.operator.post<CreateTunnelAnswer>('/tunnels', {
        ...{ local_endpoint: NEAR_END, remote_endpoint: FAR_END, ikey: KEY, okey: KEY, tunnel_type_id: 10 },
        addresses: [FIRST, SECOND].map((address) => ({ address, prefix_length: 24 })),
        persistence_type_id: 30,
      })
      tunnel = `/tunnels/${expect(made, 201).tunnel.tunnel_id}`
      const to = { destination_address: DESTINATION, destination_port: 9000 }
      const body = { bind_address: RELAY, bind_port: PORT, ...to }
      const relayed = await panel.operator.post<ChangeRouteAnswer>('/routes', body)
      rule = `/routes/${expect(relayed, 201).route.route_rule_id}`
    })

    /** The table follows the addresses of the host a moment later. */
    async function shows(wanted: string): Promise<void> {
      const look = async (): Promise<string | null> => {
        const { route, health } = expect(await stage().panel.operator.get<RouteAnswer>(rule), 200)
        assert.equal(route.nat_mode_id, 10)
        return health.carried_out_as
      }
      await becomes(look, (shown) => shown === wanted, wanted)
    }
    /** The source of a new connection, as the far end says. */
    const seen = async (): Promise<string> =>
      (await stage().lab.run(`ip netns exec client socat -u TCP:${RELAY}:${PORT},connect-timeout=5,retry=3 -`)).trim()

    it('is SNAT to the address of the tunnel, which packets arrive with', async () => {
      await shows(`snat ${FIRST}`)
      assert.equal(await seen(), FIRST)
    })

    it('is SNAT to the next address of the tunnel once the first is taken away', async () => {
      const done = await stage().panel.operator.delete(`${tunnel}/addresses`, { address: FIRST, prefix_length: 24 })
      assert.equal(done.status, 200, done.text)
      await shows(`snat ${SECOND}`)
      assert.equal(await seen(), SECOND)
    })

    it('is still so after the tunnel was restarted', async () => {
      assert.equal((await stage().panel.operator.post(`${tunnel}/restart`)).status, 200)
      await shows(`snat ${SECOND}`)
      assert.equal(await seen(), SECOND)
    })

    it('is masquerade once a host route leads past the tunnel, and SNAT again without it', async () => {
      await stage().lab.run(`ip route add ${DESTINATION}/32 via ${FAR_END} dev to-far`)
      await shows('masquerade')
      assert.equal(await seen(), NEAR_END)
      await stage().lab.run(`ip route del ${DESTINATION}/32`)
      await shows(`snat ${SECOND}`)
      assert.equal(await seen(), SECOND)
    })
  })
}
