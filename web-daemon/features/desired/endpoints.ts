// The endpoints of the section Desired.
import { command, query } from '../../platform/http/endpoint.ts'
import type { RestoreServices } from '../revisions/restore.ts'
import { applyFile, foreseeFile } from './apply.ts'
import { exportFile, listFiles } from './list.ts'
import { lockFile } from './lock.ts'

const tag = 'desired'
const LIMIT_BYTES = 8 * 1024 * 1024

export const desiredEndpoints = (services: RestoreServices) => [
  query('GET /desired', { tag, summary: 'List the files that were applied, and what was changed since.' }, listFiles),
  query(
    'GET /desired/export',
    { tag, summary: 'Everything as a file, by names. Applied, it changes nothing.' },
    exportFile,
  ),
  command(
    'POST /desired/lock',
    {
      tag,
      summary: 'Have a file alone change its objects, or let them be changed by hand again.',
      statuses: [404],
      audit: 'DesiredLock',
    },
    lockFile,
  ),
  command(
    'POST /desired',
    {
      tag,
      summary:
        'Take the panel to what a file says, as one whole: what a field leaves out has its default, and a second time changes nothing. With dry_run only say what would be done.',
      statuses: [403, 409],
      body_limit_bytes: LIMIT_BYTES,
      gathersProblems: true,
      gathersInside: 'document',
      audit: 'DesiredApply',
      foresee: foreseeFile(services),
    },
    applyFile(services),
  ),
]
