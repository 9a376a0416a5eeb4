// What relay rules do to packets where iptables carries them out, in either variant.
import { describeTraffic } from './relay-traffic.ts'

describeTraffic('Traffic through the relay by iptables-nft', 'iptables_nft')
describeTraffic('Traffic through the relay by iptables-legacy', 'iptables_legacy')
