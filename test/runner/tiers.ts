// The tiers: what each proves is in test/README.md; here is what it needs to run and beside what it may run.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { whyNot } from '../vm/lab/index.ts'

export interface Tier {
  readonly name: string
  /** Why this tier cannot run on this machine, or null. */
  readonly missing: () => string | null | Promise<string | null>
  /**
   * Beside what it runs: in the `lab`, where each file has a machine of its own, or on the `host`, beside everything.
   */
  readonly among: 'lab' | 'host'
  /** How many of its files a process takes, at most; all of them where they have something in common. */
  readonly batch?: number
}

const isRoot = process.getuid?.() === 0
const nothing = (): null => null

function needs(...tools: string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const absent = tools.filter((tool) => !folders.some((folder) => existsSync(join(folder, tool))))
  return absent.length === 0 ? null : `it needs ${absent.join(', ')}`
}

/** Those of the host in the order in which they begin: the longest jobs first. */
export const TIERS: readonly Tier[] = [
  { name: 'vm', among: 'lab', batch: 1, missing: async () => (await whyNot()) ?? null },
  { name: 'story', among: 'lab', batch: 1, missing: async () => (await whyNot()) ?? needs('chromium') },
  { name: 'architecture', among: 'host', batch: 1, missing: nothing },
  { name: 'node', among: 'host', missing: nothing },
  {
    name: 'package',
    among: 'host',
    missing: () => needs('dpkg-buildpackage', 'dh', 'lintian', 'man', 'prometheus', 'promtool', 'gpg', 'apt-get'),
  },
  {
    name: 'netns',
    among: 'host',
    batch: 6,
    missing: () => (isRoot ? needs('ip', 'nft', 'iptables', 'unshare') : 'it needs root, to make network namespaces'),
  },
  { name: 'ui', among: 'host', batch: 8, missing: () => needs('chromium') },
  { name: 'api', among: 'host', batch: 42, missing: nothing },
  { name: 'unit', among: 'host', batch: 40, missing: nothing },
  { name: 'golden', among: 'host', missing: nothing },
  { name: 'contract', among: 'host', missing: nothing },
]
