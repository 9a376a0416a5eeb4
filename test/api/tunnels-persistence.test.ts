// What keeps a tunnel over a reboot: systemd, systemd-networkd or nothing; what each can hold, and files that are not
// ours (decisions.md, R10, R17, R18, T13).
import assert from 'node:assert/strict'
import { onlyAt } from '../support/faulty.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import {
  act,
  codesOf,
  createTunnel,
  deleteTunnel,
  getTunnel,
  patchTunnel,
  previewTunnel,
  startFaultyPanel,
} from './support/tunnels.ts'

const [SYSTEMD, NETWORKD, RUNTIME] = [10, 20, 30]
const UNIT = 'tunnel-panel-link-gre-a-1.service'
const NETDEV = '10-tunnel-panel-gre-a-1.netdev'
const NETWORK = '10-tunnel-panel-gre-a-1.network'

describe('The persistence of a tunnel', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const files = (): string[] => [...panel.kernel.files.keys()].sort()
  const textOf = (name: string): string => panel.kernel.files.get(name) ?? ''
  const change = (persistence_type_id: number) =>
    patchTunnel(client, 1, { persistence_type_id, confirm_recreate: true })

  describe('by systemd-networkd', () => {
    it('is two files, shown in the preview to the letter, and networkd reads them', async () => {
      const { body } = await previewTunnel(client, { persistence_type_id: NETWORKD, ikey: 7, okey: 7 })
      assert.deepEqual(panel.kernel.changes, [])
      assert.deepEqual(
        body.plan.files.map(({ kind, path }) => [kind, path]),
        [
          ['networkd_netdev', `/etc/systemd/network/${NETDEV}`],
          ['networkd_network', `/etc/systemd/network/${NETWORK}`],
        ],
      )
      assert.deepEqual(
        body.plan.steps.map(({ kind }) => kind),
        ['link_create', 'address_add', 'link_up', 'file_write', 'file_write', 'networkd_reload'],
      )
      const made = await createTunnel(client, { persistence_type_id: NETWORKD, ikey: 7, okey: 7 })
      assert.deepEqual(
        [made.status, made.body.verification.ok, made.body.tunnel.persistence_type_id],
        [201, true, NETWORKD],
      )
      assert.deepEqual(
        [...panel.kernel.files.entries()],
        body.plan.files.map(({ path, content }) => [path.split('/').at(-1), content]),
      )
      assert.deepEqual(panel.kernel.reloads, ['gre-a-1'])
    })

    const LIMITS: Record<string, object> = {
      bind_device: { bind_device: 'eth0' },
      ikey: { ikey: 0 },
      okey: { ikey: 5, okey: 0 },
      has_input_checksum: { has_input_checksum: true },
      has_output_checksum: { has_output_checksum: true },
      has_output_sequence: { has_output_sequence: true },
      fwmark: { fwmark: 6 },
      tx_queue_length: { tx_queue_length: 77 },
      interface_name: { interface_name: '17' },
      traffic_class: { tunnel_type_id: 30, local_endpoint: '2001:db8::1', remote_endpoint: '2001:db8::2' },
      encap_limit: {
        tunnel_type_id: 30,
        local_endpoint: '2001:db8::1',
        remote_endpoint: '2001:db8::2',
        traffic_class: 0,
        encap_limit: 4,
      },
      has_input_sequence: {
        tunnel_type_id: 30,
        local_endpoint: '2001:db8::1',
        remote_endpoint: '2001:db8::2',
        traffic_class: 0,
        has_input_sequence: true,
      },
    }
    for (const [field, body] of Object.entries(LIMITS)) {
      it(`is refused where networkd has no words for ${field}, and says so: 422 on persistence_type_id`, async () => {
        const refused = await createTunnel(client, { persistence_type_id: NETWORKD, ...body })
        assert.deepEqual(
          [refused.status, refused.error.field, codesOf(refused)],
          [422, 'persistence_type_id', { persistence_type_id: 'INVALID_PERSISTENCE_TYPE' }],
        )
        assert.match(refused.error.message, new RegExp(`cannot keep ${field} \\(`))
        assert.deepEqual(panel.kernel.changes, [])
        assert.equal((await createTunnel(client, { persistence_type_id: SYSTEMD, ...body })).status, 201)
      })
    }

    it('is refused for a change too that networkd has no words for, and the tunnel stays', async () => {
      await createTunnel(client, { persistence_type_id: NETWORKD })
      const picture = panel.kernel.picture()
      assert.deepEqual(codesOf(await patchTunnel(client, 1, { fwmark: 6, confirm_recreate: true })), {
        persistence_type_id: 'INVALID_PERSISTENCE_TYPE',
      })
      assert.equal(panel.kernel.picture(), picture)
      assert.equal(
        (await patchTunnel(client, 1, { fwmark: 6, persistence_type_id: SYSTEMD, confirm_recreate: true })).status,
        200,
      )
    })

    it('is no longer while the tunnel is down, and the link stays; up brings both back to the byte', async () => {
      await createTunnel(client, { persistence_type_id: NETWORKD })
      const picture = panel.kernel.picture()
      const down = await act(client, 1, 'down')
      assert.deepEqual(
        [down.status, down.body.verification.ok, down.body.tunnel.observed.exists, down.body.tunnel.observed.is_up],
        [200, true, true, false],
      )
      assert.match(textOf(NETDEV), /^\[Match\]\nHost=!\*$/m)
      assert.match(textOf(NETWORK), /^ActivationPolicy=down$/m)
      assert.equal((await act(client, 1, 'up')).body.verification.ok, true)
      assert.equal(panel.kernel.picture(), picture)
    })

    it('is written, and networkd reloaded, after the outer header is changed in place', async () => {
      await createTunnel(client, { persistence_type_id: NETWORKD })
      const { body } = await patchTunnel(client, 1, { ttl: 9 })
      assert.deepEqual(
        body.plan.steps.map(({ kind }) => kind),
        ['link_set', 'file_write', 'networkd_reload'],
      )
      assert.match(textOf(NETDEV), /^TTL=9$/m)
    })

    it('is withdrawn, and networkd reloaded, before the link is recreated', async () => {
      await createTunnel(client, { persistence_type_id: NETWORKD })
      const { body } = await patchTunnel(client, 1, { tunnel_type_id: 20, confirm_recreate: true })
      const kinds = [
        'file_remove',
        'file_remove',
        'networkd_reload',
        'link_delete',
        'link_create',
        'address_add',
        'link_up',
        'file_write',
        'file_write',
        'networkd_reload',
      ]
      assert.deepEqual(
        body.plan.steps.map(({ kind }) => kind),
        kinds,
      )
    })

    it('is not to be had where networkd is not started at boot: 422 with the remedy', async () => {
      const detail = 'systemd-networkd is not started at boot: run "systemctl enable systemd-networkd" first'
      const { request } = inProcessHelper(new FakeKernel())
      const without: Writer = async (method, params) => {
        const result = await request(method, params)
        if (method === 'host.probe' && 'helper' in result && result.helper)
          result.helper.savers = result.helper.savers.map((saver) =>
            saver.by === 'networkd' ? { ...saver, available: false, detail } : saver,
          )
        return result
      }
      const other = await startPanel({ request: requestThrough(without) })
      try {
        const refused = await createTunnel(await other.setUp(), { persistence_type_id: NETWORKD })
        assert.deepEqual(codesOf(refused), { persistence_type_id: 'INVALID_PERSISTENCE_TYPE' })
        assert.match(refused.error.message, /systemctl enable systemd-networkd/)
      } finally {
        await other.close()
      }
    })
  })

  describe('that changes', () => {
    it('takes the old files away and writes the new, there and back, after a confirmation', async () => {
      await createTunnel(client)
      const picture = panel.kernel.picture()
      assert.equal(
        (await patchTunnel(client, 1, { persistence_type_id: NETWORKD })).error.code,
        'CONFIRM_RECREATE_REQUIRED',
      )
      for (const [persistence_type_id, expected] of [
        [NETWORKD, [NETDEV, NETWORK]],
        [RUNTIME, []],
        [NETWORKD, [NETDEV, NETWORK]],
        [SYSTEMD, [UNIT]],
      ] as const) {
        const { status, body, text } = await change(persistence_type_id)
        assert.deepEqual(
          [status, body.verification?.ok, body.tunnel?.persistence_type_id],
          [200, true, persistence_type_id],
          text,
        )
        assert.deepEqual(files(), expected)
      }
      assert.equal(panel.kernel.picture(), picture)
    })

    it('keeps the link, but for one that networkd lets go of: that is recreated, and the answer says so', async () => {
      await createTunnel(client)
      const index = () => panel.kernel.held.get('gre-a-1')?.index
      const first = index()
      await change(NETWORKD)
      assert.equal(index(), first)
      const { body } = await change(SYSTEMD)
      assert.notEqual(index(), first)
      assert.match(body.plan.recreate_reasons.join(), /persistence_type_id: .*lets go of it, so the link is recreated/)
    })

    for (const [from, to] of [
      [SYSTEMD, NETWORKD],
      [NETWORKD, SYSTEMD],
      [NETWORKD, RUNTIME],
    ] as const) {
      it(`from ${from} to ${to} leaves everything as it was when any step of it fails`, async () => {
        const faulty = await startFaultyPanel()
        try {
          const operator = await faulty.setUp()
          await createTunnel(operator, { persistence_type_id: from })
          const picture = faulty.host.picture()
          let status = 409
          let at = 1
          for (; status === 409; at += 1) {
            for (const fault of ['refuses', 'half', 'lies'] as const) {
              faulty.arm(onlyAt(at, fault))
              ;({ status } = await patchTunnel(operator, 1, { persistence_type_id: to, confirm_recreate: true }))
              if (status === 200) break
              assert.equal(faulty.host.picture(), picture, `${fault} at ${at}`)
              assert.equal((await getTunnel(operator, 1)).body.persistence_type_id, from)
            }
          }
          assert.ok(at > 3, `${at}`)
        } finally {
          await faulty.close()
        }
      })
    }
  })

  describe('with files that are not ours', () => {
    for (const file of [NETDEV, NETWORK]) {
      it(`does not make a tunnel beside a foreign ${file}, whatever is to keep it: 409`, async () => {
        panel.kernel.files.set(file, '[Match]\nName=mine\n')
        for (const persistence_type_id of [NETWORKD, SYSTEMD]) {
          const { status, error } = await createTunnel(client, { persistence_type_id })
          assert.deepEqual([status, error.code], [409, 'FOREIGN_UNIT_FILE'])
        }
        assert.deepEqual(panel.kernel.changes, [])
      })

      it(`does not change, take down or delete a tunnel whose ${file} was edited: 409`, async () => {
        await createTunnel(client, { persistence_type_id: NETWORKD })
        panel.kernel.files.set(file, `${textOf(file)}# mine\n`)
        const picture = panel.kernel.picture()
        for (const requests of [
          () => patchTunnel(client, 1, { mtu: 1300 }),
          () => change(RUNTIME),
          () => act(client, 1, 'down'),
          () => deleteTunnel(client, 1),
        ]) {
          const { status, error } = await requests()
          assert.deepEqual([status, error.code], [409, 'FOREIGN_UNIT_FILE'])
        }
        assert.equal(panel.kernel.picture(), picture)
      })
    }

    it('goes from one keeper to the other only where the place is free', async () => {
      await createTunnel(client, { persistence_type_id: NETWORKD })
      panel.kernel.files.set(UNIT, '[Unit]\n')
      const { status, error } = await change(SYSTEMD)
      assert.deepEqual([status, error.code, files()], [409, 'FOREIGN_UNIT_FILE', [NETDEV, NETWORK, UNIT].sort()])
    })

    it('are kept apart from ours, which are removed and named when the tunnel is deleted', async () => {
      await createTunnel(client, { persistence_type_id: NETWORKD })
      const { body } = await deleteTunnel(client, 1)
      assert.deepEqual(
        [body.files_removed, body.files_absent, files()],
        [[`/etc/systemd/network/${NETDEV}`, `/etc/systemd/network/${NETWORK}`], [], []],
      )
    })
  })
})
