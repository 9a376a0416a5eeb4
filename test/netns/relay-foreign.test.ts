// Firewalls of other software that drop what a rule relays: its health, the list, the component of the rules, the incident
// and the notification say so soon after, with what lets it through, and nothing of it once the firewall is gone.
import assert from 'node:assert/strict'
import type { RouteAnalysis } from '@panel/shared/api/analysis.ts'
import type { AttentionAnswer } from '@panel/shared/api/incidents.ts'
import type { ListRoutesAnswer, RouteItem } from '@panel/shared/api/routes/answers.ts'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import type { RuleBackend } from '@panel/shared/ruleset/backend.ts'
import { casesOf } from '../support/counts.ts'
import { eventually } from '../support/eventually.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE] = SERVERS
const DOOR: Place = { protocol: 'tcp', address: RELAY, port: 1001 }

/** The chains that ufw makes, as far as forwarded packets meet them, with its default for routed ones. */
const UFW = `*filter
:INPUT ACCEPT [0:0]
:FORWARD DROP [0:0]
:OUTPUT ACCEPT [0:0]
:ufw-after-forward - [0:0]
:ufw-after-logging-forward - [0:0]
:ufw-before-forward - [0:0]
:ufw-before-logging-forward - [0:0]
:ufw-reject-forward - [0:0]
:ufw-track-forward - [0:0]
:ufw-user-forward - [0:0]
-A FORWARD -j ufw-before-logging-forward
-A FORWARD -j ufw-before-forward
-A FORWARD -j ufw-after-forward
-A FORWARD -j ufw-after-logging-forward
-A FORWARD -j ufw-reject-forward
-A FORWARD -j ufw-track-forward
-A ufw-after-logging-forward -m limit --limit 3/min --limit-burst 10 -j LOG --log-prefix "[UFW BLOCK] "
-A ufw-before-forward -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A ufw-before-forward -p icmp -m icmp --icmp-type 3 -j ACCEPT
-A ufw-before-forward -p icmp -m icmp --icmp-type 8 -j ACCEPT
-A ufw-before-forward -j ufw-user-forward
COMMIT
`
const NO_UFW = '*filter\n:INPUT ACCEPT\n:FORWARD ACCEPT\n:OUTPUT ACCEPT\nCOMMIT\n'
const SYSTEM_FILTER = '*filter\n:FORWARD DROP\n-A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n'

interface Firewall {
  readonly title: string
  readonly up: (relay: RelayRig['relay']) => void
  readonly down: (relay: RelayRig['relay']) => void
  /** What the sentences name as its remedy. */
  readonly remedy: RegExp
}

const restoring = (variant: 'nft' | 'legacy', text: string) => (relay: RelayRig['relay']) =>
  void relay.run(`iptables-${variant}-restore`, [], text)
const policy = (variant: 'nft' | 'legacy', verdict: string) => (relay: RelayRig['relay']) =>
  void relay.run(`iptables-${variant}`, ['-P', 'FORWARD', verdict])
/** A rule alone: a restore would take along what a backend of iptables has in the same table. */
const privateSources = (operation: '-A' | '-D') => (relay: RelayRig['relay']) =>
  void relay.run('iptables-nft', [
    '-t',
    'mangle',
    operation,
    'PREROUTING',
    ...'-s 10.9.0.0/16 ! -i lo -j DROP'.split(' '),
  ])
const table = (rules: string) => (relay: RelayRig['relay']) =>
  void relay.nft(
    `table inet theirs {\n chain forward { type filter hook forward priority 0; policy drop;\n${rules}\n }\n}\n`,
  )
const noTable = (relay: RelayRig['relay']): void => void relay.run('nft', ['delete', 'table', 'inet', 'theirs'])

const DROPPING: readonly Firewall[] = [
  {
    title: 'iptables-nft -P FORWARD DROP',
    up: policy('nft', 'DROP'),
    down: policy('nft', 'ACCEPT'),
    remedy: /iptables -I FORWARD -p tcp -d 10\.9\.0\.2 --dport 80 -j ACCEPT/,
  },
  {
    title: 'iptables-legacy -P FORWARD DROP',
    up: policy('legacy', 'DROP'),
    down: policy('legacy', 'ACCEPT'),
    remedy: /iptables-legacy -I FORWARD -p tcp -d 10\.9\.0\.2 --dport 80 -j ACCEPT/,
  },
  {
    title: 'the rules of ufw by iptables-nft',
    up: restoring('nft', UFW),
    down: restoring('nft', NO_UFW),
    remedy: /ufw route allow proto tcp to 10\.9\.0\.2 port 80/,
  },
  {
    title: 'the rules of ufw by iptables-legacy',
    up: restoring('legacy', UFW),
    down: restoring('legacy', NO_UFW),
    remedy: /ufw route allow proto tcp to 10\.9\.0\.2 port 80/,
  },
  {
    title: 'a chain of nft with the policy drop that lets replies through',
    up: table('  ct state established,related accept'),
    down: noTable,
    remedy: /nft insert rule inet theirs forward ip daddr 10\.9\.0\.2 tcp dport 80 accept/,
  },
  {
    title: 'a map of states in a chain of nft with the policy drop',
    up: table('  ct state vmap { established : accept, related : accept, invalid : drop }'),
    down: noTable,
    remedy: /nft insert rule inet theirs forward ip daddr 10\.9\.0\.2 tcp dport 80 accept/,
  },
  {
    title: 'a drop of private sources ahead of the translation, which are those of replies',
    up: privateSources('-A'),
    down: privateSources('-D'),
    remedy: /iptables -t mangle -I PREROUTING -p tcp -s 10\.9\.0\.2 --sport 80 -j ACCEPT/,
  },
]

/** They let through what the rule relays, or nobody can know whether they do. */
const PASSING: readonly Omit<Firewall, 'remedy'>[] = [
  {
    title: 'a chain with the policy drop that accepts translated connections, as firewalld has it',
    up: table('  ct state established,related accept\n  ct status dnat accept'),
    down: noTable,
  },
  {
    title: 'iptables-legacy with the policy DROP and rules that accept what the rule relays',
    up: restoring(
      'legacy',
      `${SYSTEM_FILTER}-A FORWARD -d ${ONE}/32 -o far0 -p tcp -m tcp --dport 80 -j ACCEPT\nCOMMIT\n`,
    ),
    down: restoring('legacy', NO_UFW),
  },
  {
    title: 'iptables-legacy with a drop whose condition cannot be read',
    up: restoring(
      'legacy',
      `${NO_UFW.replace('COMMIT\n', '')}-A FORWARD -m statistic --mode random --probability 0.001 -j DROP\nCOMMIT\n`,
    ),
    down: restoring('legacy', NO_UFW),
  },
  {
    title: 'iptables-legacy with a drop of something else',
    up: restoring(
      'legacy',
      `${NO_UFW.replace('COMMIT\n', '')}-A FORWARD -p udp -m multiport --dports 80,443 -j DROP\nCOMMIT\n`,
    ),
    down: restoring('legacy', NO_UFW),
  },
]

for (const backend of ['nftables', 'iptables_nft', 'iptables_legacy'] as const satisfies RuleBackend[])
  describe(`A firewall of other software beside rules by ${backend}`, function () {
    const rig = new RelayRig({ PANEL_RULE_BACKEND: backend })
    let panel: ReturnType<RelayRig['panel']>
    let id: number
    before(async () => {
      await rig.open()
      panel = rig.panel()
      await rig.servers.calls.listen({ protocol: 'tcp', address: ONE, port: 80 })
      const made = await api<{ route: { route_rule_id: number } }>('POST', '/routes', {
        bind_address: RELAY,
        bind_port: 1001,
        destination_address: ONE,
        destination_port: 80,
      })
      id = made.route.route_rule_id
      await panel.watch()
      // Its first pass is no news, and neither is what the kernel notes of its own tables.
      for (const variant of ['nft', 'legacy'] as const) restoring(variant, NO_UFW)(rig.relay)
      await until('the first pass', async () => (await component()) === 'ok')
    })
    after(() => rig.close())

    async function api<B>(method: string, path: string, body?: unknown): Promise<B> {
      const reply = await panel.request(method, path, body)
      assert.ok([200, 201].includes(reply.status), `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
      return reply.body as B
    }
    const until = (what: string, is: () => Promise<boolean>): Promise<void> => eventually(is, what, { pause_ms: 50 })
    const health = async () => (await api<RouteItem>('GET', `/routes/${id}`)).health
    const rules = async () =>
      (await api<HealthAnswer>('GET', '/system/health')).components.find(({ name }) => name === 'rules')
    const component = async () => (await rules())?.status
    const analysis = () => api<RouteAnalysis>('POST', `/routes/${id}/diagnostics/analyze`)
    const relays = async () => (await rig.client.calls.talk(DOOR)) !== null

    for (const { title, up, down, remedy } of casesOf(backend, DROPPING))
      it(`is found where it drops for certain: ${title}`, async () => {
        assert.equal(await relays(), true)
        await panel.healths()
        up(rig.relay)
        try {
          await until('the component', async () => (await component()) === 'error')
          assert.equal(await relays(), false)
          const [event] = await panel.healths()
          const incidents = (await api<AttentionAnswer>('GET', '/reconcile/attention')).incidents
          const [item] = (await api<ListRoutesAnswer>('GET', '/routes')).routes
          const { verdict, summary, confidence, suggested_fix } = await analysis()
          assert.deepEqual([verdict, confidence], ['FORWARD_BLOCKED', 'high'])
          assert.match(suggested_fix[0] ?? '', remedy)
          const { detail, causes } = await health()
          const withRemedy = [(await rules())?.detail, event?.detail]
          for (const output of [detail, item?.health.detail, incidents[0]?.reason, ...withRemedy])
            assert.ok(output?.includes(summary), output)
          const remedies = [causes[0], item?.health.causes[0], incidents[0]].map((one) => one?.remedies[0]?.text)
          for (const output of [...withRemedy, ...remedies]) assert.match(output ?? '', remedy)
          assert.deepEqual([item?.health.state, event?.to, event?.severity], ['impaired', 'impaired', 'down'])
        } finally {
          down(rig.relay)
        }
        await until('the end', async () => (await component()) === 'ok')
        assert.deepEqual([(await health()).state, await relays()], ['healthy', true])
      })

    for (const { title, up, down } of casesOf(backend, PASSING))
      it(`is no alarm where it lets through or is not known to drop: ${title}`, async () => {
        up(rig.relay)
        try {
          const { verdict, evidence } = await analysis()
          const read = evidence.find(({ name }) => name === 'foreign_rules')
          const isRead = read?.data['readable'] === true || read?.detail
          assert.deepEqual(
            [await relays(), (await health()).state, verdict, isRead],
            [true, 'healthy', 'HEALTHY', true],
          )
        } finally {
          down(rig.relay)
        }
      })
  })
