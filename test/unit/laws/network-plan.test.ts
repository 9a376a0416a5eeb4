// The laws of networks, over random states: what preview, apply, verify and rollback rest on.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { canonicalNetworks, changedDestinations, networksOrNull } from '@panel/shared/network/canonical.ts'
import { describeNetwork } from '@panel/shared/network/describe.ts'
import type { NetworkStates } from '@panel/shared/network/model.ts'
import { checkNetworks, planNetworks } from '@panel/shared/network/plan.ts'
import { failedChecks } from '@panel/shared/change/check.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { executeNetworkStep } from '@panel/root-helper/nouns/network/execute.ts'
import { seeNetworks } from '@panel/root-helper/nouns/network/probe.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
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

  it('puts in what is lacking, and has no steps back to where something was', () => {
    fc.assert(
      fc.property(networkStates, fc.nat(), (states, at) => {
        const lacking = (states ?? []).map((one) => {
          const all = ['route', ...one.own_addresses, ...(one.own_addresses.length > 0 ? ['answers'] : [])]
          return { ...one, lacks: [all[at % all.length] ?? ''] }
        })
        const kinds = new Set(planNetworks(networksOrNull(lacking), states).map(({ kind }) => kind))
        for (const { lacks, paths } of lacking) {
          const isCarried = paths.some(({ weight }) => weight > 0)
          if (lacks[0] === 'route') assert.ok(kinds.has(isCarried ? 'network_route_set' : 'network_route_remove'))
          else if (lacks[0] === 'answers') assert.ok(kinds.has('network_answers'))
          else assert.ok(kinds.has('own_address_add'))
        }
        assert.ok(!kinds.has('network_keep'))
        assert.deepEqual(planNetworks(states, networksOrNull(lacking)), [])
      }),
    )
  })
})

const probe = async (kernel: FakeKernel): Promise<NetworkStates | null> =>
  canonicalNetworks(networksOrNull((await seeNetworks(kernel, [])).map(({ state }) => state)))

async function take(kernel: FakeKernel, wanted: NetworkStates | null, steps = Infinity): Promise<void> {
  for (const step of planNetworks(await probe(kernel), wanted).slice(0, steps)) await executeNetworkStep(kernel, step)
}

describe('The plan of networks on a host', () => {
  it('takes it from any states to any, and back as if nothing had been', async () => {
    await fc.assert(
      fc.asyncProperty(pair, async ([before, after]) => {
        const kernel = new FakeKernel()
        await take(kernel, before)
        const picture = kernel.picture()
        await take(kernel, after)
        assert.deepEqual(await probe(kernel), after)
        await take(kernel, before)
        assert.deepEqual(await probe(kernel), before)
        assert.equal(kernel.picture(), picture)
      }),
      { numRuns: 500 },
    )
  })

  it('takes it back from wherever the change was cut short, and leaves no address behind', async () => {
    await fc.assert(
      fc.asyncProperty(pair, fc.nat(12), async ([before, after], steps) => {
        const kernel = new FakeKernel()
        await take(kernel, before)
        const picture = kernel.picture()
        await take(kernel, after, steps)
        const { networks } = kernel
        const known = new Set([...networks.kept(), ...(before ?? [])].flatMap(({ own_addresses }) => own_addresses))
        assert.ok([...networks.addresses].every((address) => known.has(address)))
        await take(kernel, before)
        assert.equal(kernel.picture(), picture)
      }),
      { numRuns: 500 },
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
