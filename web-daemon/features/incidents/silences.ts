// Which notices an incident that is silenced keeps back: those about its subject, and about the rules that it takes down.
import type { ReadDb } from '../../platform/context.ts'
import { destinationsOfRules, incidentKey, openIncidents } from './store.ts'
import { isSilencedAt } from './view.ts'

interface Subject {
  readonly type: string
  readonly id: number | null
  readonly name: string
}

const keyOf = ({ type, id, name }: Subject): string => incidentKey({ kind: type, id, name })

/** Returns until when what is about a subject waits; null if it does not. */
export async function readSilences(db: ReadDb, now: Date): Promise<(subject: Subject) => string | null> {
  const silenced = (await openIncidents(db)).filter((one) => isSilencedAt(one, now))
  const destinations = silenced.length === 0 ? new Map<number, number[]>() : await destinationsOfRules(db)
  const ends = new Map<string, string>()
  const add = (subject: Subject, until: string): void => {
    const key = keyOf(subject)
    if ((ends.get(key) ?? '') < until) ends.set(key, until)
  }
  for (const { kind, subject_id, subject_name, silenced_until, route_rule_ids } of silenced) {
    const until = silenced_until ?? ''
    add({ type: kind, id: subject_id, name: subject_name }, until)
    for (const rule of route_rule_ids) {
      add({ type: 'route', id: rule, name: '' }, until)
      for (const id of destinations.get(rule) ?? []) add({ type: 'destination', id, name: '' }, until)
    }
  }
  return (subject) => ends.get(keyOf(subject)) ?? null
}
