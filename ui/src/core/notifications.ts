// Whether this browser sends notifications: chosen by the operator, stored in the browser.
import { base_path } from './panel.ts'

const KEY = `${base_path}notifications`
/** Incidents that were notified and still last, so that no other tab shows them again. */
const NOTIFIED = `${base_path}notified`

/** Why they cannot be had here, if so. */
export type NotifyBlocker = 'insecure' | 'unsupported' | 'blocked'

export const notifyBlocker = (): NotifyBlocker | null => {
  if (!isSecureContext) return 'insecure'
  if (!('Notification' in window)) return 'unsupported'
  return Notification.permission === 'denied' ? 'blocked' : null
}

export const isNotifying = (): boolean =>
  localStorage.getItem(KEY) === 'on' && notifyBlocker() === null && Notification.permission === 'granted'

export const storeNotifying = (isOn: boolean): void =>
  isOn ? localStorage.setItem(KEY, 'on') : [KEY, NOTIFIED].forEach((key) => localStorage.removeItem(key))

export const readNotified = (): string[] => JSON.parse(localStorage.getItem(NOTIFIED) ?? '[]') as string[]
export const storeNotified = (keys: readonly string[]): void => localStorage.setItem(NOTIFIED, JSON.stringify(keys))
