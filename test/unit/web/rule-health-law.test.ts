// What holds of the causes of a rule, whatever they are.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { CAUSE_CODES, CAUSES, EFFECTS, HOPS } from '@panel/shared/api/routes/cause-codes.ts'
import { SEVERITIES } from '@panel/shared/api/base/severity.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import { cause, causeView, inOrderOfPath, severityBy, stateBy } from '@panel/web-daemon/features/rule-health/cause.ts'

const someCause = fc
  .tuple(fc.constantFrom(...CAUSE_CODES), fc.constantFrom(...EFFECTS))
  .map(([code, effect]) => cause(code, effect, verbatim(code)))
const someCauses = fc.array(someCause, { maxLength: 6 })
const rank = (severity: (typeof SEVERITIES)[number]): number => SEVERITIES.indexOf(severity)

describe('The causes of a rule', () => {
  it('leave no rule healthy, or ok, that something stops', () => {
    fc.assert(
      fc.property(someCauses, fc.boolean(), (causes, isProven) => {
        fc.pre(causes.some(({ effect }) => effect === 'stops'))
        assert.notEqual(stateBy(causes).state, 'healthy')
        assert.equal(severityBy(causes, isProven), 'down')
      }),
    )
  })

  it('never make it better by one more', () => {
    fc.assert(
      fc.property(someCauses, someCause, fc.boolean(), (causes, more, isProven) =>
        assert.ok(rank(severityBy([...causes, more], isProven)) <= rank(severityBy(causes, isProven))),
      ),
    )
  })

  it('name the one that its state comes from, if it is not healthy', () => {
    fc.assert(
      fc.property(someCauses, (causes) => {
        const { state, headline } = stateBy(causes)
        assert.ok(state === 'healthy' || (headline !== null && causes.includes(headline)))
      }),
    )
  })

  it('are in the order in which a packet meets them, each at its hop, and none is lost', () => {
    fc.assert(
      fc.property(someCauses, (causes) => {
        const hops = inOrderOfPath(causes).map((one) => HOPS.indexOf(causeView(one).hop))
        assert.deepEqual(
          hops,
          causes.map(({ code }) => HOPS.indexOf(CAUSES[code])).sort((a, b) => a - b),
        )
      }),
    )
  })

  it('that only may stop it are no doubt once it is proven', () => {
    const doubt = [cause('FOREIGN_MAY_DROP', 'may_stop', verbatim('It may.'))]
    assert.deepEqual([severityBy(doubt, false), severityBy(doubt, true)], ['unknown', 'ok'])
  })
})
