// Logs when the store stops working, what to do about it, and when it works again.
import type { Logger } from 'pino'
import { newestCopy } from './check.ts'
import type { Store } from './store.ts'
import type { Trouble } from './trouble.ts'

export function logStoreTrouble({ state, path }: Store, logger: Logger): void {
  const tell = (trouble: Trouble | null, code: string): void => {
    if (!trouble) logger.info({ store: path }, 'the store works again')
    else
      logger.error(
        {
          store: path,
          code,
          reason: trouble.reason,
          ...(trouble.reason === 'damaged' ? { newest_copy: newestCopy(path) } : {}),
        },
        trouble.message,
      )
  }
  // A store that was opened on a full disk is in trouble already.
  if (state.trouble) tell(state.trouble, '')
  state.onChange(tell)
}
