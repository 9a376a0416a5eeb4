// Tunnels that are answered through, for the fake kernel and the real one.
import assert from 'node:assert/strict'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { exampleConfig } from '../support/example.ts'

const NAME = 'gre-c-9'

export function answersContract(open: () => Promise<Kernel>): void {
  it('answers through a tunnel from its start to its stop, whatever becomes of the link', async () => {
    const kernel = await open()
    await kernel.links.create(NAME, { ...exampleConfig, addresses: [] })
    await kernel.links.addAddress(NAME, { address: '172.17.9.1', peer_address: '', prefix_length: 30 })
    await kernel.links.setUp(NAME, true)
    assert.equal(await kernel.answers.refusal(), null)
    await kernel.answers.start(NAME)
    await kernel.answers.start(NAME)
    assert.deepEqual(await kernel.answers.found(), [{ interface_name: NAME, is_whole: true }])
    await kernel.links.delete(NAME)
    await kernel.answers.follow()
    assert.deepEqual(await kernel.answers.found(), [{ interface_name: NAME, is_whole: true }])
    await kernel.answers.stop(NAME)
    assert.deepEqual(await kernel.answers.found(), [])
  })
}
