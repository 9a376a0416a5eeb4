// The names of iptables-legacy's tables, as the kernel has them in /proc.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { legacyTables } from '@panel/root-helper/kernel/nft/kernel-tables.ts'

describe('The tables of iptables-legacy', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'legacy-tables-'))))
  afterEach(() => rmSync(folder, { recursive: true }))

  it('are those that the kernel names, and none where it has no such file', () => {
    writeFileSync(join(folder, 'names'), 'nat\nfilter\n')
    assert.deepEqual(legacyTables(join(folder, 'names')), ['nat', 'filter'])
    assert.deepEqual(legacyTables(join(folder, 'absent')), [])
  })

  it('are a refusal of the kernel where the file cannot be read, as in a user namespace', () => {
    assert.throws(
      () => legacyTables(folder),
      (failure) => failure instanceof KernelError && failure.code === 'EISDIR',
    )
  })
})
