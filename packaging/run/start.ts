// npm start: both daemons, from what was built, until a signal comes or the process that started this ends.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Daemons } from './daemons.ts'
import { helper, layOut, sayWhatIsMissing, sayWhereStateIs, web } from './here.ts'

layOut(join(fileURLToPath(import.meta.url), '../../../.build/bundle'))
const daemons = new Daemons()
await daemons.start(helper())
await sayWhatIsMissing()
sayWhereStateIs()
await daemons.start(web())
await daemons.untilStopped()
