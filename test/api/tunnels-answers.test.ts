// is_answered_through, over a fake kernel: from the request to root, read back, put back, healed and adopted
// (reference.md, Tunnels; decisions.md, T27).
import assert from 'node:assert/strict'
import type { PreviewTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { DEFAULT_LIMITS } from '@panel/shared/limits/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import { onlyAt } from '../support/faulty.ts'
import { GRACE_MS } from '@panel/web-daemon/change/remediate.ts'
import type { Client } from './support/client.ts'
import { adopt, forget, itemOf } from './support/reconcile.ts'
import { madeRoute, patchRoute } from './support/routes.ts'
import {
  createTunnel,
  deleteTunnel,
  getTunnel,
  patchTunnel,
  startFaultyPanel,
  type FaultyPanel,
} from './support/tunnels.ts'

const NAME = 'gre-a-1'

describe('A tunnel with is_answered_through', () => {
  let panel: FaultyPanel
  let client: Client
  beforeEach(async () => {
    panel = await startFaultyPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const answered = (): string[] => panel.host.answers.names()
  const made = (body: object = {}) => createTunnel(client, { is_answered_through: true, ...body })
  const kinds = ({ body }: { body: { plan: { steps: readonly { kind: string }[] } } }): string[] =>
    body.plan.steps.map(({ kind }) => kind)

  it('is answered through once its link is up, and by default it is not', async () => {
    const { status, body } = await made()
    assert.deepEqual([status, body.tunnel.is_answered_through, answered()], [201, true, [NAME]])
    assert.equal(kinds({ body }).at(-1), 'answers_start')
    assert.equal((await createTunnel(client)).body.tunnel.is_answered_through, false)
    assert.deepEqual(answered(), [NAME])
  })

  it('is previewed by the step that does it, and nothing is changed', async () => {
    const picture = panel.host.picture()
    const { body } = await client.post<PreviewTunnelAnswer>('/tunnels/preview', {
      local_endpoint: '192.0.2.1',
      remote_endpoint: '198.51.100.7',
      is_answered_through: true,
    })
    assert.match(body.plan.steps.at(-1)?.description ?? '', /^Answer through gre-a-1 /)
    assert.equal(panel.host.picture(), picture)
  })

  it('warns of each family of its addresses of which the host has no default route, with one by the tunnel itself', async () => {
    const both = [
      { address: '10.9.0.1', prefix_length: 30 },
      { address: 'fd09::1', prefix_length: 126, peer_address: 'fd09::2' },
    ]
    const warned = async (body: object): Promise<string[]> =>
      (
        await client.post<PreviewTunnelAnswer>('/tunnels/preview', {
          local_endpoint: '192.0.2.1',
          remote_endpoint: '198.51.100.7',
          addresses: both,
          ...body,
        })
      ).body.warnings.flatMap(({ code, field, message_id, params }) =>
        code === 'ANSWERS_HAVE_NO_WAY' ? `${field} ${message_id} ${String(params['command'])}` : [],
      )
    const given = { is_answered_through: true }
    assert.deepEqual(await warned(given), [])
    panel.host.hostRoutes = panel.host.hostRoutes.filter(({ destination }) => destination !== '::/0')
    const of6 = 'ip -6 route add default dev gre-a-1 metric 4000000000'
    assert.deepEqual(await warned(given), [`is_answered_through tunnel.answers_no_way ${of6}`])
    panel.host.hostRoutes = panel.host.hostRoutes.filter(({ is_default }) => !is_default)
    const of4 = 'ip route add default dev gre-a-1 metric 4000000000'
    assert.deepEqual(
      await warned(given),
      [of4, of6].map((command) => `is_answered_through tunnel.answers_no_way ${command}`),
    )
    assert.equal((await warned({ ...given, addresses: both.slice(0, 1) })).length, 1)
    assert.deepEqual(await warned({ is_answered_through: false }), [])
  })

  it('is changed in place, alone, without touching the link', async () => {
    await made()
    panel.host.changes.length = 0
    assert.equal((await patchTunnel(client, 1, { is_answered_through: false })).status, 200)
    assert.equal((await patchTunnel(client, 1, { is_answered_through: true })).status, 200)
    assert.deepEqual(panel.host.changes, [`answers-stop ${NAME}`, `answers-start ${NAME}`])
  })

  it('begins again with a link that is made again, under its new name too, and ends with the tunnel', async () => {
    await made()
    await patchTunnel(client, 1, { ttl: 9, confirm_recreate: true })
    assert.deepEqual(answered(), [NAME])
    await patchTunnel(client, 1, { interface_name: 'berlin', confirm_recreate: true })
    assert.deepEqual(answered(), ['berlin'])
    await deleteTunnel(client, 1)
    assert.deepEqual(answered(), [])
  })

  it('is put back as it was if it cannot be done', async () => {
    await createTunnel(client)
    const picture = panel.host.picture()
    panel.arm(onlyAt(1, 'refuses'))
    assert.equal((await patchTunnel(client, 1, { is_answered_through: true })).status, 409)
    panel.disarm()
    assert.deepEqual([panel.host.picture(), answered()], [picture, []])
    assert.equal((await getTunnel(client, 1)).body.is_answered_through, false)
  })

  it('has drifted while the kernel lacks some of what it takes, and the panel puts it back where it may', async () => {
    await made()
    panel.host.answers.broken.add(NAME)
    const { status, diffs } = await itemOf(client, NAME)
    assert.deepEqual(
      [status, diffs],
      ['Drifted', [{ field: 'is_answered_through', desired: 'yes', actual: 'in part' }]],
    )
    await patchTunnel(client, 1, { is_self_heal: true })
    panel.host.answers.broken.add(NAME)
    panel.clock.advance(GRACE_MS / 1000 + 1)
    await panel.watch.pass('event')
    assert.equal((await itemOf(client, NAME)).status, 'InSync')
    panel.host.answers.held.clear()
    assert.equal((await itemOf(client, NAME)).status, 'Drifted')
  })

  it('does not count as whole, and is no reason to see no tunnel, where it cannot be read back', async () => {
    await made()
    panel.host.answers.isUnreadable = true
    assert.equal((await itemOf(client, NAME)).status, 'Drifted')
  })

  it('is adopted as it is', async () => {
    await made()
    await forget(client, 1)
    const { body } = await adopt(client, { interface_name: NAME })
    assert.deepEqual([body.tunnel.is_answered_through, answered()], [true, [NAME]])
    assert.equal((await itemOf(client, NAME)).status, 'InSync')
  })

  it('is refused with the reason on a host that cannot do it, and while its record is damaged', async () => {
    panel.host.answers.whyNot = message('root.answers_need_nft')
    const refused = await made()
    assert.deepEqual([refused.status, refused.error.code], [503, 'SERVICE_UNAVAILABLE'])
    assert.match(JSON.stringify(refused.body), /nft is not installed/)
    panel.host.answers.whyNot = null
    panel.host.answers.damage = "The helper's file answers.json is damaged"
    assert.match(JSON.stringify((await made()).body), /answers\.json is damaged/)
    assert.equal((await createTunnel(client)).status, 201)
  })

  describe('and a firewall mark that would lead packets into it', () => {
    const MARK = 0x5400_0001
    beforeEach(() => void (panel.host.hostLimits = { ...DEFAULT_LIMITS, marks: ['0x00000000/0xffffffff'] }))
    const problem = ({ body }: { body: unknown }) => {
      const { details } = (
        body as { error: { details: { fields: { field: string; code: string; message: string }[] } } }
      ).error
      return details.fields.map(({ field, code, message: text }) => [field, code, text] as const)[0]
    }

    it('is refused for another tunnel, naming both', async () => {
      await made()
      const [field, code, text = ''] = problem(await createTunnel(client, { fwmark: MARK })) ?? []
      assert.deepEqual([field, code], ['fwmark', 'INVALID_FWMARK'])
      assert.match(text, /0x54000001.*gre-a-1/)
    })

    it('is refused for itself and where another tunnel has it already', async () => {
      assert.equal(problem(await made({ fwmark: MARK }))?.[0], 'fwmark')
      await createTunnel(client, { fwmark: MARK })
      const [field, code, text = ''] = problem(await made()) ?? []
      assert.deepEqual([field, code], ['is_answered_through', 'INVALID_FWMARK'])
      assert.match(text, /gre-a-1.*0x54000001/)
    })

    it('is refused for a rule, and by root where a rule has it already', async () => {
      await made()
      const { route_rule_id } = await madeRoute(client, {})
      const [field, code, text = ''] = problem(await patchRoute(client, route_rule_id, { fwmark: MARK })) ?? []
      assert.deepEqual([field, code], ['fwmark', 'INVALID_FWMARK'])
      assert.match(text, /0x54000001.*gre-a-1/)
      await patchTunnel(client, 1, { is_answered_through: false })
      assert.equal((await patchRoute(client, route_rule_id, { fwmark: MARK })).status, 200)
      const refused = await patchTunnel(client, 1, { is_answered_through: true })
      assert.deepEqual([refused.status, refused.error.code], [409, 'BEYOND_LIMITS'])
      assert.match(JSON.stringify(refused.body), /0x54000001 of rule 1 .*gre-a-1/)
    })
  })
})
