// Whether this browser sends notifications: chosen by the operator, stored in the browser.
import { base_path } from './panel.ts'

const KEY = `${base_path}notifications`
/** Incidents that were notified and still last, so that no other tab tells of them again. */
const TOLD = `${base_path}notified`

/** Why they cannot be had here, if so. */
export type Obstacle = 'insecure' | 'unsupported' | 'blocked'

export const obstacle = (): Obstacle | null => {
  if (!isSecureContext) return 'insecure'
  if (!('Notification' in window)) return 'unsupported'
  return Notification.permission === 'denied' ? 'blocked' : null
}

export const isNotifying = (): boolean =>
  localStorage.getItem(KEY) === 'on' && obstacle() === null && Notification.permission === 'granted'

export const storeNotifying = (isOn: boolean): void =>
  isOn ? localStorage.setItem(KEY, 'on') : [KEY, TOLD].forEach((key) => localStorage.removeItem(key))

export const readTold = (): string[] => JSON.parse(localStorage.getItem(TOLD) ?? '[]') as string[]
export const storeTold = (keys: readonly string[]): void => localStorage.setItem(TOLD, JSON.stringify(keys))
