// The stored runs: list, show, and delete, which cancels an active one first (reference.md, Diagnostics; decisions.md,
// D9, W15).
import {
  type DeleteRunAnswer,
  DIAGNOSTIC_TYPES,
  type DiagnosticRun,
  type DiagnosticType,
  type ListRunsAnswer,
} from '@panel/shared/api/diagnostics.ts'
import { RUNS_PAGE } from '@panel/shared/api/queries.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { StoreContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { idIn } from '../tunnels/get.ts'
import type { Runs } from './runs.ts'
import { deleteRun, findRun, findRuns, type RunFilter } from './store.ts'

export function listRuns(runs: Runs) {
  return async ({ db }: ReadContext, { query }: Incoming): Promise<Answer<ListRunsAnswer>> => {
    await runs.ready()
    const paging = parsePaging(query, RUNS_PAGE)
    const answer: ListRunsAnswer = { ...(await findRuns(db, parseFilter(query), paging)), ...paging }
    return ok(answer)
  }
}

export function getRun(runs: Runs) {
  return async ({ db }: ReadContext, { params }: Incoming): Promise<Answer<DiagnosticRun>> => {
    await runs.ready()
    const run = await findRun(db, idIn(params))
    if (!run) throw noSuchRun(idIn(params))
    return ok(run)
  }
}

export function removeRun(runs: Runs) {
  return async ({ db, note }: StoreContext, { params }: Incoming): Promise<Answer<DeleteRunAnswer>> => {
    await runs.ready()
    const diagnostic_run_id = idIn(params)
    if (!(await findRun(db, diagnostic_run_id))) throw noSuchRun(diagnostic_run_id)
    note.target('diagnostic_run', diagnostic_run_id)
    const cancelled = await runs.cancel(diagnostic_run_id)
    await deleteRun(db, diagnostic_run_id)
    const answer: DeleteRunAnswer = { diagnostic_run_id, cancelled }
    return ok(answer)
  }
}

const parseFilter = ({ tunnel_id = '', type = '' }: Incoming['query']): RunFilter => ({
  ...(tunnel_id !== '' && { tunnel_id: Number(tunnel_id) }),
  ...(type !== '' && { diagnostic_type_id: DIAGNOSTIC_TYPES[type as DiagnosticType] }),
})

const noSuchRun = (id: number): Refusal => new Refusal('NOT_FOUND', message('diagnostics.no_run', { run: id }))
