// What others do to the ruleset, under established connections and new ones, at each level of protection.
import assert from 'node:assert/strict'
import { DISTURBANCES, DisturbedRelay, type Disturbance } from './disturbed.ts'

const FLOWS = 100
const PER_SECOND = 100

describe('Relayed connections while others change the ruleset', function () {
  const relay = new DisturbedRelay()
  before(() => relay.open())
  after(() => relay.close())

  for (const what of Object.keys(DISTURBANCES) as Disturbance[])
    it(`of an owned table: none is lost or refused by ${what}`, async () => {
      await relay.become('owned')
      const { lost, refused, begun } = await relay.disturb(what, FLOWS, PER_SECOND, 500)
      assert.deepEqual([lost, refused], [0, 0])
      assert.ok(begun > 50, `${begun} new connections`)
    })

  it('of a held table: none is lost to a flush, and new ones are refused until the rules are back', async () => {
    await relay.become('held')
    const { lost, refused } = await relay.disturb('nft flush ruleset', FLOWS, PER_SECOND)
    assert.equal(lost, 0)
    assert.ok(refused > 0)
    assert.equal(await relay.isRelayed(), true)
  })

  it('of a table that nothing protects: all are lost to a flush, and the rules are back by themselves', async () => {
    await relay.become('none')
    const { lost, refused } = await relay.disturb('nft flush ruleset', FLOWS, PER_SECOND)
    assert.equal(lost, FLOWS)
    assert.ok(refused > 0)
    assert.equal(await relay.isRelayed(), true)
  })
})
