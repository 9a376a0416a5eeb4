// What becomes of the flows of a destination that goes down, or is taken out by hand, under a real relay.
import assert from 'node:assert/strict'
import { CHECK, FailoverRig, relayPlace, serverPlace } from './failover-rig.ts'
import { SERVERS } from './relay-rig.ts'

const [ONE, TWO] = SERVERS
const UDP = 20
const destinations = [ONE, TWO].map((address) => ({ address, port: 80 }))
const ICMP = { ...CHECK, kind: 'icmp' }

describe('The flows of a destination under a real relay', function () {
  const rig = new FailoverRig()
  const { calls } = rig.client
  before(async () => {
    await rig.open()
    for (const address of [ONE, TWO])
      for (const protocol of ['tcp', 'udp'] as const) await rig.servers.calls.listen(serverPlace(address, protocol))
  })
  afterEach(() => calls.release())
  after(() => rig.close())

  const made = async (bind_port: number, route_protocol_id: number, check: object): Promise<number> => {
    const id = await rig.made(bind_port, { route_protocol_id, destinations, check })
    for (const address of [ONE, TWO]) await rig.untilState(id, address, 'up')
    return id
  }
  const askedOn = async (name: string, port: number): Promise<string> =>
    (await calls.askOnFlow(name, relayPlace(port, 'udp')))?.server.split(' ')[0] ?? 'nobody'
  const otherThan = (address: string): string => (address === ONE ? TWO : ONE)

  it('are ended once it is down, where they are of UDP, so that the same client gets another server', async () => {
    await made(1001, UDP, ICMP)
    const first = await askedOn('flow', 1001)
    assert.equal(await askedOn('flow', 1001), first)
    const answerAgain = rig.silence(first)
    await rig.until(async () => (await askedOn('flow', 1001)) === otherThan(first))
    answerAgain()
  })

  it('are left where they are to be kept: of UDP they never move by themselves', async () => {
    const id = await made(1002, UDP, { ...ICMP, connections_of_down: 'keep' })
    const first = await askedOn('flow', 1002)
    const answerAgain = rig.silence(first)
    await rig.untilState(id, first, 'down')
    await rig.untilRotated(id)
    assert.equal(await askedOn('flow', 1002), 'nobody')
    assert.equal(await askedOn('another flow', 1002), otherThan(first))
    answerAgain()
    assert.equal(await askedOn('flow', 1002), first)
  })

  it('are left to both ends where they are of TCP, and nothing is ended when it comes back', async () => {
    const id = await made(1003, 10, ICMP)
    const [first = '', second = ''] = [await calls.hold('a', relayPlace(1003)), await calls.hold('b', relayPlace(1003))]
      .map((talk) => talk?.server.split(' ')[0]) // prettier-ignore
    const answerAgain = rig.silence(first)
    await rig.untilState(id, first, 'down')
    await rig.untilRotated(id)
    answerAgain()
    await rig.untilState(id, first, 'up')
    assert.notEqual(first, second)
    for (const name of ['a', 'b']) assert.equal(await calls.say(name), true, name)
  })

  it('are ended of TCP, too, where they are to be', async () => {
    const id = await made(1004, 10, { ...ICMP, connections_of_down: 'end' })
    const held = (await calls.hold('a', relayPlace(1004)))?.server.split(' ')[0] ?? ''
    const answerAgain = rig.silence(held, 'icmp type echo-request')
    await rig.untilState(id, held, 'down')
    await rig.until(async () => (await rig.destination(id, held)).connections === 0)
    answerAgain()
  })

  it('are left and counted until the last of them is gone, where it is taken out by hand', async () => {
    const id = await made(1005, 10, CHECK)
    for (const name of ['a', 'b', 'c', 'd']) await calls.hold(name, relayPlace(1005))
    const { route_destination_id } = await rig.destination(id, ONE)
    await rig.api('POST', `/routes/${id}/destinations/${route_destination_id}/drain`, {})
    for (let n = 0; n < 4; n += 1) assert.equal(await rig.answers(1005), TWO)
    for (const name of ['a', 'b', 'c', 'd']) assert.equal(await calls.say(name), true, name)
    const { state, connections } = await rig.destination(id, ONE)
    assert.deepEqual([state, connections], ['drained', 2])
    await calls.release()
    await rig.until(async () => (await rig.destination(id, ONE)).connections === 0)
    await rig.api('POST', `/routes/${id}/destinations/${route_destination_id}/return`)
    assert.deepEqual([await rig.answers(1005), await rig.answers(1005)].sort(), [ONE, TWO])
  })
})
