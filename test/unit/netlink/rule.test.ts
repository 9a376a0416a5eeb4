// Routing rules between the kernel's bytes and ours: what is written reads back, and what has more conditions differs
// from one that looks at the mark alone.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { DecodeError, u32 } from '@panel/root-helper/netlink/attributes.ts'
import {
  AF_INET,
  AF_INET6,
  FRA_SUPPRESS_PREFIXLEN,
  FRA_TABLE,
  RTM_DELRULE,
  RTM_NEWLINK,
  RTM_NEWRULE,
} from '@panel/root-helper/netlink/constants.ts'
import type { Message } from '@panel/root-helper/netlink/message.ts'
import { decodeRule, deleteRule, newRule, type NewRule } from '@panel/root-helper/netlink/rule.ts'

const messageOf = (parts: readonly Buffer[], type = RTM_NEWRULE): Message => ({
  type,
  flags: 0,
  sequence: 1,
  port: 0,
  body: Buffer.concat(parts),
})
const U32 = fc.integer({ min: 0, max: 0xffff_ffff })
const rules: fc.Arbitrary<NewRule> = fc.record({
  family: fc.constantFrom(AF_INET, AF_INET6),
  priority: U32,
  protocol: fc.integer({ min: 0, max: 255 }),
  mark: U32,
  mask: U32,
  table: U32,
})
const OURS: NewRule = {
  family: AF_INET,
  priority: 19_995,
  protocol: 84,
  mark: 0x5400_0001,
  mask: 0xff00_ffff,
  table: 0x5400_0001,
}

describe('A routing rule', () => {
  it('reads back as it was written, in both families, and as one that looks at the mark alone', () => {
    fc.assert(
      fc.property(rules, (rule) => {
        assert.deepEqual(decodeRule(messageOf(newRule(rule).parts)), { ...rule, isPlain: true })
      }),
    )
  })

  it('is these bytes by linux/fib_rules.h: struct fib_rule_hdr, then the attributes', () => {
    assert.equal(
      Buffer.concat([...newRule(OURS).parts]).toString('hex'),
      [
        '020000000000000100000000',
        '080006001b4e0000',
        '08000a0001000054',
        '08001000ffff00ff',
        '08000f0001000054',
        '0500150054000000',
      ].join(''),
    )
  })

  it('is removed by all that it was added with', () => {
    const request = deleteRule(OURS)
    assert.equal(request.type, RTM_DELRULE)
    assert.deepEqual(request.parts, newRule(OURS).parts)
  })

  it('is not plain with a source, another action, a flag, a suppressed prefix or an attribute that is not known', () => {
    const parts = newRule(OURS).parts
    const [header = Buffer.alloc(0), ...rest] = parts
    const changed = (at: number, value: number): Buffer[] => {
      const bytes = Buffer.from(header)
      bytes.writeUInt8(value, at)
      return [bytes, ...rest]
    }
    const others = [
      ...[1, 2, 3].map((at) => changed(at, 8)),
      changed(7, 6),
      changed(8, 2),
      [...parts, u32(FRA_SUPPRESS_PREFIXLEN, 0)],
      [...parts, u32(99, 0)],
    ]
    for (const one of others) assert.equal(decodeRule(messageOf(one))?.isPlain, false)
    // The kernel sends the attribute of a rule that suppresses nothing too.
    assert.equal(decodeRule(messageOf([...parts, u32(FRA_SUPPRESS_PREFIXLEN, 0xffff_ffff)]))?.isPlain, true)
  })

  it('has the table of its header where no attribute has one, and is none of another family or message', () => {
    const [header = Buffer.alloc(0)] = newRule(OURS).parts
    const bytes = Buffer.from(header)
    bytes.writeUInt8(254, 4)
    assert.equal(decodeRule(messageOf([bytes]))?.table, 254)
    assert.equal(decodeRule(messageOf([bytes, u32(FRA_TABLE, 300)]))?.table, 300)
    bytes.writeUInt8(7, 0)
    assert.equal(decodeRule(messageOf([bytes])), null)
    assert.throws(() => decodeRule(messageOf([bytes], RTM_NEWLINK)), DecodeError)
    assert.throws(() => decodeRule(messageOf([Buffer.alloc(5)])), DecodeError)
  })
})
