// Figures as the operator wants to read them, by the settings of display.
import assert from 'node:assert/strict'
import { DEFAULT_DISPLAY, formatter, type DisplaySettings } from '../../../ui/src/core/format.ts'

const by = (settings: Partial<DisplaySettings> = {}) => formatter({ ...DEFAULT_DISPLAY, ...settings })

describe('Figures on the page', () => {
  it('count bytes in powers of 1024, or of 1000, or are bits, as is set', () => {
    assert.deepEqual([0, 999, 1023, 1024, 1536, 1048576, 5 * 2 ** 40].map(by().volume), [
      '0\u00a0B',
      '999\u00a0B',
      '1,023\u00a0B',
      '1\u00a0KiB',
      '1.5\u00a0KiB',
      '1\u00a0MiB',
      '5\u00a0TiB',
    ])
    assert.equal(by({ 'display.binary_units': false }).volume(1_500_000), '1.5\u00a0MB')
    assert.equal(by({ 'display.volume_unit': 'bits', 'display.binary_units': false }).volume(125_000), '1\u00a0Mbit')
    assert.equal(
      by({ 'display.throughput_unit': 'bits', 'display.binary_units': false }).rate(125_000),
      '1\u00a0Mbit/s',
    )
    assert.equal(by({ 'display.throughput_unit': 'bits', 'display.binary_units': false }).volume(1000), '1\u00a0kB')
    assert.equal(by({ 'display.volume_unit': 'bits' }).size(1024), '1\u00a0KiB', 'a disk is never told in bits')
  })

  it('have three figures that count', () => {
    assert.deepEqual([0.123, 12.34, 123.4, 5].map(by().milliseconds), [
      '0.12\u00a0ms',
      '12.3\u00a0ms',
      '123\u00a0ms',
      '5\u00a0ms',
    ])
    assert.deepEqual([0, 3.26, 42.5, 100].map(by().percent), ['0\u00a0%', '3.3\u00a0%', '43\u00a0%', '100\u00a0%'])
  })

  it('has the lines of a chart of bytes where its units are round', () => {
    const { byteSteps, rate } = by({ 'display.throughput_unit': 'bits' })
    assert.deepEqual(byteSteps?.slice(10, 13).map(rate), ['8\u00a0Kibit/s', '16\u00a0Kibit/s', '32\u00a0Kibit/s'])
    assert.equal(by({ 'display.binary_units': false }).byteSteps, undefined)
  })

  it('are written in Persian digits and by the Persian calendar where that is set', () => {
    assert.equal(by({ 'display.digits': 'persian' }).number(1234567), '۱٬۲۳۴٬۵۶۷')
    assert.match(by({ 'display.calendar': 'jalali' }).instant('2026-03-21T12:00:00Z'), /1405/)
    assert.match(
      by({ 'display.language': 'fa', 'display.calendar': 'jalali', 'display.digits': 'persian' }).instant(
        '2026-03-21T12:00:00Z',
      ),
      /۱۴۰۵/,
    )
    assert.equal(
      by({ 'display.language': 'fa' }).milliseconds(12),
      '\u206812\u00a0ms\u2069',
      'a figure stays before its unit',
    )
    assert.equal(by({ 'display.language': 'ru' }).milliseconds(12), '12\u00a0мс')
    assert.equal(by({ 'display.language': 'zh-CN' }).percent(50), '50%')
    const { percent, share } = by({ 'display.language': 'fa' })
    assert.deepEqual([percent(50), share(97.891)], ['\u206850٪\u2069', '\u206897.89٪\u2069'])
    assert.match(by({ 'display.language': 'fa' }).instant('2026-03-21T12:00:00Z'), /2026/)
  })

  it('tell ages by the largest unit, and durations by the two largest', () => {
    const now = new Date('2026-01-02T00:00:00Z')
    const ago = (seconds: number): string => by().age(new Date(now.getTime() - seconds * 1000), now)
    assert.deepEqual([0, 1, 59, 60, 3599, 7200, 200_000].map(ago), [
      'now',
      '1 sec. ago',
      '59 sec. ago',
      '1 min. ago',
      '59 min. ago',
      '2 hr. ago',
      '2 days ago',
    ])
    assert.equal(ago(-5), 'now', 'two clocks that differ tell of no future')
    assert.deepEqual([0, 61, 3600, 90_061].map(by().duration), ['0 sec', '1 min 1 sec', '1 hr', '1 day 1 hr'])
  })

  it('writes dates as the region of the browser does, where that speaks the language of the page', () => {
    const at = '2026-11-23T14:05:00Z'
    const day = (...languages: string[]): string => formatter(DEFAULT_DISPLAY, languages).instant(at)
    assert.match(day('de-DE', 'en-GB'), /^23 Nov 2026/)
    assert.match(day('de-DE', 'en-US'), /^Nov 23, 2026/)
    assert.equal(day('de-DE'), day())
  })
})
