// What settings need of the host: one that is set to something the host cannot carry out warns (decisions.md, S28).
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { kindOfType } from '@panel/shared/api/base/lookups.ts'
import { losing, wouldLose } from '@panel/shared/forwarding/host.ts'
import type { ForwardingFound } from '@panel/shared/forwarding/model.ts'
import type { HostFound } from '@panel/shared/host/model.ts'
import { whyNoSaver, whyNotKept } from '@panel/shared/host/savers.ts'
import { fromRoot, message, type Message } from '@panel/shared/messages/message.ts'
import { kernelRemedy } from '@panel/shared/tunnel/kernel-remedy.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { nullIfHelperAway } from '../../platform/helper/away.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { SETTING_KEYS, type SettingKey, type SettingValues } from './definitions.ts'

type Part = 'helper' | 'link_kinds' | 'rule_backend'
type Host = { readonly [P in Part]: NonNullable<HostFound[P]> } & {
  readonly forwarding: ForwardingFound
  /** Null while probes of the monitor can be sent. */
  readonly whyNoProbes: Message | null
}

/** Why the host cannot carry out this value, and what to do; null if it can. */
type Need<K extends SettingKey> = (value: SettingValues[K], host: Host) => Message | null

const NEEDS: { readonly [K in SettingKey]?: Need<K> } = {
  'tunnel.default_type': (value, { link_kinds }) => {
    const kind = kindOfType(value)
    const found = link_kinds.find((one) => one.kind === kind)
    if (found?.supported) return null
    const detail = found?.detail ? fromRoot(found.detail) : message('tunnel.no_reason')
    const remedy = kernelRemedy([{ kind, detail: found?.detail ?? '' }])
    return message('setting.host_kind', { why: message('tunnel.kind_unsupported', { kind, remedy, detail }) })
  },
  'tunnel.default_persistence': (value, { helper }) => because('setting.host_keeper', whyNotKept(value, helper)),
  'keepalive.mode': (value, { helper }) =>
    value === 'systemd_unit' ? because('setting.host_keepalive', whyNoSaver('systemd', helper)) : null,
  'monitor.enabled': (value, { whyNoProbes }) => (value ? because('setting.host_probes', whyNoProbes) : null),
  'routes.fast_path': (value, { rule_backend: { fast_path } }) =>
    value === 'on' && !fast_path.is_able ? because('setting.host_fast_path', fromRoot(fast_path.detail)) : null,
  'routes.auto_enable_ip_forward': (value, { forwarding }) =>
    value ? because('setting.host_forwarding', whyNotForwarded(forwarding)) : null,
  'system.auto_reapply_on_drift': (value, host) => (value ? whyNoRules(host) : null),
  'system.self_heal': (value, host) => (value === 'off' ? null : whyNoRules(host)),
  'system.ruleset_protection': (value, { rule_backend: { protection } }) => {
    const why = fromRoot(protection.detail)
    return value === 'auto' && NEVER_PROTECTED.has(why.message_id)
      ? message('setting.host_protection', { why, field: 'system.self_heal' })
      : null
  },
}

/** The others pass: protection is off, not there yet, or comes with the next boot. */
const NEVER_PROTECTED: ReadonlySet<string> = new Set([
  'root.protection_kernel',
  'root.protection_failed',
  'root.protection_backend',
])

type Sentence =
  | 'setting.host_keeper'
  | 'setting.host_keepalive'
  | 'setting.host_probes'
  | 'setting.host_fast_path'
  | 'setting.host_forwarding'
  | 'setting.host_rules'

const because = (sentence: Sentence, why: Message | null): Message | null => why && message(sentence, { why })

const whyNoRules = ({ rule_backend: { active, reason } }: Host): Message | null =>
  active === 'none' ? because('setting.host_rules', fromRoot(reason)) : null

function whyNotForwarded(found: ForwardingFound): Message | null {
  if (found.is_foreign_file) return message('root.foreign_file', { file: found.sysctl_path })
  const names = losing(found)
  return names.length > 0 ? wouldLose(names) : null
}

export interface NeedsContext {
  readonly request: Reader
  readonly settings: SettingsReader
}

/** A warning for each of these settings that this host cannot carry out; none while the root helper is away. */
export async function warnOfNeeds(
  { request, settings }: NeedsContext,
  whyNoProbes: () => Message | null,
  keys: readonly SettingKey[] = SETTING_KEYS,
): Promise<Warning[]> {
  const needing = keys.filter((key) => NEEDS[key] !== undefined)
  const host = needing.length === 0 ? null : await readHost(request, whyNoProbes())
  if (!host) return []
  return needing.flatMap((key) => {
    const why = (NEEDS[key] as Need<typeof key> | undefined)?.(settings.get(key) as never, host) ?? null
    return why === null ? [] : [{ code: 'SETTING_NOT_POSSIBLE' as const, ...why, field: key }]
  })
}

async function readHost(request: Reader, whyNoProbes: Message | null): Promise<Host | null> {
  const [found, forwarding] = await Promise.all([
    nullIfHelperAway(request('host.probe', { parts: ['helper', 'link_kinds', 'rule_backend'] })),
    nullIfHelperAway(request('forwarding.probe', {})),
  ])
  if (!found?.helper || !found.link_kinds || !found.rule_backend || !forwarding) return null
  const { helper, link_kinds, rule_backend } = found
  return { helper, link_kinds, rule_backend, forwarding, whyNoProbes }
}
