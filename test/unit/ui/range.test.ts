// The time that the charts of a page show, in its address.
import assert from 'node:assert/strict'
import {
  bounded,
  chosenRange,
  historyQuery,
  PRESETS,
  searchOf,
  zoomed,
} from '../../../ui/src/components/chart/range.ts'

/** A minute and some seconds. */
const NOW = Date.parse('2026-03-10T12:00:20Z') / 1000
const at = (text: string): number => Date.parse(text) / 1000
const addressOf = (values: Readonly<Record<string, string>>): URLSearchParams =>
  new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''))

describe('The time range of the charts', () => {
  it('is a day up to the minute that is running, where the address says nothing or nonsense', () => {
    for (const address of ['', 'range=constructor', 'from=2026-03-10T10:00Z', 'from=x&to=y'])
      assert.deepEqual(chosenRange(new URLSearchParams(address), NOW), {
        preset: '24h',
        from: at('2026-03-09T12:01Z'),
        to: at('2026-03-10T12:01Z'),
        resolution: 300,
      })
  })

  it('comes back from its address, a preset as well as one of the own', () => {
    for (const preset of Object.keys(PRESETS) as (keyof typeof PRESETS)[])
      assert.equal(chosenRange(addressOf(searchOf(preset)), NOW).preset, preset)
    const own = { from: at('2026-03-01T00:00Z'), to: at('2026-03-02T06:30Z') }
    const address = addressOf(searchOf(own))
    assert.equal(decodeURIComponent(address.toString()), 'from=2026-03-01T00:00Z&to=2026-03-02T06:30Z')
    assert.deepEqual(chosenRange(address, NOW), { ...own, preset: null, resolution: 300 })
  })

  it('has a few hundred points, whatever its length', () => {
    for (const [preset, long] of Object.entries(PRESETS)) {
      const { resolution } = chosenRange(new URLSearchParams({ range: preset }), NOW)
      assert.ok(long / resolution <= 400, `${preset} has ${long / resolution}`)
    }
  })

  it('asks for an end only where it has one of its own', () => {
    const query = (address: string) => historyQuery(chosenRange(new URLSearchParams(address), NOW))
    assert.deepEqual(query('range=live'), { from: '2026-03-10T11:50Z', resolution_seconds: 60 })
    assert.deepEqual(query('from=2026-03-01T00:00Z&to=2026-03-01T01:00Z'), {
      from: '2026-03-01T00:00Z',
      to: '2026-03-01T01:00Z',
      resolution_seconds: 60,
    })
  })

  it('is of five minutes at the least, of 90 days at the most, and never of the future', () => {
    const short = bounded({ from: NOW - 4000, to: NOW - 3990 }, NOW)
    assert.ok(short.to - short.from >= 300 && short.to - short.from <= 420)
    assert.ok(short.from <= NOW - 4000 && short.to >= NOW - 3990)
    const long = bounded({ from: 0, to: NOW + 9000 }, NOW)
    assert.equal(long.to, at('2026-03-10T12:01Z'))
    assert.ok(Math.abs(long.to - long.from - 90 * 86_400) <= 60)
    assert.equal(chosenRange(new URLSearchParams('from=1970-01-02T00:00Z&to=2100-01-01T00:00Z'), NOW).to, long.to)
  })

  it('is zoomed around its middle, and out no further than now', () => {
    const range = { from: at('2026-03-01T00:00Z'), to: at('2026-03-01T04:00Z') }
    assert.deepEqual(zoomed(range, 0.5, NOW), { from: at('2026-03-01T01:00Z'), to: at('2026-03-01T03:00Z') })
    assert.deepEqual(zoomed(range, 2, NOW), { from: at('2026-02-28T22:00Z'), to: at('2026-03-01T06:00Z') })
    const recent = { from: NOW - 3620, to: NOW - 20 }
    assert.deepEqual(zoomed(recent, 2, NOW), { from: at('2026-03-10T10:00Z'), to: at('2026-03-10T12:01Z') })
  })
})
