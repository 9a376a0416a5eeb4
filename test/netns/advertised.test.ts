// A host that has its IPv6 by router advertisement, and its first IPv6 rule: real advertisements, and the routes that the
// kernel makes of them.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { startSwitches } from '@panel/root-helper/nouns/forwarding/start.ts'
import type { Client } from '../api/support/client.ts'
import { requestThrough, startPanel, type TestPanel } from '../api/support/panel.ts'
import { createRoute, enableForwarding, listRoutes, previewRoute, warningCodes } from '../api/support/routes.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { program } from '../support/programs.ts'
import { KernelNamespace } from './kernel-namespace.ts'
import { Namespace } from './path-rig.ts'

const ADVERTISE = await program(new URL('advertise.ts', import.meta.url))
const IPV6_RULE = { bind_address: '2001:db8::1', destination_address: 'fd00::2' }

describe('A host with router advertisements', function () {
  let space: KernelNamespace
  let router: Namespace
  let panel: TestPanel
  let root: Writer
  let client: Client

  beforeEach(async () => {
    router = new Namespace('sleep', ['infinity'])
    space = new KernelNamespace()
    await space.kernel.forwarding.facts()
    for (const name of ['eth0', 'eth1', 'eth.2']) plug(name)
    const kernel = Object.create(new FakeKernel(), {
      rulesets: { value: space.kernel.rulesets },
      forwarding: { value: space.kernel.forwarding },
    }) as FakeKernel
    root = inProcessHelper(kernel).request
    panel = await startPanel({ request: requestThrough(root) })
    client = await panel.setUp()
  })
  afterEach(async () => {
    await panel.close()
    await space.close()
    await router.close()
  })

  const ip = (...args: string[]): string => space.run('ip', args)
  function plug(name: string): void {
    ip('link', 'add', name, 'type', 'veth', 'peer', 'name', `r-${name}`)
    ip('link', 'set', `r-${name}`, 'netns', `${router.child.pid}`)
    ip('link', 'set', name, 'up')
    router.ip(`link set r-${name} up`)
  }
  const advertise = (name: string, seconds = 1800, prefix = ''): string =>
    router.run(process.execPath, [ADVERTISE, `r-${name}`, `${seconds}`, prefix])
  const routes = (): string => ip('-6', 'route', 'show', 'default')
  /** The kernel looks for a double of a link-local address before it uses it. */
  const advertised = async (name: string, seconds = 1800, prefix = ''): Promise<void> => {
    const isThere = (): boolean =>
      prefix === ''
        ? routes().includes(`dev ${name} proto ra`)
        : ip('-6', 'addr', 'show', 'dev', name).includes('mngtmpaddr')
    for (let tries = 0; !isThere(); tries += 1) {
      if (tries > 10_000) throw new Error(`${name} takes no advertisement`)
      try {
        advertise(name, seconds, prefix)
      } catch {
        // The address of the router is not there yet.
      }
      await sleep(100)
    }
  }
  const acceptRa = (name: string): string => sysctl(`net/ipv6/conf/${name}/accept_ra`)
  const sysctl = (key: string): string => space.run('cat', [`/proc/sys/${key}`]).trim()
  const forwards = (): string => sysctl('net/ipv6/conf/all/forwarding')
  const file = (): string => join(space.folder, 'sysctl', '99-tunnel-panel.conf')
  const kinds = (steps: readonly { kind: string; description: string }[]): string[] =>
    steps.flatMap(({ kind, description }) => (kind === 'accept_ra_set' ? [description] : [kind]))

  it('keeps its default routes with the first IPv6 rule, and the plan says how', async () => {
    for (const name of ['eth0', 'eth.2']) await advertised(name)
    const before = routes().replaceAll(/expires \d+sec/g, '')
    const expected = [
      'ruleset_submit',
      'set net/ipv6/conf/eth.2/accept_ra to 2',
      'set net/ipv6/conf/eth0/accept_ra to 2',
      'forwarding_set',
      'sysctl_file_write',
    ]
    const preview = (await previewRoute(client, IPV6_RULE)).body
    assert.deepEqual(kinds(preview.plan.steps), expected)
    assert.match(preview.impact.summary, /router advertisement on eth\.2, eth0 stay/)
    assert.deepEqual([acceptRa('eth0'), forwards()], ['1', '0'])
    const impact = await client.post<ImpactAnswer>('/impact', {
      method: 'POST',
      path: '/routes',
      body: resolved(preview),
    })
    assert.deepEqual(kinds(impact.body.plan.steps), expected)
    const made = await createRoute(client, IPV6_RULE)
    assert.deepEqual([made.status, warningCodes(made)], [201, ['NAT_HIDES_CLIENT_ADDRESS']])
    assert.deepEqual(kinds(made.body.plan.steps), expected)
    assert.equal(routes().replaceAll(/expires \d+sec/g, ''), before)
    assert.deepEqual([forwards(), acceptRa('eth0'), acceptRa('eth.2'), acceptRa('eth1')], ['1', '2', '2', '1'])
    assert.match(
      readFileSync(file(), 'utf8'),
      /\nnet\/ipv6\/conf\/eth\.2\/accept_ra = 2\nnet\/ipv6\/conf\/eth0\/accept_ra = 2\nnet\.ipv6\.conf\.all\.forwarding = 1\n$/,
    )
    ip('-6', 'route', 'flush', 'proto', 'ra')
    await advertised('eth0')
  })

  const resolved = ({ resolved: body }: { resolved: object }): object => body

  it('has back what was set before when forwarding is reverted, and loses no route by that', async () => {
    await advertised('eth0')
    await createRoute(client, IPV6_RULE)
    const { status } = await enableForwarding(client, { revert: true })
    assert.deepEqual([status, forwards(), acceptRa('eth0'), existsSync(file())], [200, '0', '1', false])
    assert.match(routes(), /dev eth0 proto ra/)
  })

  it('has back what was set before when the window of the change is taken back', async () => {
    await advertised('eth0')
    const opened = await client.post<SafeApplyAnswer>('/safe-apply', {})
    assert.equal((await createRoute(client, IPV6_RULE)).status, 201)
    assert.deepEqual([forwards(), acceptRa('eth0')], ['1', '2'])
    await client.post('/safe-apply/cancel', { window_id: opened.body.window?.window_id })
    assert.deepEqual([forwards(), acceptRa('eth0'), existsSync(file())], ['0', '1', false])
    assert.match(routes(), /dev eth0 proto ra/)
  })

  it('keeps an address that it made of a prefix, from a router that is no default router', async () => {
    await advertised('eth0', 0, '2001:db8:1::')
    assert.equal(routes(), '')
    assert.equal((await createRoute(client, IPV6_RULE)).status, 201)
    assert.deepEqual([forwards(), acceptRa('eth0'), acceptRa('eth1')], ['1', '2', '1'])
  })

  it('is left alone where another program takes the advertisements, as systemd-networkd does', async () => {
    space.run('sh', ['-c', 'echo 0 > /proc/sys/net/ipv6/conf/eth1/accept_ra'])
    ip('-6', 'route', 'add', 'default', 'via', 'fe80::1', 'dev', 'eth1', 'proto', 'ra')
    assert.equal((await createRoute(client, IPV6_RULE)).status, 201)
    assert.deepEqual([forwards(), acceptRa('eth1')], ['1', '0'])
    assert.match(routes(), /dev eth1 proto ra/)
  })

  it('does not come into it with an IPv4 rule, whose plan shows the switch of IPv4 and the file', async () => {
    await advertised('eth0')
    const made = await createRoute(client)
    assert.deepEqual(kinds(made.body.plan.steps), ['ruleset_submit', 'forwarding_set', 'sysctl_file_write'])
    assert.match(made.body.plan.steps[1]?.description ?? '', /net\.ipv4\.ip_forward to 1/)
    assert.deepEqual([forwards(), acceptRa('eth0')], ['0', '1'])
  })

  it('is refused an IPv6 rule with 409 where root cannot set accept_ra, and nothing changes', async () => {
    await advertised('eth0')
    space.inside('mount', [
      '--bind',
      '/proc/sys/net/ipv6/conf/eth0/accept_ra',
      '/proc/sys/net/ipv6/conf/eth0/accept_ra',
    ])
    space.inside('mount', ['-o', 'remount,bind,ro', '/proc/sys/net/ipv6/conf/eth0/accept_ra'])
    for (const answer of [
      await createRoute(client, IPV6_RULE),
      await previewRoute(client, IPV6_RULE),
      await client.post('/impact', { method: 'POST', path: '/routes', body: { ...SOME_RULE, ...IPV6_RULE } }),
    ]) {
      const { error } = answer.body as unknown as { error: { code: string; message: string } }
      assert.deepEqual([answer.status, error.code], [409, 'WOULD_LOSE_IPV6'], answer.text)
      assert.match(error.message, /sysctl -w net\/ipv6\/conf\/eth0\/accept_ra=2/)
    }
    assert.deepEqual((await listRoutes(client)).body.routes, [])
    assert.deepEqual([forwards(), existsSync(file())], ['0', false])
    assert.match(routes(), /dev eth0 proto ra/)
    space.run('sh', ['-c', 'echo 2 > /proc/sys/net/ipv6/conf/eth0/accept_ra'])
    assert.equal((await createRoute(client, IPV6_RULE)).status, 201)
    assert.match(routes(), /dev eth0 proto ra/)
  })

  const SOME_RULE = { bind_port: 9443, destination_port: 443, route_rule_title: 'one' }

  it('root itself keeps the routes where it is sent a bare switch', async () => {
    await advertised('eth0')
    const { state } = await root('forwarding.probe', {})
    const after = { ...state, live: { ...state.live, ipv6: true } }
    const { outcome } = await root('forwarding.apply', { before: state, after })
    assert.deepEqual([outcome, forwards(), acceptRa('eth0')], ['applied', '1', '2'])
    assert.match(routes(), /dev eth0 proto ra/)
  })

  it('takes advertisements again once the helper starts, where something has set accept_ra back', async () => {
    await advertised('eth0')
    await createRoute(client, IPV6_RULE)
    space.run('sh', ['-c', 'echo 1 > /proc/sys/net/ipv6/conf/eth0/accept_ra'])
    await startSwitches(space.kernel.forwarding)
    assert.equal(acceptRa('eth0'), '2')
  })
})
