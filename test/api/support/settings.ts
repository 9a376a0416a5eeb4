// Words for tests of the settings.
import assert from 'node:assert/strict'
import type {
  ChangeSettingsAnswer,
  SettingEntry,
  SettingsAnswer,
  SettingsSchemaAnswer,
} from '@panel/shared/api/settings.ts'
import type { SettingValues } from '@panel/web-daemon/features/settings/definitions.ts'
import type { Client, Reply } from './client.ts'

/** decisions.md, section 8: every key with its default. */
export const LISTED: Readonly<Record<string, unknown>> = {
  'tunnel.default_type': 10,
  'tunnel.default_key': null,
  'tunnel.default_mtu': 1472,
  'tunnel.default_ttl': 255,
  'tunnel.default_tos': 'inherit',
  'tunnel.default_pmtudisc': false,
  'tunnel.default_csum': false,
  'tunnel.default_seq': false,
  'tunnel.naming_template': 'gre-{side}-{number}',
  'tunnel.side_labels': { a: 'a', b: 'b' },
  'tunnel.default_persistence': 10,
  'tunnel.auto_mtu_from_underlay': true,
  'addressing.default_pool_id': null,
  'addressing.default_prefix_len': 30,
  'addressing.allow_public_ranges': false,
  'addressing.check_route_overlap': true,
  'keepalive.enabled_by_default': true,
  'keepalive.interval_seconds': 1,
  'keepalive.packet_size': 56,
  'keepalive.mode': 'monitor_only',
  'monitor.enabled': true,
  'monitor.interval_seconds': 1,
  'monitor.timeout_seconds': 2,
  'monitor.packet_size': 56,
  'monitor.window_size': 60,
  'monitor.degraded_loss_pct': 20,
  'monitor.down_loss_pct': 100,
  'monitor.degraded_rtt_ms': null,
  'monitor.state_change_samples': 3,
  'monitor.aggregate_interval_seconds': 60,
  'monitor.history_retention_days': 30,
  'monitor.tcp_knock_enabled': true,
  'diagnostics.manual_ping_count': 100,
  'diagnostics.manual_ping_interval': 0.1,
  'diagnostics.manual_ping_timeout': 1,
  'diagnostics.manual_ping_max_count': 10000,
  'diagnostics.mtu_probe_min': 1200,
  'diagnostics.mtu_probe_max': 1500,
  'metrics.sample_interval_seconds': 1,
  'metrics.history_points': 300,
  'metrics.hide_loopback': true,
  'metrics.hide_pseudo_filesystems': true,
  'metrics.disk_warn_pct': 85,
  'metrics.disk_critical_pct': 95,
  'metrics.prometheus_enabled': false,
  'metrics.prometheus_rules': 'all',
  'routes.default_nat_mode': 10,
  'routes.default_protocol': 10,
  'routes.default_clamp_mss': true,
  'routes.counter_interval_seconds': 1,
  'routes.conntrack_interval_seconds': 5,
  'routes.aggregate_interval_seconds': 60,
  'routes.history_retention_days': 30,
  'routes.fast_path': 'off',
  'routes.auto_enable_ip_forward': true,
  'routes.dns_servers': [],
  'routes.warn_conntrack_usage_percent': 80,
  'display.language': 'en',
  'display.theme': 'system',
  'display.throughput_unit': 'bytes',
  'display.volume_unit': 'bytes',
  'display.binary_units': true,
  'display.digits': 'latin',
  'display.calendar': 'gregorian',
  'display.server_name': '',
  'display.server_colour': 'blue',
  'display.first_hour': true,
  'security.token_ttl_minutes': 60,
  'security.refresh_ttl_days': 30,
  'security.login_rate_limit_per_minute': 5,
  'security.login_lockout_minutes': 15,
  'security.allowed_origins': [],
  'system.reconcile_interval_seconds': 300,
  'system.audit_retention_days': 90,
  'system.revisions_kept': 50,
  'system.auto_reapply_on_drift': false,
  'system.self_heal': 'off',
  'system.safe_apply_mode': 'risky',
  'system.safe_apply_confirm_by': 'operator',
  'system.safe_apply_seconds': 60,
  'system.ruleset_protection': 'auto',
  'system.ignored_interfaces': [],
  'webhooks.allow_private': false,
  'webhooks.sign_in_failures': 5,
  'backup.interval': 'off',
  'backup.to_directory': true,
  'backup.kept': 14,
}

/** decisions.md, section 8: the bounds it gives. */
export const BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  'tunnel.default_mtu': [576, 9216],
  'tunnel.default_ttl': [0, 255],
  'addressing.default_prefix_len': [30, 127],
  'keepalive.interval_seconds': [0.2, 3600],
  'keepalive.packet_size': [0, 65507],
  'monitor.interval_seconds': [0.2, 3600],
  'monitor.timeout_seconds': [0.1, 3600],
  'monitor.packet_size': [16, 65507],
  'monitor.window_size': [1, 10000],
  'monitor.state_change_samples': [1, 100],
  'metrics.sample_interval_seconds': [0.2, 600],
  'metrics.history_points': [10, 100000],
  'security.token_ttl_minutes': [1, 43200],
  'security.refresh_ttl_days': [1, 3650],
  'system.reconcile_interval_seconds': [10, 86400],
}

export const getSettings = (client: Client): Promise<Reply<SettingsAnswer>> => client.get('/settings')
export const getSchema = (client: Client): Promise<Reply<SettingsSchemaAnswer>> => client.get('/settings/schema')
export const putSettings = (client: Client, body: object): Promise<Reply<ChangeSettingsAnswer>> =>
  client.put('/settings', body)
export const resetSettings = (client: Client, body?: object): Promise<Reply<ChangeSettingsAnswer>> =>
  client.post('/settings/reset', body)

/** Sets what must not be refused. */
export async function set(client: Client, values: Partial<SettingValues>): Promise<ChangeSettingsAnswer> {
  const { status, body, text } = await putSettings(client, values)
  assert.equal(status, 200, text)
  return body
}

export async function valueOf(client: Client, key: string): Promise<unknown> {
  return (await getSettings(client)).body.settings[key]
}

export async function entryOf(client: Client, key: string): Promise<SettingEntry> {
  const entry = (await getSchema(client)).body.settings.find((one) => one.key === key)
  assert.ok(entry, key)
  return entry
}

/** 422 with one message per key and nothing changed of what nobody had set. */
export async function refused(client: Client, reply: Reply<unknown>): Promise<Record<string, string>> {
  assert.equal(reply.status, 422, reply.text)
  const { code, field, message, details } = reply.error
  assert.equal(code, 'VALIDATION_FAILED')
  assert.equal(field, Object.keys(details)[0])
  assert.match(message, /^[A-Z]/)
  const { fields, ...byKey } = details as Record<string, unknown>
  const reported = fields as { field: string; message: string; message_id: string }[]
  assert.deepEqual(Object.fromEntries(reported.map((one) => [one.field, one.message])), byKey)
  assert.ok(reported.every(({ message_id }) => message_id !== ''))
  for (const sentence of Object.values(byKey)) assert.match(String(sentence), /^[A-Z].*\.$/)
  assert.deepEqual((await getSettings(client)).body.settings, LISTED)
  return byKey as Record<string, string>
}
