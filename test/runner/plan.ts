// What a run is made of: which files of which tiers, for what this machine does by itself, for everything, for tiers by
// name, for the quick answer and for the soak.
import { REPETITIONS } from '../support/counts.ts'
import { filesOf } from './files.ts'
import { TIERS, type Tier } from './tiers.ts'

export interface Part {
  readonly tier: Tier
  readonly files: readonly string[]
}

/** The quick answer leaves out what starts daemons, waits for real seconds, or is random and long. */
const NOT_QUICK = new RegExp(
  `^test/(api/(${[
    'audit-strangers',
    'auth-sessions',
    'auth-throttle',
    'backup-elsewhere.*',
    'backup-import-whole',
    'backup-round-trip',
    'desired-.*',
    'diagnostics-.*',
    'fuzz',
    'helper-state',
    'impact',
    'limits',
    'listeners-command',
    'listeners-start',
    'metrics',
    'monitor-stream',
    'page',
    'pending',
    'reconcile-watching',
    'reset-password',
    'revisions-laws',
    'routes-watching',
    'safe-apply-processes',
    'serving-daemon',
    'serving',
    'set-aside',
    'settings-effect-.*',
    'stand-in',
    'store',
    'store-disk',
    'streams',
    'tls',
    'tunnels-change-failing',
    'tunnels-persistence',
    'tunnels-validation',
    'webhooks-kills.*',
  ].join('|')})|unit/(${[
    'backup/read',
    'change/engine-laws',
    'helper/streams',
    'helper/unchanged-files',
    'laws/.*',
    'netlink/hostile-bytes',
    'web/store-kills',
    'web/store-unusable',
    'web/tls',
  ].join('|')}))\\.test\\.ts$`,
)
/** Machines take most of the time of all tiers together, and other versions of Node are a large download. */
export const ONLY_WITH_ALL: readonly string[] = ['vm', 'story', 'node']
/**
 * Left to the soak: details of the looks of a page and pages with many rows, another processor, faults at every step,
 * kills, power cuts, laws over random states of a real kernel, and what takes a machine of the lab long.
 */
const SOAKED: Readonly<Record<string, readonly string[]>> = {
  api: ['webhooks-kills', 'webhooks-kills-between'],
  netns: [
    ...['direct-commit', 'fingerprint', 'foreign-law', 'foreign-random', 'relay-docker', 'relay-failing-tools'],
    ...['relay-failover-kills', 'relay-heal-kills', 'relay-rotation', 'relay-scale', 'windows'],
  ],
  ui: [
    ...['glance', 'greyscale', 'history', 'listeners-certificate', 'look', 'look-path', 'look-phone', 'look-questions'],
    ...['look-rtl', 'many-rows', 'many-rules', 'metrics', 'palette', 'range', 'screenshots', 'throughput', 'uptime'],
  ],
  // What is left is the contract of the kernels, each part of the package once, and what no namespace here can show.
  vm: [
    ...[
      'analyze',
      'arm64',
      'backup',
      'boot',
      'conntrack-size',
      'events',
      'far-end-moves',
      'faults',
      'hardware-address',
      'helper-socket',
      'impact',
      'lab',
    ],
    ...[
      'local-endpoint-moves',
      'monitor',
      'networks-power',
      'ownership',
      'package-backup',
      'package-desired',
      'package-in-trouble',
      'package-in-use',
      'package-restarted',
      'pairing',
      'path',
    ],
    ...['persistence', 'reconcile', 'relay', 'safe-apply', 'tunnel-update', 'two-servers'],
  ],
}
const ONLY_SOAKED = new Set(
  Object.entries(SOAKED).flatMap(([tier, names]) => names.map((name) => `test/${tier}/${name}.test.ts`)),
)
const QUICK_TIERS = ['architecture', 'unit', 'golden', 'contract', 'api']

export function plan(words: readonly string[]): Part[] {
  if (words.length === 0) return TIERS.filter(({ name }) => !ONLY_WITH_ALL.includes(name)).map(whole)
  if (words[0] === 'all') return TIERS.map(whole)
  if (words[0] === 'quick') return tiersNamed(QUICK_TIERS).map(whole).map(quick)
  if (words[0] === 'soak') return soak()
  return tiersNamed(words).map(whole)
}

function tiersNamed(names: readonly string[]): Tier[] {
  const unknown = names.filter((name) => !TIERS.some((tier) => tier.name === name))
  if (unknown.length > 0)
    throw new Error(
      `There is no tier ${unknown.join(', ')}; there are ${TIERS.map(({ name }) => name).join(', ')}, and all, quick and soak`,
    )
  return TIERS.filter(({ name }) => names.includes(name))
}

function whole(tier: Tier): Part {
  return { tier, files: filesOf(tier.name).filter((file) => !ONLY_SOAKED.has(file)) }
}

function quick({ tier, files }: Part): Part {
  return { tier, files: files.filter((file) => !NOT_QUICK.test(file)) }
}

/** The files that repeat something, as often as the environment says; a number that is set there already stays. */
function soak(): Part[] {
  // A test repeats for hours.
  process.env['PANEL_TEST_LIMIT_MS'] ??= '0'
  const all = Object.entries(REPETITIONS)
  for (const [name, { soak: count }] of all) process.env[name] ??= String(count)
  const files = new Set([...ONLY_SOAKED, ...all.flatMap(([, repetition]) => [...repetition.files] as string[])])
  return TIERS.map((tier) => ({ tier, files: filesOf(tier.name).filter((file) => files.has(file)) })).filter(
    (part) => part.files.length > 0,
  )
}
