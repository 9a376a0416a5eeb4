// Makes a daily copy in a thread of its own: a store of gigabytes takes longer than requests may wait.
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'
import { makeDailyCopy } from './daily-copy.ts'
import { errorCode } from './trouble.ts'

/** In the bundle it is the program itself, whose main part runs in the first thread only. */
export const COPY_WORKER = fileURLToPath(import.meta.url)

export interface CopyWork {
  readonly daily_copy_of: string
}

/** "" or the code of the failure. */
export type CopyEnd = string

const isCopyWork = (data: unknown): data is CopyWork =>
  typeof data === 'object' && data !== null && 'daily_copy_of' in data

if (!isMainThread && isCopyWork(workerData)) parentPort?.postMessage(attemptCopy(workerData.daily_copy_of))

/** In this thread. */
export function attemptCopy(path: string): CopyEnd {
  try {
    makeDailyCopy(path)
    return ''
  } catch (failure) {
    return errorCode(failure) || 'ERROR'
  }
}
