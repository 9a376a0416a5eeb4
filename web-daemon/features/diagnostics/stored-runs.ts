// The stored runs: list, show, and delete, which cancels an active one first (reference.md, Diagnostics; decisions.md,
// D9, W15).
import {
  type DeleteRunAnswer,
  DIAGNOSTIC_TYPES,
  type DiagnosticRun,
  type ListRunsAnswer,
} from '@panel/shared/api/diagnostics.ts'
import { RUNS_PAGE } from '@panel/shared/api/queries.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { StoreContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { wrongParameter } from '../../platform/http/wrong-parameter.ts'
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

function parseFilter({ tunnel_id = '', type = '' }: Incoming['query']): RunFilter {
  if (!/^\d{0,15}$/.test(tunnel_id))
    throw wrongParameter('tunnel_id', message('panel.filter_whole', { field: 'tunnel_id' }))
  const types: Readonly<Record<string, number>> = DIAGNOSTIC_TYPES
  const type_id = Object.hasOwn(types, type) ? types[type] : undefined
  if (type !== '' && type_id === undefined)
    throw wrongParameter(
      'type',
      message('panel.filter_choice', { field: 'type', options: Object.keys(types).join(', ') }),
      {
        known: Object.keys(types),
      },
    )
  return {
    ...(tunnel_id !== '' && { tunnel_id: Number(tunnel_id) }),
    ...(type_id !== undefined && { diagnostic_type_id: type_id }),
  }
}

const noSuchRun = (id: number): Refusal => new Refusal('NOT_FOUND', message('diagnostics.no_run', { run: id }))
