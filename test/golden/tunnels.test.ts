// Each folder of tunnels/ is a state and the text that follows from it: the unit that boot reads, and the plan as a person reads it.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { canonicalTunnel } from '@panel/shared/model/canonical-tunnel.ts'
import type { TunnelState } from '@panel/shared/model/tunnel.ts'
import { describe as describeStep } from '@panel/shared/plan/describe.ts'
import { planTunnel } from '@panel/shared/plan/tunnel.ts'
import { readSystemdUnit } from '@panel/shared/read/systemd-unit.ts'
import { renderSystemdUnit } from '@panel/shared/render/systemd-unit.ts'
import { linkConfig } from '../support/random-states.ts'
import { sameAsFile } from './golden.ts'

const folder = join(import.meta.dirname, 'tunnels')

describe('The text that follows from a tunnel', () => {
  for (const name of readdirSync(folder)) {
    it(`is right for ${name.replaceAll('-', ' ')}`, () => {
      const state = canonicalTunnel(JSON.parse(readFileSync(join(folder, name, 'state.json'), 'utf8')) as TunnelState)
      assert.ok(state?.saved?.config)
      const unit = renderSystemdUnit(state.interface_name, state.saved.config)
      sameAsFile(join(folder, name, 'unit.service'), unit)
      const plan = (before: TunnelState | null, after: TunnelState | null) => planTunnel(before, after).steps.map((step) => describeStep(step).description)
      sameAsFile(join(folder, name, 'plan.txt'), [...plan(null, state), '---', ...plan(state, null), ''].join('\n'))
    })
  }

  it('reads back as the tunnel that it was rendered from', () => {
    fc.assert(fc.property(linkConfig, (config) => {
      const canonical = canonicalTunnel({ interface_name: 'gre-a-1', link: { is_up: true, config }, saved: null })?.link?.config
      assert.deepEqual(readSystemdUnit('gre-a-1', renderSystemdUnit('gre-a-1', config)), canonical)
    }), { numRuns: 300 })
  })

  it('is nobody else’s: any other byte makes it a foreign file', () => {
    fc.assert(fc.property(linkConfig, fc.nat(), fc.constantFrom('', 'x', '\n'), (config, at, insert) => {
      const text = renderSystemdUnit('gre-a-1', config)
      const where = at % text.length
      const changed = text.slice(0, where) + insert + text.slice(where + 1)
      if (changed !== text) assert.equal(readSystemdUnit('gre-a-1', changed), null)
    }), { numRuns: 500 })
  })
})
