// The web daemon without the refusal to run as root.
import { readConfig } from '@panel/web-daemon/app/config.ts'
import { startDaemon } from '@panel/web-daemon/app/daemon.ts'

const daemon = await startDaemon(readConfig(process.env))
process.once('SIGTERM', () => void daemon.stop('SIGTERM').then(() => process.exit(0)))
