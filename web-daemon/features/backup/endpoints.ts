// The endpoints of the section Backup.
import { command, query } from '../../platform/http/endpoint.ts'
import { exportBackup } from './export.ts'
import { foreseeImport, importBackup, type BackupServices } from './import.ts'

const tag = 'backup'
/** decisions.md, W9. */
const LIMIT_BYTES = 8 * 1024 * 1024

export function backupEndpoints(services: BackupServices) {
  return [
    query(
      'GET /backup/export',
      {
        tag,
        summary: 'Settings, pools, tunnels and relay rules as one document, without any secret of the panel.',
      },
      exportBackup,
    ),
    command(
      'POST /backup/import',
      {
        tag,
        summary:
          'Import a backup: each item as by its own endpoint, with the result of each. With dry_run the answer has what would be done, and nothing is done.',
        statuses: [409],
        body_limit_bytes: LIMIT_BYTES,
        gathersProblems: true,
        audit: 'BackupImport',
        foresee: foreseeImport(services),
        isCreating: true,
      },
      importBackup(services),
    ),
  ]
}
