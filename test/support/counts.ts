// How often what is random or endless is repeated: few times with every run of the tests, and the promised number of
// times by `npm run soak`.
import { RULE_BACKENDS, type RuleBackend } from '@panel/shared/ruleset/backend.ts'

interface Repetition {
  /** The number for every run. */
  readonly usual: number
  readonly soak: number
  readonly what: string
  readonly files: readonly string[]
}

export const REPETITIONS = {
  PANEL_FUZZ_REQUESTS: {
    usual: 1000,
    soak: 100_000,
    what: 'requests at random to every operation of the HTTP interface',
    files: ['test/api/fuzz.test.ts'],
  },
  PANEL_TUNNEL_BODIES: {
    usual: 500,
    soak: 10_000,
    what: 'bodies at random for a new tunnel',
    files: ['test/api/tunnels-validation.test.ts'],
  },
  PANEL_DISPATCHED: {
    usual: 5000,
    soak: 100_000,
    what: 'mutated requests to the dispatcher of the helper',
    files: ['test/unit/helper/socket.test.ts'],
  },
  PANEL_COMPOSED: {
    usual: 1000,
    soak: 100_000,
    what: 'requests to root that are composed at random, each judged by the law of the limits',
    files: ['test/unit/laws/limits.test.ts'],
  },
  PANEL_FINGERPRINTS: {
    usual: 25,
    soak: 500,
    what: 'changes at random that another program makes in the table of the relay rules',
    files: ['test/netns/fingerprint.test.ts'],
  },
  PANEL_SOCKET_REQUESTS: {
    usual: 20_000,
    soak: 1_000_000,
    what: 'mutated requests through the socket of the shipped helper, in a network namespace',
    files: ['test/netns/helper-socket.test.ts'],
  },
  PANEL_LAB_REQUESTS: {
    usual: 3000,
    soak: 100_000,
    what: 'mutated requests through the socket of the shipped helper, on a Debian 13 kernel',
    files: ['test/vm/helper-socket.test.ts'],
  },
  PANEL_KILLS: {
    usual: 30,
    soak: 1000,
    what: 'kill -9 of a process that writes to the store',
    files: ['test/unit/web/store-kills.test.ts'],
  },
  PANEL_DIRECT_CHANGES: {
    usual: 100,
    soak: 5000,
    what: 'changes of relay rules at random, by one batch to the kernel beside nft with the text of them',
    files: ['test/netns/direct-commit.test.ts'],
  },
  PANEL_KILL_STRIDE: {
    usual: 6,
    soak: 1,
    what: 'the distance between the statements before which a daemon that notifies is killed',
    files: ['test/api/webhooks-kills-between.test.ts'],
  },
  PANEL_ROTATIONS: {
    usual: 16,
    soak: 100,
    what: 'rotations of the destinations of relay rules under a thousand connections, in a network namespace',
    files: ['test/netns/relay-rotation.test.ts'],
  },
  PANEL_ROTATION_KILLS: {
    usual: 3,
    soak: 100,
    what: 'kill -9 of the web daemon, the helper or both in a rotation, in a network namespace',
    files: ['test/netns/relay-failover-kills.test.ts'],
  },
  PANEL_HEAL_KILLS: {
    usual: 2,
    soak: 100,
    what: 'kill -9 of the web daemon while it puts flushed relay rules back, in a network namespace',
    files: ['test/netns/relay-heal-kills.test.ts'],
  },
  PANEL_FIREWALLS: {
    usual: 25,
    soak: 1000,
    what: 'firewalls at random beside a relay, each with a real packet',
    files: ['test/netns/foreign-random.test.ts'],
  },
  PANEL_NETWORKS: {
    usual: 15,
    soak: 1000,
    what: 'changes at random of networks in a real kernel, beside routes and addresses of others',
    files: ['test/netns/networks-law.test.ts'],
  },
  PANEL_REVISIONS: {
    usual: 4,
    soak: 200,
    what: 'panels at random with changes at random, of which each moment is read back, and one restored',
    files: ['test/api/revisions-laws.test.ts'],
  },
  PANEL_WHOLE_KILLS: {
    usual: 2,
    soak: 99,
    what: 'requests to root at which the web daemon is killed in the middle of a file, or of a restore',
    files: ['test/api/desired-kills.test.ts'],
  },
  PANEL_DESIRED: {
    usual: 3,
    soak: 200,
    what: 'pairs of panels at random, of which one becomes the other by its file',
    files: ['test/api/desired-laws.test.ts'],
  },
  PANEL_FAILING_STARTS: {
    usual: 1,
    soak: 25,
    what: 'starts of the helper in which the first calls of its programs fail, for each backend and each way to fail',
    files: ['test/netns/relay-failing-tools.test.ts'],
  },
  PANEL_TOTALS_CHANGES: {
    usual: 24,
    soak: 100,
    what: 'changes of relay rules under load, after which no byte is lost from any total',
    files: ['test/netns/relay-totals.test.ts'],
  },
  PANEL_IPTABLES_STRIDE: {
    usual: 5,
    soak: 1,
    what: 'the distance between those of the cases tried with nftables that iptables-nft and iptables-legacy repeat',
    files: [
      'test/netns/foreign-tools.test.ts',
      'test/netns/relay-failing-tools.test.ts',
      'test/netns/relay-foreign.test.ts',
      'test/netns/relay-totals.test.ts',
    ],
  },
  PANEL_WINDOW_KILLS: {
    usual: 20,
    soak: 1000,
    what: 'kill -9 of the shipped helper in a window, in a network namespace',
    files: ['test/netns/windows.test.ts'],
  },
  PANEL_WINDOW_CUTS: {
    usual: 0,
    soak: 10,
    what: 'power cuts at any moment of a window, beside the one of its file',
    files: ['test/vm/safe-apply.test.ts'],
  },
  PANEL_POWER_CUTS: {
    usual: 1,
    soak: 10,
    what: 'power cuts of the installed package in the middle of fifty changes',
    files: ['test/vm/package-in-trouble.test.ts'],
  },
} as const satisfies Record<string, Repetition>

/**
 * Cases that do not depend on the backend: returns all of them with nftables, and other ones with each kind of iptables.
 */
export function casesOf<T>(backend: RuleBackend, cases: readonly T[]): T[] {
  const at = RULE_BACKENDS.indexOf(backend)
  const stride = at === 0 ? 1 : repetitions('PANEL_IPTABLES_STRIDE')
  return cases.filter((_, index) => index % stride === at % stride)
}

export type RepetitionName = keyof typeof REPETITIONS

/** How often here: as the environment says, else as usual. */
export function repetitions(name: RepetitionName): number {
  return Number(process.env[name] ?? REPETITIONS[name].usual)
}
