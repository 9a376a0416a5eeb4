// A check compares one fact of the wanted state with the same fact on the host, and can say what was expected and what
// is there.
import { message, verbatim, type Message } from '../messages/message.ts'
import { line, strict, Type, type Static } from '../schema.ts'

/** `ok` is whether the host holds what was expected; `detail` is a sentence for a person, "" while it is ok. */
export const Check = strict({
  name: Type.String({ pattern: '^[a-z0-9_.]{1,60}$' }),
  ok: Type.Boolean(),
  expected: line(20_000),
  actual: line(20_000),
  detail: line(45_000),
})
export type Check = Static<typeof Check>

/** A fact about a state under a name, as text; an absent value is "none", never left out. */
export interface Fact {
  readonly name: string
  readonly value: string
}

/** Facts that only one side knows are compared with "none". */
export function compareFacts(subject: string, wanted: readonly Fact[], found: readonly Fact[]): Check[] {
  const foundByName = new Map(found.map((fact) => [fact.name, fact.value]))
  const wantedNames = new Set(wanted.map((fact) => fact.name))
  const extra = found.filter((fact) => !wantedNames.has(fact.name)).map(({ name }) => ({ name, value: 'none' }))
  return [...wanted, ...extra].map(({ name, value }) => check(subject, name, value, foundByName.get(name) ?? 'none'))
}

/** The detail of a check as a message, from its text as root answered it; "" while it is ok. */
export function checkMessage({ ok, name, expected, actual, detail }: Check): Message {
  const end = detail.indexOf(`: ${name} should be `)
  return ok || end < 0
    ? verbatim(detail)
    : message('panel.check_differs', { what: detail.slice(0, end), name, expected, actual })
}

function check(subject: string, name: string, expected: string, actual: string): Check {
  const ok = expected === actual
  return { name, ok, expected, actual, detail: ok ? '' : `${subject}: ${name} should be ${expected}, and is ${actual}` }
}

export const failedChecks = (checks: readonly Check[]): Check[] => checks.filter((c) => !c.ok)
