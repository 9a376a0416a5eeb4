// What others take away again and again: as a part of the panel's health, and how its pauses are forgotten.
import type { HealResetAnswer } from '@panel/shared/api/base/heal.ts'
import { message, sentences, messageFields } from '@panel/shared/messages/message.ts'
import type { Heals } from '../../change/heal.ts'
import type { StoreContext } from '../../platform/context.ts'
import type { Component } from '../../platform/health.ts'
import { ok, type Answer } from '../../platform/http/endpoint.ts'

/** Null where nothing is contested. */
export function healComponent(heals: Heals): Component | null {
  const contested = heals.contested()
  const [first] = contested
  if (!first) return null
  return {
    name: 'heal',
    status: 'degraded',
    detail: message('heal.component', {
      count: contested.length,
      detail: sentences(heals.contest(first.noun, first.id)),
    }),
  }
}

export const resetHeals =
  (heals: Heals) =>
  async ({ publish, note }: StoreContext): Promise<Answer<HealResetAnswer>> => {
    const reset = heals.reset()
    note.operation(`pauses of ${reset} tunnels and relay rules forgotten`)
    publish('heal.reset', {})
    return ok({ reset, ...messageFields('note', message('heal.reset')) })
  }
