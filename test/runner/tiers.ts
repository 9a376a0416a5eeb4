// The tiers: what each proves is in test/README.md; here is what it needs to run and beside what it may run.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { whyNot } from '../vm/lab/index.ts'

export interface Tier {
  readonly name: string
  /** Why this tier cannot run on this machine, or null. */
  readonly missing: () => string | null | Promise<string | null>
  /**
   * `whole`: one process, and no other tier of this kind beside it. `shares`: its files have no port, file or global in
   * common, so that two processes may run a part each. `files`: a process for each, since each has a machine of its
   * own. `alone`: once everything else is over, since a browser and an emulated machine together want a host with
   * nothing else to do.
   */
  readonly runs: 'whole' | 'shares' | 'files' | 'alone'
}

const isRoot = process.getuid?.() === 0
const nothing = (): null => null

function needs(...tools: string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const absent = tools.filter((tool) => !folders.some((folder) => existsSync(join(folder, tool))))
  return absent.length === 0 ? null : `it needs ${absent.join(', ')}`
}

export const TIERS: readonly Tier[] = [
  { name: 'vm', runs: 'files', missing: async () => (await whyNot()) ?? null },
  { name: 'story', runs: 'alone', missing: async () => (await whyNot()) ?? needs('chromium') },
  { name: 'architecture', runs: 'whole', missing: nothing },
  { name: 'unit', runs: 'shares', missing: nothing },
  { name: 'golden', runs: 'whole', missing: nothing },
  { name: 'contract', runs: 'whole', missing: nothing },
  { name: 'api', runs: 'shares', missing: nothing },
  {
    name: 'netns',
    runs: 'whole',
    missing: () => (isRoot ? needs('ip', 'nft', 'iptables', 'unshare') : 'it needs root, to make network namespaces'),
  },
  { name: 'node', runs: 'whole', missing: nothing },
  { name: 'ui', runs: 'whole', missing: () => needs('chromium') },
  {
    name: 'package',
    runs: 'whole',
    missing: () => needs('dpkg-buildpackage', 'dh', 'lintian', 'man', 'prometheus', 'promtool'),
  },
]
