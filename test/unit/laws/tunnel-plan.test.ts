// The laws of the one idea, over random states: what preview, apply, verify, rollback and drift all rest on.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { canonicalTunnel } from '@panel/shared/tunnel/canonical.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { invert, sameState } from '@panel/shared/change/change.ts'
import { failedChecks } from '@panel/shared/change/check.ts'
import { checkTunnel } from '@panel/shared/tunnel/facts.ts'
import { planTunnel } from '@panel/shared/tunnel/plan.ts'
import {
  checkTunnels,
  statesOrNull,
  planChange,
  planTunnels,
  asStates,
  type TunnelStates,
} from '@panel/shared/tunnel/plans.ts'
import { executeTunnelStep } from '@panel/root-helper/nouns/tunnel/execute.ts'
import { probeTunnel, probeTunnels } from '@panel/root-helper/nouns/tunnel/probe.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { statePair, tunnelState } from '../../support/random-states.ts'

const NAME = 'gre-a-1'
const probe = async (kernel: FakeKernel): Promise<TunnelState | null> => (await probeTunnel(kernel, NAME)).state

async function take(kernel: FakeKernel, wanted: TunnelState | null, steps = Infinity): Promise<void> {
  for (const step of planTunnel(await probe(kernel), wanted).steps.slice(0, steps))
    await executeTunnelStep(kernel, step)
}

async function hostWith(state: TunnelState | null): Promise<FakeKernel> {
  const kernel = new FakeKernel()
  await take(kernel, state)
  return kernel
}

const present = (...states: (TunnelState | null)[]): TunnelState[] => states.filter((state) => state !== null)

describe('The plan of a tunnel', () => {
  it('has no steps for a change to the same state', () => {
    fc.assert(fc.property(tunnelState, (state) => assert.deepEqual(planTunnel(state, state).steps, [])))
  })

  it('takes the host from before to after', async () => {
    await fc.assert(
      fc.asyncProperty(statePair, async ([before, after]) => {
        const kernel = await hostWith(before)
        await take(kernel, after)
        assert.deepEqual(await probe(kernel), after)
      }),
      { numRuns: 500 },
    )
  })

  it('leaves the host as it was when a change is followed by its inverse', async () => {
    await fc.assert(
      fc.asyncProperty(statePair, async ([before, after]) => {
        const kernel = await hostWith(before)
        const picture = kernel.picture()
        await take(kernel, after)
        await take(kernel, invert({ before, after }).after)
        assert.equal(kernel.picture(), picture)
      }),
      { numRuns: 500 },
    )
  })

  it('finds the way back from every half-done change without knowing how far it got', async () => {
    await fc.assert(
      fc.asyncProperty(statePair, fc.nat(12), async ([before, after], steps) => {
        const kernel = await hostWith(before)
        const picture = kernel.picture()
        await take(kernel, after, steps)
        await take(kernel, before)
        assert.equal(kernel.picture(), picture)
      }),
      { numRuns: 500 },
    )
  })

  it('starts a keepalive that was stopped by hand, whatever else is changed, and also on the way back', async () => {
    await fc.assert(
      fc.asyncProperty(statePair, async ([before, after]) => {
        const kernel = await hostWith(before)
        for (const name of kernel.enabled) kernel.stopped.add(name)
        const found = await probe(kernel)
        const go = async (wanted: TunnelState | null): Promise<void> => {
          const change = { before: await probe(kernel), after: wanted }
          for (const step of planChange(change).steps) await executeTunnelStep(kernel, step)
          const now = statesOrNull(present(await probe(kernel)))
          assert.deepEqual(failedChecks(checkTunnels([NAME], statesOrNull(present(wanted)), now)), [])
          if (wanted?.link) assert.equal(now?.[0]?.saved?.systemd_keepalive_unit?.is_stopped, undefined)
        }
        await go(after)
        await go(found)
      }),
      { numRuns: 500 },
    )
  })

  it('recreates a link only for a field that it names as the reason', () => {
    fc.assert(
      fc.property(statePair, ([before, after]) => {
        const { steps, recreate_reasons } = planTunnel(before, after)
        const recreates = steps.some((s) => s.kind === 'link_delete') && steps.some((s) => s.kind === 'link_create')
        assert.equal(recreates, recreate_reasons.length > 0)
      }),
    )
  })
})

describe('The plan of a tunnel that gets another name', () => {
  const NAMES = [NAME, 'gre-b-2']
  const probeBoth = async (kernel: FakeKernel): Promise<TunnelStates | null> =>
    statesOrNull((await probeTunnels(kernel, NAMES)).map(({ state }) => state).filter((state) => state !== null))
  const renamed = (state: TunnelState | null): TunnelState | null => state && { ...state, interface_name: 'gre-b-2' }
  const takeBoth = async (kernel: FakeKernel, wanted: TunnelStates | null, steps = Infinity): Promise<void> => {
    for (const step of planTunnels(await probeBoth(kernel), wanted).steps.slice(0, steps))
      await executeTunnelStep(kernel, step)
  }

  it('takes the host from before to after, finds back from wherever it stopped, and has no steps once it is there', async () => {
    await fc.assert(
      fc.asyncProperty(statePair, fc.nat(20), async ([one, other], steps) => {
        const { before, after } = asStates({ before: one, after: renamed(other) })
        const kernel = await hostWith(one)
        const picture = kernel.picture()
        await takeBoth(kernel, after, steps)
        await takeBoth(kernel, before)
        assert.equal(kernel.picture(), picture)
        await takeBoth(kernel, after)
        assert.deepEqual(await probeBoth(kernel), after)
        assert.deepEqual(planTunnels(await probeBoth(kernel), after).steps, [])
      }),
      { numRuns: 500 },
    )
  })

  it('never holds both links at once, and says that a new one is made', () => {
    fc.assert(
      fc.property(statePair, ([one, other]) => {
        const { operation, steps, recreate_reasons } = planChange({ before: one, after: renamed(other) })
        const kinds = steps.map(({ kind }) => kind)
        if (one?.link && other?.link) assert(kinds.indexOf('link_delete') < kinds.indexOf('link_create'))
        assert.equal(recreate_reasons.length > 0, one !== null && other !== null)
        if (one && other) assert.equal(operation, 'recreate')
      }),
    )
  })

  it('has checks that pass where the new name holds the wanted state and the old one nothing, and nowhere else', () => {
    fc.assert(
      fc.property(tunnelState, tunnelState, tunnelState, (wanted, old, found) => {
        const checks = checkTunnels(
          NAMES,
          statesOrNull(present(renamed(wanted))),
          statesOrNull(present(old, renamed(found))),
        )
        assert.equal(failedChecks(checks).length === 0, old === null && sameState(wanted, found))
        assert(checks.every(({ name }) => /^[a-z0-9_.]{1,60}$/.test(name)))
      }),
      { numRuns: 1000 },
    )
  })
})

describe('The checks of a tunnel', () => {
  it('pass on the wanted state and on no other', () => {
    fc.assert(
      fc.property(statePair, ([wanted, found]) => {
        assert.equal(failedChecks(checkTunnel(NAME, wanted, found)).length === 0, sameState(wanted, found))
      }),
      { numRuns: 1000 },
    )
  })
})

describe('The canonical form of a tunnel', () => {
  it('is its own canonical form', () => {
    fc.assert(fc.property(tunnelState, (state) => assert.deepEqual(canonicalTunnel(state), state)))
  })

  it('does not depend on the order or the spelling of addresses', () => {
    fc.assert(
      fc.property(tunnelState, (state) => {
        if (!state?.link) return
        const { config } = state.link
        const spelled = {
          ...config,
          addresses: config.addresses.map((a) => ({ ...a, address: a.address.toUpperCase() })).reverse(),
        }
        assert.deepEqual(canonicalTunnel({ ...state, link: { ...state.link, config: spelled } }), state)
      }),
    )
  })
})
