// Checks, judgement and rotation end to end: the web daemon's app and a real helper in the middle of a relay, and
// servers of which one goes away.
import assert from 'node:assert/strict'
import { CHECK, FailoverRig, relayPlace, serverPlace } from './failover-rig.ts'
import { SERVERS } from './relay-rig.ts'

const [ONE, TWO, THREE] = SERVERS

describe('A destination that goes away under a real relay', function () {
  const rig = new FailoverRig()
  before(async () => {
    await rig.open()
    for (const address of SERVERS) await rig.servers.calls.listen(serverPlace(address))
  })
  after(() => rig.close())

  /** What was measured is printed with PANEL_SHOW_LOG. */
  const show = (what: string, ms: number): void => {
    if (process.env['PANEL_SHOW_LOG']) console.log(`${what}: ${Math.round(ms)} ms`)
  }

  it('has its backup take the connections once it falls silent, and takes them again once it answers', async () => {
    const id = await rig.made(1001, {
      destinations: [
        { address: ONE, port: 80 },
        { address: TWO, port: 80, is_backup: true },
      ],
      check: CHECK,
    })
    await rig.untilState(id, ONE, 'up')
    await rig.untilState(id, TWO, 'up')
    assert.equal(await rig.answers(1001), ONE)
    const answerAgain = rig.silence(ONE)
    show('silent, fall x interval is 1000 ms, and the time-out 300 ms', await rig.until(async () => (await rig.answers(1001)) === TWO)) // prettier-ignore
    assert.match((await rig.destination(id, ONE)).reason, /^No answer within 300 ms/)
    answerAgain()
    await rig.until(async () => (await rig.answers(1001)) === ONE)
  })

  it('is left out at once where its port refuses, and no established connection of the others notices', async () => {
    const id = await rig.made(1002, { destinations: SERVERS.map((address) => ({ address, port: 80 })), check: CHECK })
    for (const address of SERVERS) await rig.untilState(id, address, 'up')
    const held = new Map<string, string>()
    for (let n = 0; n < 9; n += 1) {
      const talk = await rig.client.calls.hold(`flow ${n}`, relayPlace(1002))
      held.set(`flow ${n}`, talk?.server.split(' ')[0] ?? 'nobody')
    }
    assert.deepEqual([...new Set(held.values())].sort(), [...SERVERS])
    await rig.servers.calls.stopListening(serverPlace(THREE))
    show('refused, interval 500 ms', await rig.untilState(id, THREE, 'down'))
    await rig.untilRotated(id)
    for (let n = 0; n < 12; n += 1) assert.notEqual(await rig.answers(1002), 'nobody')
    for (const name of held.keys()) assert.ok(await rig.client.calls.say(name), name)
    await rig.servers.calls.listen(serverPlace(THREE))
    await rig.untilState(id, THREE, 'up')
  })

  it('is checked by echo requests that the helper sends', async () => {
    const id = await rig.made(1003, {
      destinations: [ONE, TWO].map((address) => ({ address, port: 80 })),
      check: { ...CHECK, kind: 'icmp' },
    })
    await rig.untilState(id, ONE, 'up')
    await rig.untilState(id, TWO, 'up')
    assert.equal((await rig.destination(id, TWO)).reason, 'It answers echo requests')
    const answerAgain = rig.silence(TWO, 'icmp type echo-request')
    await rig.untilState(id, TWO, 'down')
    await rig.untilRotated(id)
    for (let n = 0; n < 4; n += 1) assert.equal(await rig.answers(1003), ONE)
    answerAgain()
    await rig.untilState(id, TWO, 'up')
  })

  it('has new connections go to all where all are down, and where they are to be refused, a reset at once', async () => {
    const destinations = [ONE, TWO].map((address) => ({ address, port: 80 }))
    const check = { ...CHECK, kind: 'icmp' }
    const id = await rig.made(1004, { destinations, check })
    const answerAgain = [ONE, TWO].map((address) => rig.silence(address, 'icmp type echo-request'))
    for (const address of [ONE, TWO]) await rig.untilState(id, address, 'down')
    await rig.untilRotated(id)
    const reached = [await rig.answers(1004), await rig.answers(1004)]
    assert.deepEqual(reached.sort(), [ONE, TWO])
    await rig.client.calls.hold('before', relayPlace(1004))
    await rig.api('PUT', `/routes/${id}/check`, { ...check, on_all_down: 'refuse' })
    assert.equal((await rig.checkOf(id)).is_closed, true)
    assert.equal(await rig.client.calls.refusal(relayPlace(1004)), 'ECONNREFUSED')
    assert.equal(await rig.client.calls.say('before'), true)
    for (const end of answerAgain) end()
    await rig.until(async () => !(await rig.checkOf(id)).is_closed)
    await rig.until(async () => (await rig.client.calls.refusal(relayPlace(1004))) === null)
  })
})
