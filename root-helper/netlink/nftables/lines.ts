// A line of a chain as the kernel runs it, in the words of our table (shared/ruleset/nft/layout.ts): what a port leads
// to, and what a rule does with a new flow.
// The constant chains have more words than these: their bytes are compared with those seen before
// (kernel/nft/confirmation.ts).
import { Attributes, DecodeError, forEachAttribute } from '../attributes.ts'
import { ipText } from '../bytes.ts'
import type { Message } from '../message.ts'
import { each } from './nftables.ts'
import * as k from './constants.ts'

/** Throws a DecodeError where the line has anything that no line of these has. */
export function decodeLine({ body }: Message): string {
  const line = new Line()
  for (const one of each(new Attributes(body, k.NFGENMSG_BYTES).raw(k.NFTA_RULE_EXPRESSIONS), k.NFTA_LIST_ELEM)) {
    const name = one.text(k.NFTA_EXPR_NAME) ?? ''
    const expression = EXPRESSIONS.get(name)
    if (!expression) throw new DecodeError(`no line of ours has an expression ${name}`)
    const data = one.raw(k.NFTA_EXPR_DATA) ?? Buffer.alloc(0)
    forEachAttribute(data, 0, data.length, (type) => {
      if (!expression.has.includes(type)) throw new DecodeError(`${name} with an attribute ${type}`)
    })
    expression.read(line, new Attributes(data))
  }
  return line.text
}

class Line {
  readonly #tokens: string[] = []
  /** The text of what each register holds. */
  readonly #registers = new Map<number, string>()
  /** 0 until the line has tested it. */
  #family: 0 | 4 | 6 = 0
  /** A test of the family is written out only where no later match on an address implies it. */
  #isFamilyWritten = true

  write(text: string): void {
    if (!this.#isFamilyWritten) this.#tokens.push(`meta nfproto ipv${this.#family}`)
    this.#isFamilyWritten = true
    this.#tokens.push(text)
  }

  set(register: number, what: string): void {
    this.#registers.set(register, what)
  }

  in(register: number): string {
    return this.#registers.get(register) ?? wrong(`register ${register}, which nothing was put into`)
  }

  isOf(bytes: string): void {
    this.#family = bytes === '02' ? 4 : bytes === '0a' ? 6 : wrong(`a family ${bytes}`)
    this.#isFamilyWritten = false
  }

  /** An address is identified by its offset in the packet. */
  address(at: string): string {
    const found = ADDRESSES[`${this.#family} ${at}`] ?? wrong(`bytes ${at} of an IPv${this.#family} packet`)
    this.#isFamilyWritten = true
    return found
  }

  get text(): string {
    if (!this.#isFamilyWritten) wrong('a question for the family alone')
    return this.#tokens.join(' ')
  }
}

const ADDRESSES: Readonly<Record<string, string>> = {
  '4 12 4': 'ip saddr',
  '4 16 4': 'ip daddr',
  '6 8 16': 'ip6 saddr',
  '6 24 16': 'ip6 daddr',
}
const METAS: Readonly<Record<number, string>> = { [k.NFT_META_IIFNAME]: 'iifname', [k.NFT_META_NFPROTO]: 'nfproto' }
const NAME_BYTES = 16

function wrong(what: string): never {
  throw new DecodeError(`a line with ${what}`)
}

const number = (a: Attributes, type: number): number => a.u32be(type) ?? wrong(`no attribute ${type}`)
/** Refuses a kind of an expression that has several. */
const isKind = (a: Attributes, type: number, wanted: number): void =>
  void (number(a, type) === wanted || wrong(`${number(a, type)} for attribute ${type}`))
const valueIn = (data: Attributes | null): Buffer => data?.raw(k.NFTA_DATA_VALUE) ?? wrong('no value')

function compared(line: Line, what: string, value: Buffer): void {
  const bytes = value.toString('hex')
  if (what === 'nfproto') return line.isOf(bytes)
  if (what === 'fib daddr type')
    return line.write(
      value.length === 4 && value.readUInt32LE() === k.RTN_LOCAL ? 'fib daddr type local' : wrong(`fib ${bytes}`),
    )
  if (what === 'iifname')
    return line.write(
      value.length === NAME_BYTES
        ? `iifname "${value.toString('latin1').replace(/\0+$/, '')}"`
        : wrong('a part of a name'),
    )
  if (/^ip6? [sd]addr$/.test(what)) return line.write(`${what} ${ipText(value)}`)
  wrong(`${what} compared`)
}

function verdict(line: Line, found: Attributes): void {
  const code = number(found, k.NFTA_VERDICT_CODE)
  if (code === k.NFT_GOTO >>> 0) line.write(`goto ${found.text(k.NFTA_VERDICT_CHAIN) ?? ''}`)
  else line.write(code === k.NF_DROP ? 'drop' : wrong(`a verdict ${code}`))
}

interface Expression {
  /** Every expression that such a line may contain. */
  readonly has: readonly number[]
  readonly read: (line: Line, a: Attributes) => void
}

const EXPRESSIONS: ReadonlyMap<string, Expression> = new Map(
  Object.entries<Expression>({
    meta: {
      has: [k.NFTA_META_DREG, k.NFTA_META_KEY],
      read: (line, a) =>
        line.set(number(a, k.NFTA_META_DREG), METAS[number(a, k.NFTA_META_KEY)] ?? wrong('meta of another kind')),
    },
    payload: {
      has: [k.NFTA_PAYLOAD_DREG, k.NFTA_PAYLOAD_BASE, k.NFTA_PAYLOAD_OFFSET, k.NFTA_PAYLOAD_LEN],
      read(line, a) {
        isKind(a, k.NFTA_PAYLOAD_BASE, k.NFT_PAYLOAD_NETWORK_HEADER)
        line.set(
          number(a, k.NFTA_PAYLOAD_DREG),
          line.address(`${number(a, k.NFTA_PAYLOAD_OFFSET)} ${number(a, k.NFTA_PAYLOAD_LEN)}`),
        )
      },
    },
    fib: {
      has: [k.NFTA_FIB_DREG, k.NFTA_FIB_RESULT, k.NFTA_FIB_FLAGS],
      read(line, a) {
        isKind(a, k.NFTA_FIB_RESULT, k.NFT_FIB_RESULT_ADDRTYPE)
        isKind(a, k.NFTA_FIB_FLAGS, k.NFTA_FIB_F_DADDR)
        line.set(number(a, k.NFTA_FIB_DREG), 'fib daddr type')
      },
    },
    cmp: {
      has: [k.NFTA_CMP_SREG, k.NFTA_CMP_OP, k.NFTA_CMP_DATA],
      read(line, a) {
        isKind(a, k.NFTA_CMP_OP, k.NFT_CMP_EQ)
        compared(line, line.in(number(a, k.NFTA_CMP_SREG)), valueIn(a.nested(k.NFTA_CMP_DATA)))
      },
    },
    lookup: {
      has: [k.NFTA_LOOKUP_SET, k.NFTA_LOOKUP_SREG, k.NFTA_LOOKUP_FLAGS],
      read(line, a) {
        if ((a.u32be(k.NFTA_LOOKUP_FLAGS) ?? 0) !== 0) wrong('a lookup that is turned round')
        line.write(`${line.in(number(a, k.NFTA_LOOKUP_SREG))} @${a.text(k.NFTA_LOOKUP_SET) ?? ''}`)
      },
    },
    immediate: {
      has: [k.NFTA_IMMEDIATE_DREG, k.NFTA_IMMEDIATE_DATA],
      read(line, a) {
        const data = a.nested(k.NFTA_IMMEDIATE_DATA)
        const found = data?.nested(k.NFTA_DATA_VERDICT)
        if (found) return verdict(line, found)
        const value = valueIn(data)
        line.set(
          number(a, k.NFTA_IMMEDIATE_DREG),
          value.length === 4
            ? `0x${value.readUInt32LE().toString(16).padStart(8, '0')}`
            : wrong('a value that is no mark'),
        )
      },
    },
    ct: {
      has: [k.NFTA_CT_KEY, k.NFTA_CT_SREG],
      read(line, a) {
        isKind(a, k.NFTA_CT_KEY, k.NFT_CT_MARK)
        line.write(`ct mark set ${line.in(number(a, k.NFTA_CT_SREG))}`)
      },
    },
    numgen: {
      has: [k.NFTA_NG_DREG, k.NFTA_NG_MODULUS, k.NFTA_NG_TYPE, k.NFTA_NG_OFFSET],
      read(line, a) {
        isKind(a, k.NFTA_NG_TYPE, k.NFT_NG_INCREMENTAL)
        line.set(
          number(a, k.NFTA_NG_DREG),
          `numgen inc mod ${number(a, k.NFTA_NG_MODULUS)} offset ${number(a, k.NFTA_NG_OFFSET)}`,
        )
      },
    },
    hash: {
      has: [
        k.NFTA_HASH_SREG,
        k.NFTA_HASH_DREG,
        k.NFTA_HASH_LEN,
        k.NFTA_HASH_MODULUS,
        k.NFTA_HASH_SEED,
        k.NFTA_HASH_OFFSET,
        k.NFTA_HASH_TYPE,
      ],
      read(line, a) {
        isKind(a, k.NFTA_HASH_TYPE, k.NFT_HASH_JENKINS)
        const what = line.in(number(a, k.NFTA_HASH_SREG))
        isKind(a, k.NFTA_HASH_LEN, what.startsWith('ip6') ? 16 : 4)
        line.set(
          number(a, k.NFTA_HASH_DREG),
          `jhash ${what} mod ${number(a, k.NFTA_HASH_MODULUS)} seed 0x${number(a, k.NFTA_HASH_SEED).toString(16)} offset ${number(a, k.NFTA_HASH_OFFSET)}`,
        )
      },
    },
    limit: {
      has: [
        k.NFTA_LIMIT_RATE,
        k.NFTA_LIMIT_UNIT,
        k.NFTA_LIMIT_BURST,
        k.NFTA_LIMIT_TYPE,
        k.NFTA_LIMIT_FLAGS,
        k.NFTA_LIMIT_PAD,
      ],
      read(line, a) {
        isKind(a, k.NFTA_LIMIT_TYPE, k.NFT_LIMIT_PKTS)
        isKind(a, k.NFTA_LIMIT_FLAGS, k.NFT_LIMIT_F_INV)
        if (u64(a, k.NFTA_LIMIT_UNIT) !== 1) wrong('a limit in another time than a second')
        line.write(`limit rate over ${u64(a, k.NFTA_LIMIT_RATE)}/second burst ${number(a, k.NFTA_LIMIT_BURST)} packets`)
      },
    },
    log: {
      has: [k.NFTA_LOG_PREFIX, k.NFTA_LOG_LEVEL],
      read(line, a) {
        isKind(a, k.NFTA_LOG_LEVEL, k.LOGLEVEL_INFO)
        line.write(`log prefix "${a.text(k.NFTA_LOG_PREFIX) ?? ''}" level info`)
      },
    },
    dynset: {
      has: [
        k.NFTA_DYNSET_SET_NAME,
        k.NFTA_DYNSET_OP,
        k.NFTA_DYNSET_SREG_KEY,
        k.NFTA_DYNSET_EXPR,
        k.NFTA_DYNSET_FLAGS,
        k.NFTA_DYNSET_TIMEOUT,
        k.NFTA_DYNSET_PAD,
      ],
      read(line, a) {
        isKind(a, k.NFTA_DYNSET_OP, k.NFT_DYNSET_OP_ADD)
        if ((a.u32be(k.NFTA_DYNSET_FLAGS) ?? 0) !== 0 || u64(a, k.NFTA_DYNSET_TIMEOUT, 0) !== 0)
          wrong('a set that is filled otherwise')
        const counting = a.nested(k.NFTA_DYNSET_EXPR)
        const limit = counting?.text(k.NFTA_EXPR_NAME) === 'connlimit' ? counting.nested(k.NFTA_EXPR_DATA) : null
        if (!limit) wrong('a set that is filled with something else')
        isKind(limit, k.NFTA_CONNLIMIT_FLAGS, k.NFT_CONNLIMIT_F_INV)
        line.write(
          `add @${a.text(k.NFTA_DYNSET_SET_NAME) ?? ''} { ${line.in(number(a, k.NFTA_DYNSET_SREG_KEY))} ct count over ${number(limit, k.NFTA_CONNLIMIT_COUNT)} }`,
        )
      },
    },
  }),
)

const u64 = (a: Attributes, type: number, absent?: number): number => {
  const raw = a.raw(type)
  return raw?.length === 8 ? Number(raw.readBigUInt64BE()) : (absent ?? wrong(`no attribute ${type}`))
}
