// A line of a chain as the kernel tells it: of a rule with allowed sources, at a port of its own.
import { attribute, nest, text, u32be } from '@panel/root-helper/netlink/attributes.ts'
import type { Message } from '@panel/root-helper/netlink/message.ts'

const expression = (name: string, ...data: Buffer[]): Buffer => nest(1, text(1, name), nest(2, ...data))
export const FAMILY = [
  expression('meta', u32be(1, 1), u32be(2, 15)),
  expression('cmp', u32be(1, 1), u32be(2, 0), nest(3, attribute(1, Buffer.from([2])))),
]
export const SOURCE = [
  expression('payload', u32be(1, 1), u32be(2, 1), u32be(3, 12), u32be(4, 4)),
  expression('lookup', text(1, 'from4_17'), u32be(2, 1), u32be(5, 0)),
]
export const LOCAL = [
  expression('fib', u32be(1, 1), u32be(2, 3), u32be(3, 2)),
  expression('cmp', u32be(1, 1), u32be(2, 0), nest(3, attribute(1, Buffer.from([2, 0, 0, 0])))),
]
export const GOTO = [expression('immediate', u32be(1, 0), nest(2, nest(2, u32be(1, 0xffff_fffc), text(2, 'rule_17'))))]
export const NOT_IN = [
  expression('payload', u32be(1, 1), u32be(2, 1), u32be(3, 12), u32be(4, 4)),
  expression('lookup', text(1, 'from4_17'), u32be(2, 1), u32be(5, 1)),
]

export const lineOf = (...expressions: readonly Buffer[]): Message => ({
  type: 0x0a06,
  flags: 0,
  sequence: 1,
  port: 0,
  body: Buffer.concat([Buffer.from([1, 0, 0, 0]), nest(4, ...expressions)]),
})
