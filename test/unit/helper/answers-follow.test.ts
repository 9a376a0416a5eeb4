// Tunnels that are answered through, as their links come and go: what is forgotten, and when.
import assert from 'node:assert/strict'
import { followedAnswers } from '@panel/root-helper/nouns/tunnel/follow-answers.ts'
import { exampleTunnel } from '../../support/example.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'

describe('What follows the links of tunnels that are answered through', () => {
  let kernel: FakeKernel
  beforeEach(() => {
    kernel = new FakeKernel()
    kernel.plant('gre-a-1', { state: exampleTunnel().link })
    for (const name of ['gre-a-1', 'gone']) kernel.answers.held.add(name)
  })

  it('forgets at a start those that have neither a link nor a file, and no other', async () => {
    await followedAnswers(kernel).work('start')
    assert.deepEqual(kernel.answers.names(), ['gre-a-1'])
  })

  it('forgets none when a link goes, since it may come back', async () => {
    kernel.held.delete('gre-a-1')
    await followedAnswers(kernel).work('change')
    assert.deepEqual(kernel.answers.names(), ['gre-a-1', 'gone'])
  })

  it('gives the kernel what it lacks, each time', async () => {
    for (const cause of ['start', 'change'] as const) {
      kernel.answers.broken.add('gre-a-1')
      await followedAnswers(kernel).work(cause)
      assert.deepEqual([...kernel.answers.broken], [])
    }
  })

  it('forgets nothing while the record is damaged', async () => {
    kernel.answers.damage = 'damaged'
    await followedAnswers(kernel).work('start')
    assert.deepEqual(kernel.answers.names(), ['gre-a-1', 'gone'])
  })
})
