// What the operator chose of a list, kept in this browser.
import { base_path } from '../../core/panel.ts'

const keyOf = (what: string, list: string): string => `${base_path}${what}:${list}`

export const kept = <T>(what: string, list: string, otherwise: T): T => {
  const text = localStorage.getItem(keyOf(what, list))
  return text === null ? otherwise : (JSON.parse(text) as T)
}

export const keep = (what: string, list: string, value: unknown): void =>
  localStorage.setItem(keyOf(what, list), JSON.stringify(value))
