// The shape of `nft -j list table`: objects in a list, each under the name of its kind. Whatever is not as we know it
// is kept as it came.
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** The one property of an object of the kind `{"goto": {…}}`. */
export function only(value: Json | undefined): [string, Json] | null {
  if (!isObject(value)) return null
  const [first, ...rest] = Object.entries(value)
  return first && rest.length === 0 ? first : null
}

export const textIn = (object: JsonObject, key: string): string =>
  typeof object[key] === 'string' ? (object[key] as string) : ''
export const numberIn = (object: JsonObject, key: string): number =>
  typeof object[key] === 'number' ? (object[key] as number) : 0

/** The same for a value of 32 bits without a sign: nft prints what is above the half of it as a negative number. */
export const u32In = (object: JsonObject, key: string): number => numberIn(object, key) >>> 0

/** What no text of ours looks like. */
export const foreign = (value: Json): string => `? ${JSON.stringify(value)}`

/** Throws a SyntaxError where nft printed something that is not its JSON. */
export function objectsIn(json: string): [string, JsonObject][] {
  const { nftables } = JSON.parse(json) as { nftables?: Json }
  if (!isList(nftables)) throw new SyntaxError('nft gave no list')
  return nftables.flatMap((item) => {
    const pair = only(item)
    return pair && isObject(pair[1]) ? [[pair[0], pair[1]] as [string, JsonObject]] : []
  })
}
