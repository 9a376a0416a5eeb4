// What an operator does about where the panel listens.
import type { ListenerView } from '@panel/shared/api/listeners.ts'
import { act } from '../../core/act.ts'
import { call } from '../../core/api.ts'
import { t } from '../../core/i18n.svelte.ts'
import { base_path } from '../../core/panel.ts'
import { invalidate } from '../../core/query.svelte.ts'
import { toasts } from '../../core/toasts.svelte.ts'
import { placeOf } from './labels.ts'

const STALE = ['/system/listeners', '/system/health', '/system/info']

/** A listener in the form: the names are those of the API's fields. */
export interface NewListener {
  address: string
  port: number | null
  tls: boolean
  'tls.cert': string
  'tls.key': string
  seconds: number
  force: boolean
}

export const tryListener = async (values: NewListener): Promise<void> => {
  const { address, port, tls, 'tls.cert': cert, 'tls.key': key, seconds, force } = values
  const { listener } = await call('POST /system/listeners', {
    body: { address: address.trim(), port: Number(port), tls: tls ? { cert, key } : null, seconds, force },
  })
  const done = listener.is_in_place ? 'system.listeners.done.tried_again' : 'system.listeners.done.tried'
  toasts.success(t(done, { place: placeOf(listener) }))
  await invalidate(...STALE)
}

export const keepListener = async (trial: ListenerView): Promise<void> => {
  const words = { done: t('system.listeners.done.kept'), failing: t('system.listeners.failing.keep') }
  await act(words, () => call('POST /system/listeners/{id}/keep', { id: trial.listener_id ?? 0 }), { stale: STALE })
}

const remove = (one: ListenerView, done: string, failing: string): Promise<unknown> =>
  act({ done, failing }, () => call('DELETE /system/listeners/{id}', { id: one.listener_id ?? 0 }), { stale: STALE })

export const endTrial = (one: ListenerView): Promise<unknown> =>
  remove(one, t('system.listeners.done.ended'), t('system.listeners.failing.end'))

export const forgetListener = (one: ListenerView): Promise<unknown> =>
  remove(one, t('system.listeners.done.forgotten'), t('system.listeners.failing.forget'))

/**
 * The address at which a browser finds this page over that listener: for a wildcard the one that it is at now will do.
 */
export const addressOf = ({ address, port, is_tls }: ListenerView): string => {
  const host = ['0.0.0.0', '::'].includes(address)
    ? location.hostname
    : address.includes(':')
      ? `[${address}]`
      : address
  return `${is_tls ? 'https' : 'http'}://${host}:${port}${base_path}system`
}
