// Each folder of tunnels/ is a state and the text that follows from it: the files that boot reads, and the plan as a
// person reads it.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { canonicalTunnel } from '@panel/shared/tunnel/canonical.ts'
import { FILE_KINDS, type FileKind, type SavedFile, type TunnelState } from '@panel/shared/tunnel/model.ts'
import { describe as describeStep } from '@panel/shared/tunnel/describe.ts'
import { planTunnel } from '@panel/shared/tunnel/plan.ts'
import { READ } from '@panel/shared/tunnel/read-saved-file.ts'
import { savedFileName, parseFileName, renderFile } from '@panel/shared/tunnel/saved-file.ts'
import { tunnelState } from '../support/random-states.ts'
import { sameAsFile } from './golden.ts'

const folder = join(import.meta.dirname, 'tunnels')

const NAME = 'gre-a-1'
const anyTunnel = tunnelState.filter((state) => state !== null)

const GOLDEN: Record<FileKind, string> = { systemd_unit: 'unit.service', systemd_keepalive_unit: 'keepalive.service', networkd_netdev: 'link.netdev', networkd_network: 'link.network' }

const filesOf = ({ saved }: TunnelState): SavedFile[] =>
  FILE_KINDS.flatMap((file) => (saved?.[file]?.config ? [{ file, is_enabled: saved[file].is_enabled, config: saved[file].config } as SavedFile] : []))

/** What the kernel changes in place. */
const withOtherHeader = (state: TunnelState): TunnelState => ({ ...state, link: state.link && { ...state.link, config: { ...state.link.config, ttl: 9, ikey: 12, okey: null, has_output_checksum: true, mtu: 1300 } } })

describe('The text that follows from a tunnel', () => {
  for (const name of readdirSync(folder)) {
    it(`is right for ${name.replaceAll('-', ' ')}`, () => {
      const state = canonicalTunnel(JSON.parse(readFileSync(join(folder, name, 'state.json'), 'utf8')) as TunnelState)
      assert.ok(state && filesOf(state).length > 0)
      for (const saved of filesOf(state)) sameAsFile(join(folder, name, GOLDEN[saved.file]), renderFile(state.interface_name, saved))
      const plan = (before: TunnelState | null, after: TunnelState | null) => planTunnel(before, after).steps.map((step) => describeStep(step).description.message)
      sameAsFile(join(folder, name, 'plan.txt'), [...plan(null, state), '---', ...plan(state, null), '---', ...plan(state, withOtherHeader(state)), ''].join('\n'))
    })
  }

  it('reads back as the tunnel that it was rendered from, whatever the file', () => {
    fc.assert(fc.property(anyTunnel, (state) => {
      for (const saved of filesOf(state)) {
        assert.deepEqual(READ[saved.file](NAME, renderFile(NAME, saved), saved.is_enabled), state.saved?.[saved.file])
      }
    }), { numRuns: 300 })
  })

  it('is nobody else’s: any other byte makes it a foreign file', () => {
    fc.assert(fc.property(anyTunnel, fc.nat(), fc.constantFrom('', 'x', '\n'), (state, at, insert) => {
      for (const saved of filesOf(state)) {
        const text = renderFile(NAME, saved)
        const where = at % text.length
        const changed = text.slice(0, where) + insert + text.slice(where + 1)
        if (changed !== text) assert.equal(READ[saved.file](NAME, changed, saved.is_enabled), null)
      }
    }), { numRuns: 500 })
  })

  it('is nobody else’s where its first line spells a figure otherwise, which the rest then still follows from', () => {
    const state = JSON.parse(readFileSync(join(folder, 'a-GRE-tunnel-of-networkd-that-is-down', 'state.json'), 'utf8')) as TunnelState
    const netdev = state.saved?.networkd_netdev
    assert.ok(netdev)
    const text = renderFile(NAME, { file: 'networkd_netdev', is_enabled: netdev.is_enabled, config: { ...netdev.config, tos: '0x00' } })
    assert.ok(READ.networkd_netdev(NAME, text, true))
    for (const spelt of ['000', '0x0', '0', '']) assert.equal(READ.networkd_netdev(NAME, text.replace('"tos":"0x00"', `"tos":"${spelt}"`), true), null, spelt)
  })

  it('stands in a file whose name tells whose and of which kind it is', () => {
    for (const file of FILE_KINDS) {
      for (const name of ['a', 'gre-a-1', 'x.network', 'x.service', '10-tunnel-panel']) assert.deepEqual(parseFileName(savedFileName(file, name)), { kind: file, interface_name: name })
    }
    for (const name of ['ssh.service', 'tunnel-panel-link-.service', '10-tunnel-panel-a/b.netdev', '20-tunnel-panel-a.netdev', 'tunnel-panel-link-0123456789abcdef.service']) assert.equal(parseFileName(name), null)
  })
})
