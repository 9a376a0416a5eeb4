// The steps of the first hour, from what the host shows.
import assert from 'node:assert/strict'
import { firstSteps, type Facts } from '../../../ui/src/features/first-hour/steps.ts'

const NOTHING: Facts = {
  hasGre: true,
  hasBackend: true,
  isForwarding: false,
  isAnswered: false,
  hasRule: false,
  isProven: false,
  isNotified: false,
  isSaved: false,
  hasFactor: false,
}
const open = (facts: Partial<Facts>): string[] =>
  firstSteps({ ...NOTHING, ...facts })
    .filter(({ isOpen }) => isOpen)
    .map(({ name }) => name)
const ANY_TIME = ['notify', 'backup', 'factor']

describe('The steps of the first hour', () => {
  it('open one after the other, beside those that can be done at any time', () => {
    assert.deepEqual(open({ hasBackend: false }), ['host', ...ANY_TIME])
    assert.deepEqual(open({}), ['tunnel', ...ANY_TIME])
    assert.deepEqual(open({ isAnswered: true }), ['rule', ...ANY_TIME])
    assert.deepEqual(open({ isAnswered: true, isForwarding: true, hasRule: true }), ['proof', ...ANY_TIME])
    assert.deepEqual(open({ isNotified: true, isSaved: true, hasFactor: true }), ['tunnel'])
  })

  it('go back to the server if a rule is not forwarded', () => {
    assert.deepEqual(open({ isAnswered: true, hasRule: true }), ['host', ...ANY_TIME])
  })

  it('have no tunnel without GRE, and go on with rules', () => {
    assert.deepEqual(open({ hasGre: false }), ['rule', ...ANY_TIME])
    assert.ok(firstSteps({ ...NOTHING, hasGre: false }).every(({ name }) => name !== 'tunnel'))
  })

  it('are all done at the end', () => {
    const all = Object.fromEntries(Object.keys(NOTHING).map((name) => [name, true])) as unknown as Facts
    assert.ok(firstSteps(all).every(({ isDone, isOpen }) => isDone && !isOpen))
  })
})
