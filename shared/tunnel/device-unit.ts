// The name under which systemd knows a network device.

/** systemd.unit(5), "String escaping for inclusion in unit names". */
const escapeUnitPart = (text: string): string =>
  text.replace(/[^A-Za-z0-9:_.]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)

export const deviceUnit = (device: string): string => `sys-subsystem-net-devices-${escapeUnitPart(device)}.device`
