// Settings that this host cannot carry out: the change is stored, and its answer and the schema warn of each, with what
// to do (reference.md, Settings; decisions.md, S28).
import assert from 'node:assert/strict'
import type { ChangeSettingsAnswer, SettingsSchemaAnswer } from '@panel/shared/api/settings.ts'
import { PERSISTENCE_TYPES, TUNNEL_TYPES } from '@panel/shared/api/base/lookups.ts'
import type { HostFound } from '@panel/shared/host/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { MethodsThat, Writer } from '@panel/shared/rpc/methods.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { eventually } from '../support/eventually.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { startWatching } from './support/monitor.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { putSettings, resetSettings } from './support/settings.ts'

describe('A setting that this host cannot carry out', () => {
  let panel: TestPanel
  let client: Client
  let kernel: FakeKernel
  let found: (host: HostFound) => HostFound
  let requests: string[] = []
  let isHelperAway = false
  beforeEach(async () => {
    kernel = new FakeKernel()
    found = (host) => host
    isHelperAway = false
    const toHelper = requestThrough(inProcessHelper(kernel).request)
    panel = await startPanel({
      request: (async (method: MethodsThat<'read' | 'write'>, params: never) => {
        requests.push(method)
        if (isHelperAway) throw new Refusal('HELPER_UNAVAILABLE', message('panel.helper_silent_abilities'))
        const answer = await toHelper(method, params)
        return method === 'host.probe' ? found(answer as HostFound) : answer
      }) as Writer,
    })
    client = await panel.setUp()
    requests = []
  })
  afterEach(() => panel.close())

  const schema = async (): Promise<SettingsSchemaAnswer> =>
    (await client.get<SettingsSchemaAnswer>('/settings/schema')).body
  const put = async (values: object): Promise<ChangeSettingsAnswer> => {
    const { status, body, text } = await putSettings(client, values)
    assert.equal(status, 200, text)
    return body
  }
  const without = (by: string) => (host: HostFound) => ({
    ...host,
    helper: host.helper && {
      ...host.helper,
      savers: host.helper.savers.map((one) =>
        one.by === by ? { by: one.by, available: false, detail: 'absent' } : one,
      ),
    },
  })
  const backend =
    (more: Partial<NonNullable<HostFound['rule_backend']>>) =>
    (host: HostFound): HostFound => ({ ...host, rule_backend: host.rule_backend && { ...host.rule_backend, ...more } })

  /** The setting, a value that the host cannot carry out, how the host is made so, one that it can, and the remedy. */
  const CASES: readonly (readonly [string, unknown, () => void, unknown, RegExp])[] = [
    [
      'routes.fast_path',
      'on',
      () =>
        (found = backend({
          fast_path: { is_able: false, detail: message('root.fast_path_kernel', { why: 'ENOENT' }).message },
        })),
      'off',
      /no fast path .*ENOENT\. All rules stay on the slow path, .*turn it off\.$/,
    ],
    [
      'tunnel.default_persistence',
      PERSISTENCE_TYPES.Networkd,
      () => (found = without('networkd')),
      PERSISTENCE_TYPES.Systemd,
      /systemd-networkd cannot keep tunnels .*absent\. .*choose what this server has\.$/,
    ],
    ['keepalive.mode', 'systemd_unit', () => (found = without('systemd')), 'monitor_only', /leave it to the probes/],
    [
      'tunnel.default_type',
      TUNNEL_TYPES.IP6GRE,
      () =>
        (found = (host) => ({
          ...host,
          link_kinds:
            host.link_kinds?.map((one) => (one.kind === 'ip6gre' ? { ...one, supported: false } : one)) ?? null,
        })),
      TUNNEL_TYPES.GRE,
      /cannot make ip6gre tunnels yet\. .* Choose another type/,
    ],
    [
      'system.ruleset_protection',
      'auto',
      () =>
        Object.assign(kernel.rulesets, {
          wanted: true,
          able: { how: 'held', detail: message('root.protection_kernel', { why: 'EINVAL' }).message },
        }),
      'off',
      /Linux 6\.9 or later .*EINVAL\. Have what another program removes put back: see system\.self_heal\.$/,
    ],
    [
      'system.self_heal',
      'rules',
      () => (found = backend({ active: 'none', reason: message('root.no_backend', { why: 'nft is absent' }).message })),
      'off',
      /nft is absent.*install the package nftables\. Until then/,
    ],
    [
      'routes.auto_enable_ip_forward',
      true,
      () => (kernel.forwarding.file = 'net.ipv4.ip_forward = 1\n'),
      false,
      /not written by the panel.*move it aside first\. Until then/,
    ],
  ]

  for (const [key, impossible, lacking, possible, remedy] of CASES)
    it(`is stored and warned of with what to do: ${key}`, async () => {
      assert.deepEqual((await put({ [key]: impossible })).warnings, [], 'the host can')
      lacking()
      const { settings, warnings } = await put({ [key]: impossible, 'display.server_name': 'web' })
      assert.equal(settings[key], impossible)
      assert.deepEqual(
        warnings.map(({ code, field }) => [code, field]),
        [['SETTING_NOT_POSSIBLE', key]],
      )
      assert.match(warnings[0]?.message ?? '', remedy)
      assert.ok((await schema()).warnings.some(({ field }) => field === key))
      assert.deepEqual((await put({ [key]: possible })).warnings, [])
      assert.ok(!(await schema()).warnings.some(({ field }) => field === key))
    })

  it('is warned of where it is a default that was put back', async () => {
    await put({ 'tunnel.default_persistence': PERSISTENCE_TYPES.Runtime })
    found = without('systemd')
    const fields = async (keys: string[]) =>
      (await resetSettings(client, { keys })).body.warnings.map(({ field }) => field)
    assert.deepEqual(await fields(['routes.fast_path']), [])
    assert.deepEqual(await fields(['tunnel.default_persistence']), ['tunnel.default_persistence'])
  })

  it('is not known while the root helper is away, which keeps no setting from being changed', async () => {
    found = without('systemd')
    isHelperAway = true
    assert.deepEqual((await put({ 'tunnel.default_persistence': PERSISTENCE_TYPES.Systemd })).warnings, [])
    assert.deepEqual((await schema()).warnings, [])
  })

  it('is looked for only if what was changed needs something of the host', async () => {
    await put({ 'display.server_name': 'web' })
    assert.deepEqual(requests, [])
  })

  it('is the monitoring where the kernel lets no probe be sent', async () => {
    const watching = await startWatching()
    const refusedBy = new Refusal('SERVICE_UNAVAILABLE', message('root.no_ipv6'))
    watching.prober.refusal = refusedBy
    watching.prober.breakDown()
    await eventually(() => watching.monitor.whyNoProbes !== null, 'the monitor cannot send')
    const warned = async (isOn: boolean) =>
      (await putSettings(watching.operator, { 'monitor.enabled': isOn })).body.warnings.map((one) => one.message)
    assert.match((await warned(true)).join(), /^No probes can be sent: .*look at the root helper in its journal\.$/)
    assert.deepEqual(await warned(false), [])
    await watching.close()
  })
})
