// Whether what was typed in the place of an address is a host name.

/** A name has a dot and ends in letters; what is neither that nor an address is refused as an address. */
export const isHostname = (text: string): boolean => /^[^\s:]+\.[a-z][a-z0-9-]*\.?$/i.test(text.trim())
