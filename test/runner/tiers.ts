// The tiers: what each proves is in test/README.md; here is what it needs to run and beside what it may run.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { whyNot } from '../vm/lab/index.ts'

export interface Tier {
  readonly name: string
  /** Why this tier cannot run on this machine, or null. */
  readonly missing: () => string | null | Promise<string | null>
  /** Tiers of one lane run one after the other. The lab's machine takes about one processor, so the host's lane has the other. */
  readonly lane: 'host' | 'lab'
  /** Starts once the other lane is over: a browser and an emulated machine together want a host with nothing else to do. */
  readonly isAlone?: true
  /** Its files share no port, file or global, so several processes may run a part of them each. */
  readonly isDivisible?: true
}

const isRoot = process.getuid?.() === 0
const nothing = (): null => null

function needs(...tools: string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const absent = tools.filter((tool) => !folders.some((folder) => existsSync(join(folder, tool))))
  return absent.length === 0 ? null : `it needs ${absent.join(', ')}`
}

export const TIERS: readonly Tier[] = [
  { name: 'vm', lane: 'lab', missing: async () => (await whyNot()) ?? null },
  { name: 'story', lane: 'lab', isAlone: true, missing: async () => (await whyNot()) ?? needs('chromium') },
  { name: 'architecture', lane: 'host', missing: nothing },
  { name: 'unit', lane: 'host', isDivisible: true, missing: nothing },
  { name: 'golden', lane: 'host', missing: nothing },
  { name: 'contract', lane: 'host', missing: nothing },
  { name: 'api', lane: 'host', isDivisible: true, missing: nothing },
  {
    name: 'netns',
    lane: 'host',
    missing: () => (isRoot ? needs('ip', 'nft', 'iptables', 'unshare') : 'it needs root, to make network namespaces'),
  },
  { name: 'ui', lane: 'host', missing: () => needs('chromium') },
  { name: 'package', lane: 'host', missing: () => needs('dpkg-buildpackage', 'dh', 'lintian', 'man') },
]
