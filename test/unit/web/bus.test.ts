// The bus: who listens hears, who has stopped does not, and who fails harms nobody.
import assert from 'node:assert/strict'
import { Bus } from '@panel/web-daemon/platform/events/bus.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'

describe('The bus', () => {
  const log: string[] = []
  const tunnel = { tunnel_id: 1, interface_name: 'gre-a-1' }

  it('tells an event to all who listen to its name, until they stop', () => {
    const bus = new Bus(makeLogger({ write: (line) => void log.push(line) }))
    const heard: string[] = []
    const listener = ({ interface_name }: { interface_name: string }): void => void heard.push(interface_name)
    const stops = [
      bus.subscribe('tunnel.created', listener),
      bus.subscribe('tunnel.created', listener),
      bus.subscribe('tunnel.deleted', listener),
    ]
    assert.equal(bus.count, 3)
    bus.publish('tunnel.created', tunnel)
    bus.publish('tunnel.updated', tunnel)
    assert.deepEqual(heard, ['gre-a-1', 'gre-a-1'])
    for (const stop of [...stops, ...stops]) stop()
    bus.publish('tunnel.created', tunnel)
    assert.deepEqual([heard.length, bus.count], [2, 0])
  })

  it('logs a listener that fails, and goes on', () => {
    const bus = new Bus(makeLogger({ write: (line) => void log.push(line) }))
    let heard = 0
    bus.subscribe('tunnel.deleted', () => {
      throw new Error('a listener at fault')
    })
    bus.subscribe('tunnel.deleted', () => void (heard += 1))
    bus.publish('tunnel.deleted', tunnel)
    assert.equal(heard, 1)
    assert.ok(log.some((line) => line.includes('a listener at fault')))
  })
})
