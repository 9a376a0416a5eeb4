// Every text of every answer is either data, whatever the operator's language, or a sentence that the page can say in
// that language: then it has its id and parameters beside it.
import assert from 'node:assert/strict'
import type { TSchema } from '@panel/shared/schema.ts'
import { startPanel, type TestPanel } from './support/panel.ts'

/** Names, addresses, keys and the like. A new field of text belongs here, or gets a twin (`sentence` in errors.ts). */
const DATA = `
  action actions actual address address_a address_b address_in_subnet address_pool_title addresses api_base_path
  arch argv backend base_path bind bind_address bind_address_interface bind_device bind_host bind_interface chain changed cidr client_ip
  commands commit content csrf_token data_dir database_path date default_route_devices desired destination
  destination_address device display_name endpoints enum_values errno error expected field files_absent files_kept
  files_removed filesystem fingerprint fix_commands flags foreign_files foreign_managers from hostname ignored_interfaces interface
  interface_name directory file_name json_shape key kind label leftover_units local_endpoint lookup_table manager managers marker
  message_id missing_jumps monitor_target mount_point name name_substitution namespace networkd_dir node_version
  gateway come go source_address
  observed oper_state operation os path pattern payload peer_address present_text protocol release remote_endpoint remote_hostname
  request_id restart_required route_rule_title rule_text snat_address snat_address_interface socket_path source subject subnet sysctl_path
  systemd_dir table tags tunnels_not_up target target_name target_type text title tos traffic_class tunnel_type underlay_device
  heal.last_by acknowledged.by silenced.by host_changes.by
  webhooks.sender webhooks.recipient answer.sender answer.recipient answer.secret deliveries.event_id
  unit unit_path units_taken_over unmodelled username version web_path window_id
  answer.description allowed_sources.description pools.description route.description routes.description
  answer.note tunnel.note tunnels.note network.note networks.note check.host
  network_title own_addresses destinations
  revisions.reason answer.reason items.target_key differs.target_key answer.to answer.digest files.name files.digest
  uri svg recovery_codes last_ip user_agent prefix allowed_networks last_used_ip server_name
`
/** Sentences that stay text alone, and why. */
const KEPT: Readonly<Record<string, string>> = {
  operations: 'the record of what was done, as it was written at the time',
  'settings.description': 'the page has its own words for every setting, by its key',
}
/** Twins by another name than <field>_message or <field>_messages. */
const TWINS: Readonly<Record<string, string>> = {
  error_message: 'error_reason',
  foreign_shadows: 'foreign_shadow_messages',
  identical_on_both_ends: 'identical_messages',
  notes: 'note_messages',
  remediation: 'remediation_messages',
  recreate_reasons: 'recreate_messages',
  suggested_fix: 'fix_messages',
}

type Walked = TSchema & Readonly<Record<string, unknown>>
interface Place {
  readonly path: readonly string[]
  readonly beside: readonly string[]
}

const isText = ({ type, enum: values, const: value, pattern, format }: Walked): boolean =>
  [type].flat().includes('string') && values === undefined && value === undefined && !pattern && !format

/** Whether the sentence of this name has its id and parameters beside it. */
const hasTwin = (name: string, beside: readonly string[]): boolean =>
  [`${name}_message`, `${name}_messages`, TWINS[name] ?? ''].some((twin) => beside.includes(twin)) ||
  (['message', 'description', 'reason'].includes(name) && beside.includes('message_id'))

function texts(schema: unknown, { path, beside }: Place): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = schema as Walked
  const name = path.at(-1) ?? ''
  const found = isText(own) && !hasTwin(name, beside) ? [path.slice(-3).join('.')] : []
  const same = [own['items'], own['anyOf'], own['allOf'], own['additionalProperties'], own['patternProperties']]
  const inside = same.flatMap((one) => Object.values(isSchema(one) ? { one } : (one ?? {})))
  const fields = Object.entries((own['properties'] ?? {}) as Record<string, unknown>)
  return [
    ...found,
    ...inside.flatMap((one) => texts(one, { path, beside })),
    ...fields.flatMap(([field, one]) => texts(one, { path: [...path, field], beside: fields.map(([key]) => key) })),
  ]
}
const isSchema = (one: unknown): boolean => typeof one === 'object' && one !== null && ('type' in one || 'anyOf' in one)

describe('The texts of the answers', () => {
  let panel: TestPanel
  let all: string[]
  before(async () => {
    panel = await startPanel()
    all = panel.endpoints.flatMap((endpoint) =>
      Object.entries({ answer: endpoint.answer, ...('events' in endpoint ? endpoint.events : {}) }).flatMap(
        ([name, schema]) => texts(schema, { path: [name], beside: [] }),
      ),
    )
  })
  after(() => panel.close())

  const endsIn = (path: string, one: string): boolean => `.${path}`.endsWith(`.${one}`)
  const listed = [...DATA.trim().split(/\s+/), ...Object.keys(KEPT)]

  it('are data, or sentences with an id and parameters', () => {
    assert.ok(all.length > 200)
    assert.deepEqual([...new Set(all.filter((path) => !listed.some((one) => endsIn(path, one))))], [])
  })

  it('are those that the lists name', () => {
    assert.deepEqual(
      listed.filter((one) => !all.some((path) => endsIn(path, one))),
      [],
    )
  })
})
