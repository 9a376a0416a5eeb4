// The steps of the first hour and which of them are done, from what the host shows; pure, for tests.

export interface Facts {
  readonly hasGre: boolean
  readonly hasBackend: boolean
  readonly isForwarding: boolean
  /** Whether a tunnel was answered by its other side. */
  readonly isAnswered: boolean
  readonly hasRule: boolean
  /** Whether a rule relayed to its destination and back. */
  readonly isProven: boolean
  readonly isNotified: boolean
  readonly isSaved: boolean
  readonly hasFactor: boolean
}

export type StepName = 'host' | 'tunnel' | 'rule' | 'proof' | 'notify' | 'backup' | 'factor'

export interface Step {
  readonly name: StepName
  readonly isDone: boolean
  /** The first that is not done, and those that need no other before them. */
  readonly isOpen: boolean
}

/** These can be done at any time. */
const ANY_TIME: readonly StepName[] = ['notify', 'backup', 'factor']

/** Without GRE there is no tunnel to make, and rules relay to what the server reaches by itself. */
export function firstSteps(facts: Facts): readonly Step[] {
  const { hasGre, hasBackend, isForwarding, isAnswered, hasRule, isProven, isNotified, isSaved, hasFactor } = facts
  const done: readonly (readonly [StepName, boolean])[] = [
    // The first rule turns forwarding on.
    ['host', hasBackend && (isForwarding || !hasRule)],
    ...(hasGre ? [['tunnel', isAnswered] as const] : []),
    ['rule', hasRule],
    ['proof', isProven],
    ['notify', isNotified],
    ['backup', isSaved],
    ['factor', hasFactor],
  ]
  const current = done.find(([name, isDone]) => !isDone && !ANY_TIME.includes(name))?.[0]
  return done.map(([name, isDone]) => ({
    name,
    isDone,
    isOpen: !isDone && (name === current || ANY_TIME.includes(name)),
  }))
}
