// What every part of a draft reads, and where it adds problems and warnings.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { WarningCode } from '@panel/shared/api/base/codes.ts'
import { kindOfType } from '@panel/shared/api/base/lookups.ts'
import { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import type { Allowed } from '@panel/shared/limits/judge.ts'
import type { LinkKind } from '@panel/shared/tunnel/model.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../../platform/context.ts'
import type { Problems } from '../../../platform/http/problems.ts'
import { asMessage } from '../../../platform/http/refusal.ts'
import { allPools, type PoolRecord } from '../../pools/store.ts'
import type { SettingsReader } from '../../../platform/settings.ts'
import { factsWithout, hostFacts, type HostFacts } from '../facts.ts'
import type { TunnelRecord } from '../record.ts'
import { existingTunnels, type ExistingTunnel } from '../store.ts'

/** Without the fields that the schema refused, required ones included. */
export type RequestedTunnel = Partial<CreateTunnelBody>

export interface DraftContext {
  readonly settings: SettingsReader
  readonly body: RequestedTunnel
  /** Null if the type was refused: checks that depend on it are skipped. */
  readonly kind: LinkKind | null
  readonly problems: Problems
  readonly warnings: Warning[]
  readonly facts: HostFacts
  /** The tunnel to change, which is neither in `existing` nor in `facts`; null for a new one. */
  readonly stored: TunnelRecord | null
  /** It is created without any address. */
  readonly hasNoAddresses?: boolean
  readonly existing: readonly ExistingTunnel[]
  readonly pools: readonly PoolRecord[]
}

/** The order of the schema decides which problem comes first. */
export const FIELD_ORDER: readonly string[] = Object.keys(CreateTunnelBody.properties)

interface DraftOrigin {
  readonly stored?: TunnelRecord | null
  readonly withLinkKinds?: boolean
  /** Passed if they are known already. */
  readonly facts?: HostFacts
}

export async function makeDraftContext(
  { db, request, settings }: Pick<ReadContext, 'db' | 'request' | 'settings'>,
  body: RequestedTunnel,
  problems: Problems,
  { stored = null, withLinkKinds = false, facts: given }: DraftOrigin = {},
): Promise<DraftContext> {
  const facts =
    given ??
    (await hostFacts(request, withLinkKinds).catch((away: unknown) => {
      // An invalid body is refused even if the helper is away.
      problems.throwIfAny(FIELD_ORDER)
      throw away
    }))
  const known = { settings, facts, existing: await existingTunnels(db), pools: await allPools(db) }
  return assembleDraft(known, body, problems, stored)
}

/** `known`: the tunnel to change may be among it. */
export function assembleDraft(
  known: Pick<DraftContext, 'settings' | 'facts' | 'existing' | 'pools'>,
  body: RequestedTunnel,
  problems: Problems,
  stored: TunnelRecord | null,
): DraftContext {
  const { settings } = known
  const kind = problems.has('tunnel_type_id')
    ? null
    : kindOfType(body.tunnel_type_id ?? settings.get('tunnel.default_type'))
  const facts = stored ? factsWithout(known.facts, stored.interface_name) : known.facts
  const existing = known.existing.filter(({ tunnel_id }) => tunnel_id !== stored?.tunnel_id)
  return { ...known, body, kind, problems, warnings: [], facts, stored, existing }
}

/** Adds why root refuses a value on this host, where nothing else is wrong with the field. */
export function addLimit(
  { facts: { limits }, problems }: DraftContext,
  field: string,
  why: ((allowed: Allowed) => Message | null) | null,
): void {
  const limit = limits && why?.(limits)
  if (limit && !problems.has(field)) problems.add(field, 'BEYOND_LIMITS', limit)
}

export function warn(draft: DraftContext, code: WarningCode, field: string, message: Message): void {
  draft.warnings.push({ code, ...asMessage(message), field })
}
