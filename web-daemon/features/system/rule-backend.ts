// The rule backend of this host and what it supports (reference.md, System; decisions.md, Y2, Y3).
import type { RuleBackendView } from '@panel/shared/api/system.ts'
import type { HostFound, Tools } from '@panel/shared/host/model.ts'
import { featureNotes, ruleFeatures, type RuleBackend } from '@panel/shared/ruleset/backend.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { fromRoot, message, messageFields } from '@panel/shared/messages/message.ts'
import { Refusal } from '../../platform/http/refusal.ts'

export async function probeRuleBackend(request: Reader) {
  const { rule_backend, tools } = await request('host.probe', { parts: ['rule_backend', 'tools'] })
  if (rule_backend && tools) return ruleBackend(rule_backend, tools)
  throw new Refusal('HELPER_UNAVAILABLE', message('panel.helper_silent_abilities'))
}

const IDS: Readonly<Record<RuleBackend, number | null>> = {
  nftables: 10,
  iptables_nft: 20,
  iptables_legacy: 30,
  none: null,
}

const NETFILTER_TOOLS: readonly string[] = [
  'nft',
  'iptables',
  'iptables-restore',
  'ip6tables',
  'ip6tables-restore',
  'conntrack',
]

/** The backend, with how its rules are protected just now. */
export type RuleBackendNow = NonNullable<HostFound['rule_backend']>

/** `found` is the backend that the helper chose when it started; `tools` says whether it still works. */
export function ruleBackend(
  found: RuleBackendNow,
  { backend: { available, version, detail }, tools }: Tools,
): RuleBackendView {
  return {
    active: found.active,
    rule_backend_type_id: IDS[found.active],
    available,
    ...messageFields('reason', fromRoot(found.reason)),
    ...messageFields('detail', detail === '' ? featureNotes(found) : fromRoot(detail)),
    protection: { how: found.protection.how, ...messageFields('reason', fromRoot(found.protection.detail)) },
    fast_path: { is_able: found.fast_path.is_able, ...messageFields('reason', fromRoot(found.fast_path.detail)) },
    version,
    namespace:
      found.active === 'iptables_nft' || found.active === 'iptables_legacy'
        ? 'chains PANEL-* in the tables mangle and nat, of iptables and ip6tables'
        : 'table inet panel',
    features: ruleFeatures(available ? found : { active: 'none', has_ipv6: false }),
    binaries: Object.fromEntries(
      tools.filter(({ name }) => NETFILTER_TOOLS.includes(name)).map(({ name, available: isThere }) => [name, isThere]),
    ),
  }
}
