// The bus: who listens hears, who has stopped does not, and who fails harms nobody. What is written with an event that is
// stored is another matter: it is written, or the event is not stored.
import assert from 'node:assert/strict'
import { IN_MEMORY, openStore } from '@panel/web-daemon/app/store.ts'
import { writeSetting } from '@panel/web-daemon/features/settings/store.ts'
import type { Store } from '@panel/web-daemon/platform/db/store.ts'
import { Bus } from '@panel/web-daemon/platform/events/bus.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'

describe('The bus', () => {
  const log: string[] = []
  const tunnel = { tunnel_id: 1, interface_name: 'gre-a-1' }

  it('tells an event to all who listen to its name, until they stop', () => {
    const bus = new Bus(makeLogger({ write: (line) => void log.push(line) }))
    const received: string[] = []
    const listener = ({ interface_name }: { interface_name: string }): void => void received.push(interface_name)
    const stops = [
      bus.subscribe('tunnel.created', listener),
      bus.subscribe('tunnel.created', listener),
      bus.subscribe('tunnel.deleted', listener),
    ]
    assert.equal(bus.count, 3)
    bus.publish('tunnel.created', tunnel)
    bus.publish('tunnel.updated', tunnel)
    assert.deepEqual(received, ['gre-a-1', 'gre-a-1'])
    for (const stop of [...stops, ...stops]) stop()
    bus.publish('tunnel.created', tunnel)
    assert.deepEqual([received.length, bus.count], [2, 0])
  })

  it('logs a listener that fails, and goes on', () => {
    const bus = new Bus(makeLogger({ write: (line) => void log.push(line) }))
    let received = 0
    bus.subscribe('tunnel.deleted', () => {
      throw new Error('a listener at fault')
    })
    bus.subscribe('tunnel.deleted', () => void (received += 1))
    bus.publish('tunnel.deleted', tunnel)
    assert.equal(received, 1)
    assert.ok(log.some((line) => line.includes('a listener at fault')))
  })

  describe('of an event that is stored', () => {
    const ended = [{ window_id: 'a1', ended_how: 'expired' }]
    let store: Store
    let bus: Bus
    beforeEach(async () => {
      store = await openStore(IN_MEMORY)
      bus = new Bus(makeLogger({ write: (line) => void log.push(line) }))
    })
    afterEach(() => store.destroy())

    const publish = (events = ended): Promise<void> =>
      store.transaction().execute(async (transaction) => {
        await writeSetting(transaction, 'display.theme', 'dark', '')
        await bus.publishIn(transaction, 'safe_apply.ended', events)
      })
    const stored = async (): Promise<string[]> =>
      (await store.selectFrom('setting').select('key').orderBy('key').execute()).map(({ key }) => key)

    it('has the writers of its name write into the same transaction, until they stop', async () => {
      const stop = bus.subscribeIn('safe_apply.ended', async (transaction, events) => {
        for (const { ended_how } of events) await writeSetting(transaction, 'display.server_name', ended_how, '')
      })
      assert.equal(bus.count, 1)
      await publish()
      assert.deepEqual(await stored(), ['display.server_name', 'display.theme'])
      stop()
      assert.equal(bus.count, 0)
    })

    it('takes back what stored it where a writer fails', async () => {
      bus.subscribeIn('safe_apply.ended', () => Promise.reject(new Error('no room')))
      await assert.rejects(publish(), /no room/)
      assert.deepEqual(await stored(), [])
    })

    it('calls no writer where there is none of it', async () => {
      bus.subscribeIn('safe_apply.ended', () => assert.fail('called'))
      await publish([])
    })
  })
})
