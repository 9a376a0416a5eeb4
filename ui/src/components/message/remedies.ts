// What an operator can do about a sentence of the API: by its id, the page that it speaks of, or the one request that
// mends it. Pure, for tests.
import type { MessageId } from '@panel/shared/messages/message.ts'

/** Ids of what a sentence is about, and `size`, which one names. */
export type Ids = Readonly<Partial<Record<'tunnel_id' | 'route_rule_id' | 'pool_id' | 'run' | 'size', number>>>

export interface PageRemedy {
  readonly page:
    | 'setting'
    | 'tunnel_form'
    | 'rule_form'
    | 'diagnostics'
    | 'pairing'
    | 'order'
    | 'forwarding'
    | 'drift'
    | 'pools'
    | 'backup'
    | 'system'
    | 'metrics'
  /** Names in braces are ids. */
  readonly to: string
}
export interface RequestRemedy {
  readonly request: RequestName
}
export type Remedy = PageRemedy | RequestRemedy

/** What each needs the id of; send.ts sends it. Its words are remedy.<name>, …_done and …_failing. */
export const REQUESTS = {
  reapply_tunnel: 'tunnel_id',
  enable_tunnel: 'tunnel_id',
  monitor_tunnel: 'tunnel_id',
  reapply_rule: 'route_rule_id',
  enable_rule: 'route_rule_id',
  reapply_rules: null,
  enable_forwarding: null,
  raise_conntrack: 'size',
  stop_run: 'run',
} as const satisfies Record<string, keyof Ids | null>
export type RequestName = keyof typeof REQUESTS

const request = (name: RequestName): RequestRemedy => ({ request: name })
const setting = (key: string): PageRemedy => ({ page: 'setting', to: `/settings?q=${key}` })
const TUNNEL_FORM: PageRemedy = { page: 'tunnel_form', to: '/tunnels/{tunnel_id}/edit' }
const RULE_FORM: PageRemedy = { page: 'rule_form', to: '/routes/{route_rule_id}/edit' }
const DIAGNOSTICS: PageRemedy = { page: 'diagnostics', to: '/tunnels/{tunnel_id}/diagnostics' }
const PAIRING: PageRemedy = { page: 'pairing', to: '/tunnels/{tunnel_id}/pairing' }
const ORDER: PageRemedy = { page: 'order', to: '/routes/order' }
const FORWARDING: PageRemedy = { page: 'forwarding', to: '/forwarding' }
const DRIFT: PageRemedy = { page: 'drift', to: '/reconcile' }
const POOLS: PageRemedy = { page: 'pools', to: '/pools' }
const BACKUP: PageRemedy = { page: 'backup', to: '/backup' }
const SYSTEM: PageRemedy = { page: 'system', to: '/system' }

export const REMEDIES: Readonly<Partial<Record<MessageId, Remedy>>> = {
  'adopt.let_go': DRIFT,
  'attention.certificate_expired': SYSTEM,
  'attention.certificate_soon': SYSTEM,
  'attention.disk_full': { page: 'metrics', to: '/metrics' },
  'attention.drifted': DRIFT,
  'attention.inconsistent': DRIFT,
  'attention.missing': DRIFT,
  'backup.under_way': BACKUP,
  'backup.elsewhere_no_passphrase': BACKUP,
  'backup.elsewhere_nowhere': BACKUP,
  'backup.elsewhere_unreadable': BACKUP,
  'component.rules_differ': request('reapply_rules'),
  'component.rules_not_forwarded': request('reapply_rules'),
  'component.rules_stray': request('reapply_rules'),
  'diagnostics.interface_missing': request('reapply_tunnel'),
  'diagnostics.ping_count': setting('diagnostics.manual_ping_max_count'),
  'diagnostics.run_under_way': request('stop_run'),
  'drift.rule_unknown': request('reapply_rules'),
  'finding.fix_compare_addresses': TUNNEL_FORM,
  'finding.fix_enable': request('enable_tunnel'),
  'finding.fix_keys': TUNNEL_FORM,
  'finding.fix_local': TUNNEL_FORM,
  'finding.fix_mtu': DIAGNOSTICS,
  'finding.fix_pair': PAIRING,
  'finding.fix_reapply': request('reapply_tunnel'),
  'finding.fix_remote': TUNNEL_FORM,
  'forwarding.idle_rules': request('enable_forwarding'),
  'forwarding.not_counted': FORWARDING,
  'forwarding.conntrack_full': FORWARDING,
  'forwarding.size_changed': FORWARDING,
  'forwarding.off': request('enable_forwarding'),
  'forwarding.turn_on': request('enable_forwarding'),
  'health.fix_clamp': RULE_FORM,
  'health.fix_enable': request('enable_rule'),
  'health.fix_forwarding': request('enable_forwarding'),
  'health.fix_table': request('raise_conntrack'),
  'health.fix_order': ORDER,
  'health.fix_other_tunnel': RULE_FORM,
  'health.fix_reapply': request('reapply_rule'),
  'health.fix_older': request('reapply_rule'),
  'health.fix_reapply_stray': request('reapply_rule'),
  'health.fix_tunnel_reapply': request('reapply_tunnel'),
  'health.fix_tunnel_up': request('enable_tunnel'),
  'health.reapply': request('reapply_rule'),
  'monitor.interface_down': request('reapply_tunnel'),
  'monitor.interface_missing': request('reapply_tunnel'),
  'monitor.no_address': TUNNEL_FORM,
  'monitor.no_peer': TUNNEL_FORM,
  'monitor.off': setting('monitor.enabled'),
  'monitor.off_for_tunnel': request('monitor_tunnel'),
  'monitor.peer_family': TUNNEL_FORM,
  'monitor.target_family': TUNNEL_FORM,
  'monitor.too_many_bytes': TUNNEL_FORM,
  'monitor.too_many_packets': TUNNEL_FORM,
  'monitor.tunnel_disabled': request('enable_tunnel'),
  'note.count_connections': FORWARDING,
  'note.forwarding_revertible': FORWARDING,
  'panel.change_stuck': DRIFT,
  'panel.change_unknown': DRIFT,
  'panel.helper_away': SYSTEM,
  'panel.origin_forbidden': setting('security.allowed_origins'),
  'notice.private': setting('webhooks.allow_private'),
  'pool.default_disabled': POOLS,
  'pool.is_default': setting('{field}'),
  'panel.setting_refused': setting('{field}'),
  'root.compare': DRIFT,
  'root.look_at_backend': SYSTEM,
  'root.not_in_chains': request('reapply_rules'),
  'root.not_in_table': request('reapply_rules'),
  'root.reapply_rules': request('reapply_rules'),
  'root.remove_rest': DRIFT,
  'root.set_switches': FORWARDING,
  'tunnel.adoptable': DRIFT,
  'tunnel.no_name_left': setting('tunnel.naming_template'),
  'root.protection_off': setting('system.ruleset_protection'),
  'route.fast_path_off': setting('routes.fast_path'),
  'tunnel.no_pool_enabled': POOLS,
  'tunnel.no_subnet_left': POOLS,
  'tunnel.not_ours': request('reapply_tunnel'),
  'tunnel.unmanaged': DRIFT,
}

/** Pages of what a sentence names, by the message that is the name within it. */
export const OBJECTS: Readonly<Partial<Record<MessageId, string>>> = {
  'object.network': '/networks/{id}/edit',
  'object.pool': '/pools/{id}/edit',
  'object.rule': '/routes/{id}',
  'object.tunnel': '/tunnels/{id}',
  'route.rule_number': '/routes/{route_rule_id}',
}
