// From probes to a state: thresholds, agreement of several samples, and what is forced at once (decisions.md, S3).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { MONITOR_STATES, type MonitorState } from '@panel/shared/api/base/lookups.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import { classify, type Evidence, type Thresholds, type Verdict } from '@panel/web-daemon/features/monitor/classify.ts'
import { MonitorStateMachine } from '@panel/web-daemon/features/monitor/state-machine.ts'
import { Window } from '@panel/web-daemon/features/monitor/window.ts'

const STANDARD: Thresholds = {
  state_change_samples: 3,
  decided_least: 3,
  degraded_loss_percent: 20,
  down_loss_percent: 100,
  degraded_rtt_ms: null,
}

const seen = (answers: number, lost: number, rtt_ms = 10): Window => {
  const window = new Window(1000)
  for (let i = 1; i <= answers; i++) window.answered(i, rtt_ms * 1000, 0)
  for (let i = 1; i <= lost; i++) window.lost(answers + i)
  return window
}
const verdict = (window: Window, thresholds: Partial<Thresholds> = {}, more: Partial<Evidence> = {}): Verdict =>
  classify({ stats: window, target: '172.17.1.2', detail: '', tcpProbe: null, ...more }, { ...STANDARD, ...thresholds })
const stateOf = (...args: Parameters<typeof verdict>): MonitorState => verdict(...args).state

describe('What the probes say of a tunnel', () => {
  it('is nothing while too few are decided', () => {
    assert.deepEqual([stateOf(seen(2, 0)), stateOf(seen(0, 2)), stateOf(seen(3, 0))], ['Unknown', 'Unknown', 'Up'])
    assert.equal(stateOf(seen(3, 0), { decided_least: 4 }), 'Unknown')
  })

  it('is Down from down_loss_percent on, Degraded from degraded_loss_percent on, and Up below', () => {
    assert.deepEqual(
      [seen(0, 60), seen(1, 59), seen(48, 12), seen(49, 11), seen(60, 0)].map((window) => stateOf(window)),
      ['Down', 'Degraded', 'Degraded', 'Up', 'Up'],
    )
    assert.equal(stateOf(seen(40, 20), { down_loss_percent: 30 }), 'Down')
  })

  it('is Degraded where answers take degraded_rtt_ms or more on average, and that is off unless it is set', () => {
    assert.deepEqual(
      [
        stateOf(seen(60, 0, 5000)),
        stateOf(seen(60, 0, 150), { degraded_rtt_ms: 150 }),
        stateOf(seen(60, 0, 149.9), { degraded_rtt_ms: 150 }),
      ],
      ['Up', 'Degraded', 'Up'],
    )
  })

  it('is Degraded, and says why, where a silent peer answers TCP, and Down where it does not', () => {
    const knocked = (isAlive: boolean): Verdict =>
      verdict(seen(0, 60), {}, { tcpProbe: { isAlive, detail: verbatim('port 22 refuses') } })
    assert.equal(knocked(true).state, 'Degraded')
    assert.match(knocked(true).reason.message, /answers TCP but not ICMP/)
    assert.deepEqual([knocked(false).state, /TCP: port 22/.test(knocked(false).reason.message)], ['Down', true])
  })

  it('is Degraded where a peer that answers TCP loses as many probes as count as down, and Down where it does not', () => {
    const knocked = (isAlive: boolean): Verdict =>
      verdict(seen(40, 20), { down_loss_percent: 30 }, { tcpProbe: { isAlive, detail: verbatim('port 22 is asked') } })
    assert.deepEqual([knocked(true).state, knocked(false).state], ['Degraded', 'Down'])
    for (const { reason } of [knocked(true), knocked(false)])
      assert.match(reason.message, /33\.3 % of the last 60.*TCP: port 22/)
  })

  it('always has a reason, and repeats the words of the kernel or a router', () => {
    fc.assert(
      fc.property(
        fc.nat(80),
        fc.nat(80),
        fc.option(fc.double({ min: 1, max: 100 })),
        (answers, lost, degraded_rtt_ms) => {
          assert.ok(verdict(seen(answers, lost), { degraded_rtt_ms }).reason.message.length > 10)
        },
      ),
    )
    assert.match(
      verdict(seen(0, 60), {}, { detail: 'Network is unreachable' }).reason.message,
      /100 % of the last 60 probes to 172.17.1.2 are lost; the last time: Network is unreachable/,
    )
  })
})

describe('The state of a tunnel', () => {
  const verdictOf = (state: MonitorState): Verdict => ({ state, reason: verbatim(`samples say ${state}`) })
  const samples = (judge: MonitorStateMachine, states: readonly MonitorState[], needed = 3): MonitorState[] =>
    states.map((state, at) => (judge.sample(verdictOf(state), needed, at), judge.state))

  it('changes only after three samples in a row that agree', () => {
    const judge = new MonitorStateMachine(0)
    assert.deepEqual(
      samples(judge, ['Up', 'Up', 'Up', 'Down', 'Down', 'Up', 'Down', 'Down', 'Degraded', 'Down', 'Down', 'Down']),
      ['Unknown', 'Unknown', 'Up', 'Up', 'Up', 'Up', 'Up', 'Up', 'Up', 'Up', 'Up', 'Down'],
    )
    assert.equal(judge.since, 11)
  })

  it('never changes without that many samples of the new state before it, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<MonitorState>('Up', 'Degraded', 'Down', 'Unknown'), { maxLength: 60 }),
        fc.integer({ min: 1, max: 6 }),
        (states, needed) => {
          const judge = new MonitorStateMachine(0)
          for (const [at, state] of states.entries()) {
            const before = judge.state
            const turn = judge.sample(verdictOf(state), needed, at)
            assert.equal(turn !== null, before !== judge.state)
            // Where the probes say nothing in particular they neither agree nor disagree.
            if (turn)
              assert.ok(
                states
                  .slice(0, at + 1)
                  .filter((one) => one !== 'Unknown')
                  .slice(-needed)
                  .every((one) => one === judge.state),
              )
            assert.notEqual(judge.reason.message, '')
          }
        },
      ),
    )
  })

  it('keeps the reason of the newest sample that agrees with it', () => {
    const judge = new MonitorStateMachine(0)
    samples(judge, ['Up', 'Up', 'Up'])
    judge.sample({ state: 'Up', reason: verbatim('now in 20 ms') }, 3, 4)
    judge.sample(verdictOf('Down'), 3, 5)
    assert.equal(judge.reason.message, 'now in 20 ms')
  })

  it('is forced at once, and hears no samples meanwhile', () => {
    const judge = new MonitorStateMachine(0)
    samples(judge, ['Up', 'Up', 'Up'])
    assert.deepEqual(judge.force({ state: 'Down', reason: verbatim('interface_missing') }, 7), {
      from: 'Up',
      to: 'Down',
      reason: verbatim('interface_missing'),
    })
    assert.deepEqual([...samples(judge, ['Up', 'Up', 'Up', 'Up']), judge.since], ['Down', 'Down', 'Down', 'Down', 7])
    assert.equal(judge.force({ state: 'Down', reason: verbatim('interface_missing') }, 8), null)
    assert.deepEqual(judge.force({ state: 'Down', reason: verbatim('admin') }, 8), {
      from: 'Down',
      to: 'Down',
      reason: verbatim('admin'),
    })
  })

  it('is Unknown after Disabled, and stays Down after a link came back until samples agree', () => {
    for (const [forced, after] of [
      ['Disabled', 'Unknown'],
      ['Unknown', 'Unknown'],
      ['Down', 'Down'],
    ] as const) {
      const judge = new MonitorStateMachine(0)
      judge.force({ state: forced, reason: verbatim('forced') }, 1)
      judge.release(2)
      assert.deepEqual([judge.state, ...samples(judge, ['Up', 'Up', 'Up'])], [after, after, after, 'Up'])
      assert.equal(judge.release(3), null)
    }
  })

  it('has the five names and numbers of the lookup', () => {
    assert.deepEqual(MONITOR_STATES, { Unknown: 10, Up: 20, Degraded: 30, Down: 40, Disabled: 50 })
  })
})
