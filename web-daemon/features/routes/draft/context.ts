// What every part of a draft reads, and where it adds problems and warnings.
import type { Family } from '@panel/shared/address/ip.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { WarningCode } from '@panel/shared/api/base/codes.ts'
import { CreateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import type { tunnelNamed } from '@panel/shared/messages/named.ts'
import { isAnswerMark } from '@panel/shared/ruleset/nft/answers.ts'
import type { ReadContext } from '../../../platform/context.ts'
import type { Problems } from '../../../platform/http/problems.ts'
import { asMessage } from '../../../platform/http/refusal.ts'
import { answeredTunnel, nameOfTunnel } from '../../tunnels/store.ts'
import type { SettingsReader } from '../../../platform/settings.ts'
import { resolveNames, type Names } from './names.ts'
import { hostFacts, type HostFacts } from '../facts.ts'
import type { RouteRecord } from '../record.ts'
import { enabledOnPorts, idOfTitle } from '../store.ts'

/** Without the fields that the schema refused, required ones included. */
export type RequestedRoute = Partial<CreateRouteBody>

export interface DraftContext {
  readonly settings: SettingsReader
  readonly body: RequestedRoute
  readonly problems: Problems
  readonly warnings: Warning[]
  readonly facts: HostFacts
  /** The rule to change, which is not among `rulesOnPorts`; null for a new one. */
  readonly stored: RouteRecord | null
  /** Other enabled rules on the same ports, in order. */
  readonly rulesOnPorts: readonly RouteRecord[]
  /** The rule that has the requested title, and the interface of the requested tunnel; null if there is none. */
  readonly titleOwner: number | null
  readonly tunnel: string | null
  readonly panelPorts: () => readonly number[]
  /** A tunnel that is answered through by a mark like the one that was requested. */
  readonly answered?: Parameters<typeof tunnelNamed>[0] | undefined
  /** What each host name among the destinations was resolved to. */
  readonly names: Names
}

/** The order of the schema decides which problem comes first. */
export const FIELD_ORDER: readonly string[] = Object.keys(CreateRouteBody.properties)

interface DraftInput {
  readonly problems: Problems
  readonly panelPorts: () => readonly number[]
  readonly stored?: RouteRecord | null
  /** False where the rule listens as it did. */
  readonly needsListeners?: boolean
  /** Passed if they are known already. */
  readonly facts?: HostFacts
}

export async function makeDraftContext(
  { db, request, settings }: Pick<ReadContext, 'db' | 'request' | 'settings'>,
  body: RequestedRoute,
  { problems, panelPorts, stored = null, needsListeners = true, facts }: DraftInput,
): Promise<DraftContext> {
  const hostFactsNow =
    facts ??
    (await hostFacts(request, needsListeners).catch((away: unknown) => {
      // An invalid body is refused even if the helper is away.
      problems.throwIfAny(FIELD_ORDER)
      throw away
    }))
  const { bind_port: first = 0, bind_port_range_end, route_rule_title: title, tunnel_id } = body
  const near = await enabledOnPorts(db, first, bind_port_range_end ?? first)
  const tunnel = typeof tunnel_id === 'number' ? await nameOfTunnel(db, tunnel_id) : null
  const names = await resolveNames(body, stored, settings)
  return {
    settings,
    body,
    problems,
    warnings: [],
    facts: hostFactsNow,
    stored,
    rulesOnPorts: near.filter(({ route_rule_id }) => route_rule_id !== stored?.route_rule_id),
    titleOwner: title === undefined ? null : await idOfTitle(db, title),
    tunnel,
    panelPorts,
    answered: isAnswerMark(body.fwmark ?? 0) ? await answeredTunnel(db) : undefined,
    names,
  }
}

export function warn(draft: DraftContext, code: WarningCode, field: string, message: Message): void {
  draft.warnings.push({ code, ...asMessage(message), field })
}

export function familyName(family: Family): string {
  return `IPv${family}`
}
