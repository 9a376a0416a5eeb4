// The root helper: the only process of the panel that can change the host.
import type { Socket } from 'node:net'
import { watchdogPeriodMs } from '@panel/shared/host/watchdog.ts'
import { readConfig } from './config.ts'
import { realDeps, startHelper } from './helper.ts'
import { finishBursts } from './kernel/files/bursts.ts'
import { isReadByJournal } from './kernel/host/journal-stream.ts'
import { notePeer } from './kernel/host/own-access.ts'
import { withConfigFile } from './kernel/files/config-file.ts'
import { log, logToJournal } from './log.ts'
import { native } from './native/index.ts'
import { messageOf } from './text.ts'

const STOPS_WITHIN_MS = 10_000

/** Credentials of the peer, from the kernel: they show in the log whether it was the panel, and who the panel is. */
function describePeer(socket: Socket): Record<string, unknown> {
  const { fd } = (socket as Socket & { _handle: { fd: number } })._handle
  const peer = native.peerCredentials(fd)
  notePeer(peer.uid)
  return { ...peer }
}

/** A change under way is finished and answered. One that takes longer is put back by the helper that starts next. */
function stop(stopping: AbortController): void {
  native.sdNotify('STOPPING=1')
  stopping.abort()
  setTimeout(() => process.exit(0), STOPS_WITHIN_MS)
}

async function main(): Promise<void> {
  if (isReadByJournal()) logToJournal()
  const config = readConfig(await withConfigFile(process.env))
  const stopping = new AbortController()
  const server = await startHelper(await realDeps(config), config, describePeer, stopping.signal)
  server.once('close', () => void finishBursts().then(() => process.exit(0)))
  log('info', 'listening', { socket: config.socketPath, unit_dir: config.unitDir, state_dir: config.stateDir })
  native.sdNotify('READY=1')
  const period = watchdogPeriodMs(process.env, process.pid)
  if (period !== null) setInterval(() => native.sdNotify('WATCHDOG=1'), period).unref()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop(stopping))
}

main().catch((error: unknown) => {
  log('error', 'The helper cannot start', { detail: messageOf(error) })
  process.exit(1)
})
