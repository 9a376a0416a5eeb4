// The audit entries of requests that are part of another one: each has the entry that it would have had by itself.
import type { Logger } from 'pino'
import type { AuditAction } from '@panel/shared/api/audit/actions.ts'
import type { TSchema } from '@panel/shared/schema.ts'
import type { AuditNote } from '../../platform/audit-note.ts'
import type { CommandContext } from '../../platform/context.ts'
import type { Incoming } from '../../platform/http/endpoint.ts'
import type { Refusal } from '../../platform/http/refusal.ts'
import type { Body } from '../../platform/http/validate.ts'
import { recordPanelAction } from './record.ts'
import { redact } from './redact.ts'

export interface Part {
  readonly audit: AuditAction
  readonly body: Body
  readonly schema: TSchema | undefined
}

export interface PartEnded {
  readonly note: AuditNote
  readonly refusal: Refusal | null
  readonly duration_ms: number
}

interface Whole {
  readonly context: Pick<CommandContext, 'db' | 'now'>
  readonly incoming: Pick<Incoming<unknown>, 'session' | 'client_ip' | 'request_id'>
  readonly logger: Logger
}

/** If it cannot be written, the log says so, and the change stands. */
export async function recordPart({ context, incoming, logger }: Whole, part: Part, ended: PartEnded): Promise<void> {
  const { session, client_ip, request_id } = incoming
  const on = { by: session, client_ip, request_id, request: redact(part.body, part.schema) }
  await recordPanelAction(context, { action: part.audit, ...ended, on }).catch((err: unknown) =>
    logger.error({ request_id, err }, 'no audit entry could be written'),
  )
}
