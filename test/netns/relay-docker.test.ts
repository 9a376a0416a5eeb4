// Docker's own daemon beside the panel: it writes the tables of netfilter again whenever it starts.
import assert from 'node:assert/strict'
import type { RouteAnalysis } from '@panel/shared/api/analysis.ts'
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import { Docker } from './docker.ts'
import { RELAY, RelayRig, ruleOfRig as rule, SERVERS } from './relay-rig.ts'

const FLOWS = 100

describe('Relay rules on a host with docker', function () {
  const rig = new RelayRig()
  const docker = new Docker(rig)
  const place = { protocol: 'tcp', address: RELAY, port: 1001 } as const

  const protect = (wanted: boolean) => askOnce(rig.socket, 'ruleset.protect', { wanted })

  before(async () => {
    await rig.open()
    await rig.servers.calls.listen({ protocol: 'tcp', address: SERVERS[0], port: 80 })
    await docker.start()
  })
  after(async () => {
    await docker.stop()
    await rig.close()
  })

  // A table that was made while nothing protected it is held.
  for (const [level, wanted, how] of [
    ['that is owned', true, 'owned'],
    ['without protection', false, 'none'],
    ['that is held', true, 'held'],
  ] as const)
    it(`keep ${FLOWS} connections and refuse no new one while docker restarts twice: a table ${level}`, async () => {
      await protect(wanted && how !== 'held')
      if (how === 'held' && rig.relay.run('nft', ['list', 'tables']).includes('inet panel'))
        rig.relay.nft('delete table inet panel\n')
      await rig.become(rule(1))
      assert.equal((await protect(wanted)).how, how)
      assert.equal(await rig.client.calls.gather(FLOWS, place), FLOWS)
      const held = rig.relay.run('nft', ['-s', 'list', 'table', 'inet', 'panel'])
      for (const _ of [1, 2]) {
        await rig.client.calls.startKnocking([place])
        await docker.stop()
        for (const table of ['filter', 'nat']) rig.relay.run('iptables', ['-t', table, '-F'])
        await docker.start()
        assert.match(rig.relay.run('iptables', ['-S', 'FORWARD']), /-j DOCKER-USER/)
        assert.deepEqual(await rig.client.calls.stopKnocking(), [`1001: ${SERVERS[0]} 80`])
      }
      assert.equal(rig.relay.run('nft', ['-s', 'list', 'table', 'inet', 'panel']), held)
      assert.equal(await rig.client.calls.answering(FLOWS), FLOWS)
      await rig.client.calls.disperse()
    })

  it('are named as what docker drops, where nothing lets their packets through its forward chain', async () => {
    // Docker drops what others forward only where it was docker that turned forwarding on.
    await docker.stop()
    rig.relay.run('sysctl', ['-qw', 'net.ipv4.ip_forward=0'])
    await docker.start()
    assert.equal(await rig.client.calls.talk(place), null)
    const panel = rig.panel()
    const rules = { bind_address: RELAY, bind_port: 1002, destination_address: SERVERS[0], destination_port: 80 }
    const made = await panel.request('POST', '/routes', rules)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { route } = made.body as ChangeRouteAnswer
    const { body } = await panel.request('POST', `/routes/${route.route_rule_id}/diagnostics/analyze`)
    const { verdict, summary, suggested_fix } = body as RouteAnalysis
    assert.equal(verdict, 'FORWARD_BLOCKED')
    assert.match(summary, /ip filter.*FORWARD/)
    const commands = suggested_fix.flatMap((fix) => /: (iptables .*)\.$/.exec(fix)?.[1] ?? [])
    for (const command of commands) rig.relay.run('sh', ['-c', command])
    assert.notEqual(await rig.client.calls.talk({ ...place, port: 1002 }), null, suggested_fix.join('; '))
  })
})
