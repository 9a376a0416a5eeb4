// Why the panel cannot start, with what to do: for health, the log, and the one page that is served meanwhile.
import { lstatSync } from 'node:fs'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { Ours } from '@panel/shared/host/model.ts'
import type { KeyUnusableError } from '../features/auth/key.ts'
import { newestCopyIfAny } from '../platform/db/check.ts'
import type { Fault } from '../platform/health.ts'
import { StoreTooNewError, StoreUnreleasedError } from '../platform/db/migrate.ts'
import { errorCode, fileTrouble, StoreUnusableError } from '../platform/db/trouble.ts'

const STOP = 'systemctl stop tunnel-panel-web'
const START = 'systemctl start tunnel-panel-web'

/** The command refuses where there is nothing to set aside. */
const setAside = (path: string): string[] =>
  ['', '-wal', '-shm'].some((end) => lstatSync(`${path}${end}`, { throwIfNoEntry: false }))
    ? ['tunnel-panel set-aside panel.db']
    : []

const commands = (list: readonly string[]): string => list.join(' && ')

const beginAgain = (path: string): Message =>
  message('panel.begin_again', { commands: commands([...setAside(path), 'tunnel-panel open-setup']) })

/** Puts a copy in the place of the store, or begins with an empty one. */
const waysBack = (path: string): Message[] => {
  const copy = newestCopyIfAny(path)
  return [
    copy === null
      ? message('panel.no_copy')
      : message('panel.put_copy_back', {
          copy,
          commands: commands([...setAside(path), STOP, `cp -p ${copy} ${path}`, START]),
        }),
    beginAgain(path),
  ]
}

/** `ours`: what the host holds of the panel, if that was requested. */
export function lostStore(path: string, ours: Ours | null): Fault {
  const held = ours ? [message('panel.host_holds', { tunnel_count: ours.tunnels, rule_count: ours.rules })] : []
  return {
    component: 'database',
    reason: 'lost',
    sentences: [message('panel.store_lost', { path }), ...held, ...waysBack(path)],
  }
}

export function unknownStart(why: Message): Fault {
  const commands = 'systemctl status tunnel-panel-helper'
  const sentence = message('panel.first_start_unknown', { why, commands })
  return { component: 'helper', reason: 'first_start_unknown', sentences: [sentence] }
}

/** A store that cannot be opened, for whatever reason. The failure's own words may quote what the file holds. */
export function storeFault(path: string, failure: unknown): Fault {
  const component = 'database'
  if (failure instanceof StoreTooNewError)
    return { component, reason: 'too_new', sentences: [message('panel.store_too_new'), ...waysBack(path).slice(0, 1)] }
  // A copy beside it is by the same version.
  if (failure instanceof StoreUnreleasedError)
    return { component, reason: 'unreleased', sentences: [message('panel.store_unreleased'), beginAgain(path)] }
  const trouble = failure instanceof StoreUnusableError ? failure.trouble : fileTrouble(failure)
  if (!trouble) {
    const sentence = message('panel.store_unopened', { path, code: errorCode(failure) || 'ERROR' })
    return { component, reason: 'unopened', sentences: [sentence, ...waysBack(path)], failure }
  }
  const { reason, sentence } = trouble
  if (reason === 'damaged' || reason === 'foreign' || reason === 'altered')
    return { component, reason, sentences: [sentence, ...waysBack(path)] }
  if (reason !== 'unreachable') return { component, reason, sentences: [sentence] }
  const commands = `chown tunnel-panel: ${path} && chmod 600 ${path}`
  return { component, reason, sentences: [sentence, message('panel.rights', { path, commands })] }
}

export function keyFault(failure: KeyUnusableError): Fault {
  return { component: 'signing_key', reason: 'signing_key', sentences: failure.sentences }
}
