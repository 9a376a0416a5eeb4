// GET /system/capabilities: what this host supports, probed through the root helper (reference.md, System;
// decisions.md, Y2 to Y4).
import type { CapabilitiesAnswer } from '@panel/shared/api/system.ts'
import type { HelperFacts, LinkKindSupport, Tools } from '@panel/shared/host/model.ts'
import type { LinkKind, PersistenceBackend } from '@panel/shared/tunnel/model.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { message, messageFields, fromRoot } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { ruleBackend, type RuleBackendNow } from './rule-backend.ts'

export interface Capabilities {
  readonly helper: HelperFacts
  readonly rule_backend: RuleBackendNow
  readonly link_kinds: readonly LinkKindSupport[]
  readonly tools: Tools
}

export async function probeCapabilities(request: Reader): Promise<Capabilities> {
  const { helper, rule_backend, link_kinds, tools } = await request('host.probe', {
    parts: ['helper', 'rule_backend', 'link_kinds', 'tools'],
  })
  if (helper && rule_backend && link_kinds && tools) return { helper, rule_backend, link_kinds, tools }
  throw new Refusal('HELPER_UNAVAILABLE', message('panel.helper_silent_abilities'))
}

export async function showCapabilities({ request }: ReadContext): Promise<Answer<CapabilitiesAnswer>> {
  return ok(capabilitiesView(await probeCapabilities(request)))
}

/** `complete` is always true: the answer waits for every probe. */
export function capabilitiesView(found: Capabilities): CapabilitiesAnswer {
  return {
    tunnel_types: found.link_kinds.map(tunnelType),
    persistence: persistence(found.helper),
    complete: true,
    rule_backend: ruleBackend(found.rule_backend, found.tools),
    tools: found.tools.tools,
    kernel: { release: found.helper.kernel_release },
  }
}

const TUNNEL_TYPES: Record<LinkKind, { tunnel_type_id: number; title: string }> = {
  gre: { tunnel_type_id: 10, title: 'GRE' },
  gretap: { tunnel_type_id: 20, title: 'GRETAP' },
  ip6gre: { tunnel_type_id: 30, title: 'IP6GRE' },
  ip6gretap: { tunnel_type_id: 40, title: 'IP6GRETAP' },
}

const tunnelType = ({ kind, supported, detail }: LinkKindSupport): CapabilitiesAnswer['tunnel_types'][number] => ({
  ...TUNNEL_TYPES[kind],
  supported,
  link_manager: 'netlink',
  ...messageFields('note', fromRoot(detail)),
})

const persistence = ({ savers }: HelperFacts) => {
  const by = (name: PersistenceBackend) => {
    const saver = savers.find((known) => known.by === name)
    const sentence = saver ? fromRoot(saver.detail) : message('component.keeper_unknown', { name })
    return { available: saver?.available ?? false, ...messageFields('note', sentence) }
  }
  return [
    { persistence_type_id: 10, title: 'Systemd', ...by('systemd') },
    { persistence_type_id: 20, title: 'Networkd', ...by('networkd') },
    {
      persistence_type_id: 30,
      title: 'Runtime',
      available: true,
      ...messageFields('note', message('component.runtime')),
    },
  ]
}
