// Classic BPF for a netlink socket: only messages with a number in an attribute reach it (linux/filter.h).
const [LD_IMM, LD_W_ABS, LD_W_IND, LDX_IMM, TAX, JEQ, AND, RET] = [0x00, 0x20, 0x40, 0x01, 0x07, 0x15, 0x54, 0x06]
/**
 * SKF_AD_OFF + SKF_AD_NLATTR: where the attribute begins, of the type in X and from the offset in A; 0 where there is
 * none.
 */
const FIND_ATTRIBUTE = 0xffff_f000 + 12
/** struct nlmsghdr and struct nfgenmsg. */
const HEADERS = 16 + 4
const ATTRIBUTE_HEADER = 4

/** Matches a number in network order, as nfnetlink has them. */
export function attributeFilter(type: number, mask: number, value: number): Buffer {
  return program([
    [LD_IMM, 0, 0, HEADERS],
    [LDX_IMM, 0, 0, type],
    [LD_W_ABS, 0, 0, FIND_ATTRIBUTE],
    [JEQ, 4, 0, 0],
    [TAX, 0, 0, 0],
    [LD_W_IND, 0, 0, ATTRIBUTE_HEADER],
    [AND, 0, 0, mask],
    [JEQ, 1, 0, value],
    [RET, 0, 0, 0],
    [RET, 0, 0, 0xffff_ffff],
  ])
}

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number]

function program(instructions: readonly Instruction[]): Buffer {
  return Buffer.concat(
    instructions.map(([code, ifTrue, ifFalse, operand]) => {
      const bytes = Buffer.alloc(8)
      bytes.writeUInt16LE(code, 0)
      bytes.writeUInt8(ifTrue, 2)
      bytes.writeUInt8(ifFalse, 3)
      bytes.writeUInt32LE(operand, 4)
      return bytes
    }),
  )
}
