// The shipped helper on a real kernel, spoken to by hand and by a hostile far end: it lives, refuses, and the kernel is
// unchanged.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../../packaging/build/build.ts'
import { repetitions } from '../support/counts.ts'
import type { TunnelAddress, TunnelState } from '@panel/shared/tunnel/model.ts'
import { exampleRule } from '../support/example-rule.ts'
import { bySystemd, exampleTunnel } from '../support/example.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putDriver, putPanel } from './panel/bundles.ts'
import { answersIn, consoleBlocks } from './panel/console-blocks.ts'
import { Panel } from './panel/panel.ts'

const REQUESTS = repetitions('PANEL_LAB_REQUESTS')
/** Some three hundred a second are answered where nothing else runs. */
const SLOWEST_MS = 120_000 + REQUESTS * 20

describe('The helper by hand', function () {
  let lab: Lab
  let panel: Panel

  before(async () => {
    lab = await startLab()
    const { a } = await lab.twoServers()
    await putPanel(lab)
    panel = new Panel(a)
    await panel.startHelper()
    // The modules' own links appear with the first question, and then stay.
    await panel.request('host.probe', { parts: ['link_kinds'] })
  })
  after(() => lab?.stop())

  it('makes, verifies, shows and removes a tunnel, each by one line through socat', async () => {
    const before = await panel.picture()
    const tunnel = exampleTunnel()
    assert.equal((await panel.request('tunnel.apply', { before: null, after: tunnel })).outcome, 'applied')
    assert.equal((await panel.request('tunnel.verify', { before: null, after: tunnel })).ok, true)
    const { tunnels } = await panel.request('tunnel.probe', { interface_names: [] })
    assert.deepEqual(
      tunnels.map(({ state, observed }) => [state, observed?.oper_state]),
      [[tunnel, 'UNKNOWN']],
    )
    await assert.rejects(
      panel.request('tunnel.apply', { before: null, after: tunnel }),
      /does not hold the state that this change starts from/,
    )
    assert.equal((await panel.request('tunnel.apply', { before: tunnel, after: null })).outcome, 'applied')
    assert.equal(await panel.picture(), before)
  })

  it('leaves a foreign GRE link alone, whatever the request, until it is adopted', async () => {
    await panel.server.run(
      'ip link add theirs type gre local 192.0.2.1 remote 192.0.2.99 key 7 && ip address add 10.10.7.1/30 dev theirs && ip link set theirs up',
    )
    const {
      tunnels: [found],
    } = await panel.request('tunnel.probe', { interface_names: ['theirs'] })
    const { state: before = null, is_ours } = found ?? {}
    assert.ok(before?.link)
    assert.equal(is_ours, false)
    const { link } = before
    const withConfig = (fields: object): TunnelState => ({
      ...before,
      link: { ...link, config: { ...link.config, ...fields } },
    })
    const picture = await panel.picture()
    const address = { address: '10.10.8.1', peer_address: '', prefix_length: 30 }
    for (const after of [
      null,
      withConfig({ mtu: 1300 }),
      withConfig({ addresses: [address] }),
      { ...before, link: { ...link, is_up: false } },
      { ...before, saved: bySystemd(link.config) },
    ])
      await assert.rejects(
        panel.request('tunnel.apply', { before, after }),
        /theirs was not made by the panel: adopt it/,
      )
    await panel.request('tunnel.adopt', { interface_name: 'theirs', link })
    assert.equal(await panel.picture(), picture)
    const changed = withConfig({ mtu: 1300, addresses: [address] })
    assert.equal((await panel.request('tunnel.apply', { before, after: changed })).outcome, 'applied')
    assert.equal((await panel.request('tunnel.apply', { before: changed, after: null })).outcome, 'applied')
    assert.match((await panel.server.try('ip link show theirs')).stderr, /does not exist/)
  })

  it('answers what its document shows, each command as it stands there', async () => {
    const shown = consoleBlocks(await readFile(join(ROOT, 'shared/docs/helper-by-hand.md'), 'utf8'))
    assert.ok(shown.length > 10, `${shown.length} commands`)
    const folder = await panel.server.run('mktemp -d')
    const write = (name: string, text: string) =>
      panel.server.run('sh', ['-c', `printf %s "$1" > ${folder.trim()}/${name}`, 'sh', text])
    // A stream goes on for as long as it has items.
    const ask = `ask() { timeout 8 socat -t 3 - UNIX-CONNECT:${panel.socket} || true; }; cd ${folder.trim()}; `
    for (const { command, output } of shown) {
      const [, name] = /^cat (\w+\.json)$/.exec(command) ?? []
      if (name !== undefined) {
        const { before, after } = JSON.parse(output) as { before: unknown; after: unknown }
        await write(name, output)
        if (name === 'change.json') await write('deletion.json', JSON.stringify({ before: after, after: before }))
      } else if (!command.startsWith('ask()')) {
        const answer = await panel.server.run('sh', ['-c', `${ask}${command}`])
        // A stream has as many items as there are events.
        const [found, expected] = [answersIn(answer), answersIn(output)].map((all) =>
          all.filter(({ kind }, at) => kind !== 'item' || at === 0),
        )
        assert.deepEqual(found, expected, `${command}\n${answer.slice(0, 1000)}`)
      }
    }
    const { rules } = await panel.request('ruleset.probe', { route_rule_ids: [], from_id: 0 })
    assert.equal(rules.length, 1)
    await panel.request('ruleset.apply', { before: rules, after: null })
  })

  describe('that composes what is allowed by itself', () => {
    const address = (text: string): TunnelAddress[] => {
      const [own = '', length] = text.split('/')
      return [{ address: own, peer_address: '', prefix_length: Number(length) }]
    }
    const applied: TunnelState[] = []
    const bare = (number: number, text: string): TunnelState => {
      const fields = { remote_endpoint: `192.0.2.${100 + number}`, addresses: address(text) }
      return { ...exampleTunnel(fields, `gre-c-${number}`), saved: null }
    }
    const apply = async (after: TunnelState): Promise<boolean> => {
      const outcome = await panel.request('tunnel.apply', { before: null, after }).catch((error: unknown) => {
        assert.match(String(error), /tunnel-panel allow/)
        return null
      })
      if (outcome) applied.push(after)
      return outcome !== null
    }
    const remove = async (): Promise<void> => {
      for (const before of applied.splice(0)) await panel.request('tunnel.apply', { before, after: null })
    }
    /** The networks of the kernel's own routing table that begin with this octet. */
    const drawn = async (octet: number): Promise<number> => {
      const routes = await panel.server.run('ip -4 route show table main')
      const lengths = [...routes.matchAll(new RegExp(`^${octet}\\.[\\d.]+(?:/(\\d+))?`, 'gm'))].map(
        ([, length = '32']) => length,
      )
      return lengths.reduce((sum, length) => sum + 2 ** (32 - Number(length)), 0)
    }

    it('draws no more than 64 public addresses into all tunnels together, by the kernel’s own routes', async () => {
      const before = await panel.picture()
      assert.equal(await apply(bare(1, '8.20.0.1/16')), false)
      for (let number = 1; number <= 12; number += 1) await apply(bare(number, `8.${number}.0.1/28`))
      assert.equal(applied.length, 4)
      assert.equal(await drawn(8), 64)
      assert.equal(await apply(bare(20, '10.20.0.1/16')), true)
      await remove()
      assert.equal(await panel.picture(), before)
    })

    it('has no connection of the host itself answered by a rule on an address that a tunnel brings', async () => {
      const rule = exampleRule({ bind_address: '1.1.1.1', is_include_local_originated: true })
      assert.equal(await apply(bare(1, '1.1.1.1/32')), true)
      await assert.rejects(panel.request('ruleset.apply', { before: null, after: [rule] }), /allow network 1\.1\.1\.1/)
      await remove()
      assert.equal((await panel.request('ruleset.apply', { before: null, after: [rule] })).outcome, 'applied')
      assert.equal(await apply(bare(1, '1.1.1.1/32')), false)
      await panel.request('ruleset.apply', { before: [rule], after: null })
    })

    it('makes no tunnel of a name that other software gives its links', async () => {
      for (const name of [
        'wg0',
        'docker0',
        'tailscale0',
        'virbr0',
        'veth9',
        'tun0',
        'br-7f',
        'vmbr0',
        'cni0',
        'lxcbr0',
      ])
        assert.equal(await apply({ ...bare(1, '10.20.0.1/30'), interface_name: name }), false, name)
    })
  })

  it('lets only its owner and its group connect', async () => {
    assert.match(await lab.run('stat', ['-c', '%a %u %g', panel.socket]), /^660 0 61184/)
    const stranger = await panel.server.try('setpriv', [
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      'socat',
      '-',
      `UNIX-CONNECT:${panel.socket}`,
    ])
    assert.match(stranger.stderr, /Permission denied/)
  })

  it(`survives ${REQUESTS} mutated requests, and the kernel is as it was`, async () => {
    const before = await panel.picture()
    const script = await putDriver(lab, 'support/socket-fuzz.ts')
    const counted = JSON.parse(
      await panel.server.run('node', [script, panel.socket, `${REQUESTS}`], { timeoutMs: SLOWEST_MS }),
    ) as { sent: number; refused: number; closed: number; internal: number }
    assert.equal(counted.sent, REQUESTS)
    assert.equal(counted.internal, 0)
    assert.ok(counted.refused > (REQUESTS * 5) / 6, JSON.stringify(counted))
    assert.equal(await panel.picture(), before)
    assert.equal((await panel.request('tunnel.probe', { interface_names: [] })).tunnels.length, 0)
  })
})
