// Elements of nftables' sets and lines of chains: bytes that the kernel has for them, and the text that our table has.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { foundIntervals, wantedIntervals } from '@panel/root-helper/kernel/nft/intervals.ts'
import { DecodeError, nest, text as encoded, u32be } from '@panel/root-helper/netlink/attributes.ts'
import { encodeBytes, formatElement, elementTypes } from '@panel/root-helper/netlink/nftables/elements.ts'
import { decodeLine } from '@panel/root-helper/netlink/nftables/lines.ts'
import { layOut } from '@panel/shared/ruleset/nft/layout.ts'
import { relayRules } from '../../support/random-rules.ts'
import { FAMILY, GOTO, LOCAL, lineOf, NOT_IN, SOURCE } from './a-line.ts'

describe('the elements of nftables’ sets', () => {
  it('are the same text again, whatever rules they are compiled from', () => {
    fc.assert(
      fc.property(relayRules, (rules) => {
        for (const set of layOut(rules).sets.values()) {
          const { keys, values } = elementTypes(set)
          for (const [key, value] of set.isInterval ? [] : (set.elements ?? [])) {
            assert.equal(formatElement(keys, encodeBytes(keys, key)), key)
            if (values.length > 0 && values.every((type) => type !== 'verdict' && type !== 'counter'))
              assert.equal(formatElement(values, encodeBytes(values, value)), value)
          }
        }
      }),
      { numRuns: 40 },
    )
  })

  it('have each part of a concatenation at a multiple of four bytes, and a mark in the order of the machine', () => {
    assert.deepEqual(
      encodeBytes(['inet_proto', 'ipv4_addr', 'inet_service'], 'udp . 192.0.2.1 . 443'),
      Buffer.from([17, 0, 0, 0, 192, 0, 2, 1, 1, 187, 0, 0]),
    )
    assert.deepEqual(encodeBytes(['mark', 'ct_dir'], '0x50000100 . reply'), Buffer.from([0, 1, 0, 0x50, 1, 0, 0, 0]))
    assert.deepEqual(encodeBytes(['inet_service'], '443'), Buffer.from([1, 187]))
  })

  it('of a type that is not ours, or too short, are a DecodeError', () => {
    assert.throws(() => formatElement(['ether_addr'], Buffer.alloc(6)), DecodeError)
    assert.throws(() => formatElement(['mark'], Buffer.alloc(3)), DecodeError)
  })
})

describe('a line of a chain of ours', () => {
  const text = (...parts: (readonly Buffer[])[]): string => decodeLine(lineOf(...parts.flat()))

  it('is in the words that it was written in; the family is named where no address says it', () => {
    assert.equal(text(FAMILY, SOURCE, LOCAL, GOTO), 'ip saddr @from4_17 fib daddr type local goto rule_17')
    assert.equal(text(FAMILY, LOCAL, GOTO), 'meta nfproto ipv4 fib daddr type local goto rule_17')
    assert.equal(text(), '')
  })

  it('is a DecodeError where anything of it says more or other than that', () => {
    const wrong: Buffer[][] = [
      [...FAMILY, ...NOT_IN, ...GOTO],
      [...SOURCE, ...GOTO],
      [...FAMILY],
      [...LOCAL.slice(1), ...GOTO],
      [nest(1, encoded(1, 'constructor'))],
      [nest(1, encoded(1, 'masq'))],
      [nest(1, encoded(1, 'immediate'), nest(2, u32be(1, 0), u32be(9, 1)))],
    ]
    for (const parts of wrong) assert.throws(() => text(parts), DecodeError)
  })
})

describe('a set of intervals', () => {
  const at = (port: number, isEnd: boolean, value = '') => ({
    key: Buffer.from([port >> 8, port & 0xff]),
    value,
    isEnd,
  })

  it('is the same listed by its elements and by where they begin and end', () => {
    const intervals = wantedIntervals([
      ['1000-1003', 'goto a'],
      ['80', 'goto b'],
      ['65535', 'goto c'],
    ])
    assert.deepEqual(intervals, ['80-80 goto b', '1000-1003 goto a', '65535-65535 goto c'])
    assert.deepEqual(
      foundIntervals([
        at(0, true),
        at(80, false, 'goto b'),
        at(81, true),
        at(1004, true),
        at(1000, false, 'goto a'),
        at(65535, false, 'goto c'),
      ]),
      intervals,
    )
  })

  it('may have an end left out if the next one begins there, or listed beside it', () => {
    const intervals = wantedIntervals([
      ['10-19', 'goto a'],
      ['20-29', 'goto b'],
    ])
    const ends = [at(10, false, 'goto a'), at(20, false, 'goto b'), at(30, true)]
    assert.deepEqual([foundIntervals(ends), foundIntervals([...ends, at(20, true)])], [intervals, intervals])
  })

  it('says networks of both families', () => {
    assert.deepEqual(
      wantedIntervals([
        ['10.0.0.0/8', ''],
        ['::/127', ''],
      ]),
      ['0-1 ', '167772160-184549375 '],
    )
  })
})
