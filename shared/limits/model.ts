// What root allows on this host: /etc/tunnel-panel/limits.conf, which no request can write.
import { integer, line, strict, Type, U32_MAX, type Static } from '../schema.ts'
import { ELEMENTS_MAX } from '../ruleset/elements.ts'
import { ROUTE_RULE_ID_MAX } from '../ruleset/model.ts'
import { DeviceName } from '../tunnel/observed.ts'

export const ENTRIES_MAX = 1000
/** The most that each number can be. */
export const MOST = {
  tunnel_public_addresses: U32_MAX,
  tunnel_public_subnets: U32_MAX,
  tunnel_addresses: U32_MAX,
  tunnel_subnets: U32_MAX,
  tunnels: 4096,
  rules: ROUTE_RULE_ID_MAX,
  elements: ELEMENTS_MAX,
  rule_pairs: U32_MAX,
} as const
const Entries = Type.Array(Type.String({ pattern: '^[!-~]{1,100}$' }), { maxItems: ENTRIES_MAX })

/**
 * The last entry of a list that matches decides; one that begins with "!" takes out what those before it matched. Sums
 * are over all tunnels, or all rules, of the panel.
 */
export const Limits = strict({
  /** Networks that tunnels may draw to this host: addresses of theirs, and the networks these stand in. */
  tunnel_networks: Entries,
  /** Networks behind tunnels that may be wider than a /16 (IPv6: /48), up to all of the internet. */
  wide_networks: Entries,
  /** IPv4 addresses outside of `tunnel_networks`. */
  tunnel_public_addresses: integer(0, MOST.tunnel_public_addresses),
  /** The same of IPv6, in networks of /64. */
  tunnel_public_subnets: integer(0, MOST.tunnel_public_subnets),
  /** IPv4 addresses in all networks of tunnels. */
  tunnel_addresses: integer(0, MOST.tunnel_addresses),
  /** The same of IPv6, in networks of /64. */
  tunnel_subnets: integer(0, MOST.tunnel_subnets),
  tunnels: integer(0, MOST.tunnels),
  /** Names, with * for any characters, that no new tunnel gets. */
  reserved_names: Entries,
  /** Ports, ranges of ports, and "sshd" and "panel" for those that these listen on or are configured for. */
  protected_ports: Entries,
  /** Networks that no rule leads to; "sshd" and "panel" for their ports on addresses of this host. */
  forbidden_destinations: Entries,
  /** Firewall marks as value/mask: bits of the mask are free, the others are those of the value. */
  marks: Entries,
  rules: integer(0, MOST.rules),
  /** How much all rules may take in the table (ruleset/elements.ts). */
  elements: integer(0, MOST.elements),
  /** Allowed sources of one rule times its destinations. */
  rule_pairs: integer(0, MOST.rule_pairs),
})
export type Limits = Static<typeof Limits>

/** What one tunnel draws to this host of what lies outside of `tunnel_networks`: IPv4 addresses, and networks of /64. */
export const Drawn = strict({
  interface_name: DeviceName,
  public_addresses: integer(0, Number.MAX_SAFE_INTEGER),
  public_subnets: integer(0, Number.MAX_SAFE_INTEGER),
})
export type Drawn = Static<typeof Drawn>

/** What is used up of each sum, and the tunnels that draw public addresses. */
export const LimitsUsed = strict({
  tunnel_public_addresses: integer(0, Number.MAX_SAFE_INTEGER),
  tunnel_public_subnets: integer(0, Number.MAX_SAFE_INTEGER),
  tunnel_addresses: integer(0, Number.MAX_SAFE_INTEGER),
  tunnel_subnets: integer(0, Number.MAX_SAFE_INTEGER),
  tunnels: integer(0, 1e6),
  rules: integer(0, 1e6),
  elements: integer(0, Number.MAX_SAFE_INTEGER),
  drawn: Type.Array(Drawn),
})
export type LimitsUsed = Static<typeof LimitsUsed>
export type Sum = Exclude<keyof LimitsUsed, 'drawn'>

export const LimitsFound = strict({
  path: line(4096),
  /** What is wrong with the file; "" where nothing is. Meanwhile `limits` are the defaults, and nothing is allowed. */
  fault: line(500),
  limits: Limits,
  /** The ports that sshd and the panel are configured for, whether they listen now or not. */
  own_ports: strict({ sshd: Type.Array(integer(1, 65_535)), panel: Type.Array(integer(1, 65_535)) }),
  name_servers: Type.Array(line(100)),
})
export type LimitsFound = Static<typeof LimitsFound>

const DOCUMENTATION = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20']

/**
 * What is nobody's on the open internet, and names that other software gives its links. Those of network cards are no
 * tunnel's at all (tunnel/names.ts).
 */
export const DEFAULT_LIMITS: Limits = {
  tunnel_networks: [
    ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15', 'fc00::/7'],
    ...DOCUMENTATION,
  ],
  wide_networks: [],
  tunnel_public_addresses: 64,
  tunnel_public_subnets: 4,
  tunnel_addresses: 1_048_576,
  tunnel_subnets: 65_536,
  tunnels: MOST.tunnels,
  reserved_names: [
    ...['wg*', 'docker*', 'br-*', 'br[0-9]*', 'virbr*', 'vmbr*', 'tailscale*', 'zt*', 'cni*'],
    ...['flannel*', 'cali*', 'cilium*', 'veth*', 'ip_vti*', 'lxc*', 'podman*', 'tun[0-9]', 'tun[0-9][0-9]'],
    ...['tap[0-9]', 'tap[0-9][0-9]', 'ppp[0-9]', 'ppp[0-9][0-9]', 'lan', 'lan[0-9]', 'wan', 'wan[0-9]', '*.*'],
  ],
  protected_ports: ['sshd', 'panel'],
  forbidden_destinations: [
    ...['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4', '100.100.100.200/32', '168.63.129.16/32'],
    ...['::/128', 'fe80::/10', 'ff00::/8', '::ffff:0:0/96', 'fd00:ec2::254/128', 'sshd', 'panel'],
  ],
  marks: ['0x00000000/0x0000ffff'],
  rules: 20_000,
  elements: ELEMENTS_MAX,
  rule_pairs: 8192,
}
