// Whether the journal reads what this process writes to stderr.
import { fstatSync } from 'node:fs'
import { isOfJournal } from '@panel/shared/syslog.ts'

export const isReadByJournal = (): boolean => isOfJournal(process.env['JOURNAL_STREAM'], fstatSync(process.stderr.fd))
