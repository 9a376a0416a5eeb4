// What relay rules do to packets where nft carries them out.
import { describeTraffic } from './relay-traffic.ts'

describeTraffic('Traffic through the relay', 'nftables')
