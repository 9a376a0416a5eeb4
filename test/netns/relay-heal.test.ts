// Relay rules that nothing protects, and that others flush: put back by the panel itself, and not for ever.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HealView } from '@panel/shared/api/base/heal.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import { eventually } from '../support/eventually.ts'
import { namespaceOf } from './own-namespace.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE] = SERVERS
const DOOR: Place = { protocol: 'tcp', address: RELAY, port: 1001 }

describe('Relay rules that nothing protects', function () {
  const rig = new RelayRig()
  let panel: ReturnType<RelayRig['panel']>
  let script: ChildProcess | null = null
  before(async () => {
    await rig.open()
    panel = rig.panel()
    await rig.servers.calls.listen({ protocol: 'tcp', address: ONE, port: 80 })
    await api('PUT', '/settings', { 'system.ruleset_protection': 'off', 'system.self_heal': 'rules' })
    await api('POST', '/routes', {
      bind_address: RELAY,
      bind_port: 1001,
      destination_address: ONE,
      destination_port: 80,
    })
    await panel.watch()
    await panel.advance(31)
  })
  after(async () => {
    script?.kill('SIGKILL')
    await rig.close()
  })

  async function api<B>(method: string, path: string, body?: unknown): Promise<B> {
    const reply = await panel.request(method, path, body)
    assert.ok([200, 201].includes(reply.status), `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body as B
  }
  const heal = async (): Promise<HealView> =>
    (await api<ReconcileAnswer>('GET', '/reconcile')).routes[0]?.heal ?? assert.fail('there is no rule')
  const until = (what: string, is: () => Promise<boolean>): Promise<void> => eventually(is, what, { pause_ms: 50 })
  const isRelayed = async (): Promise<boolean> => (await rig.client.calls.talk(DOOR)) !== null

  it('are back soon after a flush', async () => {
    assert.equal(await isRelayed(), true)
    rig.relay.run('nft', ['flush', 'ruleset'])
    await until('what was flushed', isRelayed)
    const { times, contested, last_by } = await heal()
    assert.deepEqual([times, contested, last_by], [1, false, ''])
  })

  it('are left alone for longer and longer where a script flushes them whenever they are back, which is named', async () => {
    const [file, due] = [join(rig.folder, 'flush-all.sh'), join(rig.folder, 'due')]
    // What flushes stays until it is due again, so that the name of its parent can be read for as long as that takes.
    const flush = `(echo flush ruleset; while [ ! -e ${due} ] && kill -0 $$; do sleep 0.1; done) | nft -i`
    writeFileSync(file, `#!/bin/sh\nwhile :; do rm ${due} && ${flush}; sleep 0.1; done\n`, { mode: 0o755 })
    script = spawn('nsenter', [`--net=${namespaceOf(rig.relay.child)}`, file], { stdio: 'ignore' })
    const becomes = (what: string, is: () => Promise<boolean>): Promise<void> =>
      until(what, async () => {
        if (await is()) return true
        await panel.advance(10)
        // Any event has the panel look again.
        rig.relay.batch('addr add 10.255.0.9/32 dev lo', 'addr del 10.255.0.9/32 dev lo')
        return false
      })
    for (const times of [2, 3, 4]) {
      // Never halfway through a try, however long that takes, because such a try begins a pause of its own.
      await becomes(`being back before it is taken away ${times} times`, isRelayed)
      writeFileSync(due, '')
      await becomes(`being taken away ${times} times`, async () => (await heal()).times >= times)
    }
    await until('the name of the script', async () => (await heal()).last_by !== '')
    const { contested, last_by, detail } = await heal()
    assert.deepEqual([contested, last_by], [true, 'flush-all.sh > nft'])
    assert.match(detail, /last by flush-all\.sh > nft\. Next try at /)
    const { entries } = await api<{ entries: readonly unknown[] }>('GET', '/audit?action=RouteReapply')
    assert.ok(entries.length <= 6, `${entries.length} tries`)
  })

  it('are back at once where the script is gone and the pauses are forgotten', async () => {
    const ended = once(script ?? assert.fail(), 'exit')
    script?.kill('SIGKILL')
    await ended
    script = null
    await api('POST', '/reconcile/heal/reset')
    await until('what was flushed', isRelayed)
    assert.equal((await heal()).contested, false)
  })
})
