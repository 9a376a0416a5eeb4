// The laws of networks, over random states: what preview, apply, verify and rollback rest on.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { canonicalNetworks, changedDestinations, networksOrNull } from '@panel/shared/network/canonical.ts'
import { describeNetwork } from '@panel/shared/network/describe.ts'
import type { NetworkStates } from '@panel/shared/network/model.ts'
import { checkNetworks, planNetworks } from '@panel/shared/network/plan.ts'
import { failedChecks } from '@panel/shared/change/check.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { networkStates } from '../../support/random-networks.ts'

const pair = fc.tuple(networkStates, networkStates)
const failed = (wanted: NetworkStates | null, found: NetworkStates | null) =>
  failedChecks(checkNetworks(changedDestinations({ before: found, after: wanted }), wanted, found))

describe('The canonical form of networks', () => {
  it('is its own canonical form, whatever the order and the spelling', () => {
    fc.assert(
      fc.property(networkStates, (states) => {
        const spelled = (states ?? []).map((state) => ({
          ...state,
          destination: state.destination.replace(/^10\.50\.0\.0/, '10.50.3.4'),
          paths: [...state.paths].reverse(),
          own_addresses: [...state.own_addresses].reverse().map((one) => one.replace('fd66::', 'fd66:0::')),
        }))
        assert.deepEqual(canonicalNetworks(networksOrNull(spelled.reverse())), states)
      }),
    )
  })

  it('is none of two paths over one link, two networks to one destination, or addresses of another family', () => {
    const [one] = fc.sample(
      networkStates.filter((states) => states !== null),
      { numRuns: 1, seed: 1 },
    )
    const [state] = one ?? []
    assert.ok(state)
    const other = state.destination.includes(':') ? '10.9.9.9' : 'fd99::9'
    for (const wrong of [
      [state, state],
      [{ ...state, paths: [...state.paths, ...state.paths] }],
      [{ ...state, source: other }],
      [{ ...state, own_addresses: [other] }],
      [{ ...state, destination: '300.0.0.0/8' }],
    ])
      assert.throws(() => canonicalNetworks(wrong), RangeError)
  })

  it('keeps no weight of a path that carries alone', () => {
    fc.assert(
      fc.property(networkStates, (states) => {
        for (const { paths } of states ?? []) {
          const weights = paths.map(({ weight }) => weight).filter((weight) => weight > 0)
          assert.ok(weights.length !== 1 || weights[0] === 1)
        }
      }),
    )
  })
})

describe('The plan of networks', () => {
  it('has no steps for a change to the same states', () => {
    fc.assert(fc.property(networkStates, (states) => assert.deepEqual(planNetworks(states, states), [])))
  })

  it('has steps for every other change, each with a sentence', () => {
    fc.assert(
      fc.property(pair, ([found, wanted]) => {
        const steps = planNetworks(found, wanted)
        assert.equal(steps.length === 0, sameState(found, wanted))
        for (const step of steps) assert.match(describeNetwork(step).description.message, /^[A-Z][^{}]+\.$/)
      }),
    )
  })

  it('starts answers of which something is missing, from whatever is wanted', () => {
    fc.assert(
      fc.property(networkStates, (states) => {
        const broken = (states ?? []).map((one) => ({ ...one, is_answered: one.own_addresses.length === 0 }))
        const steps = planNetworks(networksOrNull(broken), states)
        const isBroken = broken.some(({ is_answered }) => !is_answered)
        assert.equal(
          steps.some(({ kind }) => kind === 'network_answers'),
          isBroken,
        )
        assert.deepEqual(planNetworks(states, networksOrNull(broken)), [])
      }),
    )
  })
})

describe('The checks of networks', () => {
  it('pass wholly on what is wanted, and on nothing else', () => {
    fc.assert(
      fc.property(pair, ([found, wanted]) => {
        assert.deepEqual(failed(wanted, wanted), [])
        assert.equal(failed(wanted, found).length === 0, sameState(found, wanted))
      }),
    )
  })
})
