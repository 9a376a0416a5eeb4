// The sentences of the page in the languages that notifications are written in; English is the catalogue's own. They are
// in files of JSON, which TypeScript would want listed in this folder's project, so this file is JavaScript.
import faAdopt from '../../../../ui/src/locales/fa/messages/adopt.json' with { type: 'json' }
import faAttention from '../../../../ui/src/locales/fa/messages/attention.json' with { type: 'json' }
import faComponent from '../../../../ui/src/locales/fa/messages/component.json' with { type: 'json' }
import faDrift from '../../../../ui/src/locales/fa/messages/drift.json' with { type: 'json' }
import faFinding from '../../../../ui/src/locales/fa/messages/finding.json' with { type: 'json' }
import faHealth from '../../../../ui/src/locales/fa/messages/health.json' with { type: 'json' }
import faHeal from '../../../../ui/src/locales/fa/messages/heal.json' with { type: 'json' }
import faMonitor from '../../../../ui/src/locales/fa/messages/monitor.json' with { type: 'json' }
import faNote from '../../../../ui/src/locales/fa/messages/note.json' with { type: 'json' }
import faNotice from '../../../../ui/src/locales/fa/messages/notice.json' with { type: 'json' }
import faObject from '../../../../ui/src/locales/fa/messages/object.json' with { type: 'json' }
import faPanel from '../../../../ui/src/locales/fa/messages/panel.json' with { type: 'json' }
import faReach from '../../../../ui/src/locales/fa/messages/reach.json' with { type: 'json' }
import faRoot from '../../../../ui/src/locales/fa/messages/root.json' with { type: 'json' }
import faRoute from '../../../../ui/src/locales/fa/messages/route.json' with { type: 'json' }
import faSafeApply from '../../../../ui/src/locales/fa/messages/safe-apply.json' with { type: 'json' }
import faTunnel from '../../../../ui/src/locales/fa/messages/tunnel.json' with { type: 'json' }
import ruAdopt from '../../../../ui/src/locales/ru/messages/adopt.json' with { type: 'json' }
import ruAttention from '../../../../ui/src/locales/ru/messages/attention.json' with { type: 'json' }
import ruComponent from '../../../../ui/src/locales/ru/messages/component.json' with { type: 'json' }
import ruDrift from '../../../../ui/src/locales/ru/messages/drift.json' with { type: 'json' }
import ruFinding from '../../../../ui/src/locales/ru/messages/finding.json' with { type: 'json' }
import ruHealth from '../../../../ui/src/locales/ru/messages/health.json' with { type: 'json' }
import ruHeal from '../../../../ui/src/locales/ru/messages/heal.json' with { type: 'json' }
import ruMonitor from '../../../../ui/src/locales/ru/messages/monitor.json' with { type: 'json' }
import ruNote from '../../../../ui/src/locales/ru/messages/note.json' with { type: 'json' }
import ruNotice from '../../../../ui/src/locales/ru/messages/notice.json' with { type: 'json' }
import ruObject from '../../../../ui/src/locales/ru/messages/object.json' with { type: 'json' }
import ruPanel from '../../../../ui/src/locales/ru/messages/panel.json' with { type: 'json' }
import ruReach from '../../../../ui/src/locales/ru/messages/reach.json' with { type: 'json' }
import ruRoot from '../../../../ui/src/locales/ru/messages/root.json' with { type: 'json' }
import ruRoute from '../../../../ui/src/locales/ru/messages/route.json' with { type: 'json' }
import ruSafeApply from '../../../../ui/src/locales/ru/messages/safe-apply.json' with { type: 'json' }
import ruTunnel from '../../../../ui/src/locales/ru/messages/tunnel.json' with { type: 'json' }
import zhCNAdopt from '../../../../ui/src/locales/zh-CN/messages/adopt.json' with { type: 'json' }
import zhCNAttention from '../../../../ui/src/locales/zh-CN/messages/attention.json' with { type: 'json' }
import zhCNComponent from '../../../../ui/src/locales/zh-CN/messages/component.json' with { type: 'json' }
import zhCNDrift from '../../../../ui/src/locales/zh-CN/messages/drift.json' with { type: 'json' }
import zhCNFinding from '../../../../ui/src/locales/zh-CN/messages/finding.json' with { type: 'json' }
import zhCNHealth from '../../../../ui/src/locales/zh-CN/messages/health.json' with { type: 'json' }
import zhCNHeal from '../../../../ui/src/locales/zh-CN/messages/heal.json' with { type: 'json' }
import zhCNMonitor from '../../../../ui/src/locales/zh-CN/messages/monitor.json' with { type: 'json' }
import zhCNNote from '../../../../ui/src/locales/zh-CN/messages/note.json' with { type: 'json' }
import zhCNNotice from '../../../../ui/src/locales/zh-CN/messages/notice.json' with { type: 'json' }
import zhCNObject from '../../../../ui/src/locales/zh-CN/messages/object.json' with { type: 'json' }
import zhCNPanel from '../../../../ui/src/locales/zh-CN/messages/panel.json' with { type: 'json' }
import zhCNReach from '../../../../ui/src/locales/zh-CN/messages/reach.json' with { type: 'json' }
import zhCNRoot from '../../../../ui/src/locales/zh-CN/messages/root.json' with { type: 'json' }
import zhCNRoute from '../../../../ui/src/locales/zh-CN/messages/route.json' with { type: 'json' }
import zhCNSafeApply from '../../../../ui/src/locales/zh-CN/messages/safe-apply.json' with { type: 'json' }
import zhCNTunnel from '../../../../ui/src/locales/zh-CN/messages/tunnel.json' with { type: 'json' }

/** Translations by language and id. */
export const TRANSLATIONS = {
  fa: {
    ...faAdopt,
    ...faAttention,
    ...faComponent,
    ...faDrift,
    ...faFinding,
    ...faHealth,
    ...faHeal,
    ...faMonitor,
    ...faNote,
    ...faNotice,
    ...faObject,
    ...faPanel,
    ...faReach,
    ...faRoot,
    ...faRoute,
    ...faSafeApply,
    ...faTunnel,
  },
  ru: {
    ...ruAdopt,
    ...ruAttention,
    ...ruComponent,
    ...ruDrift,
    ...ruFinding,
    ...ruHealth,
    ...ruHeal,
    ...ruMonitor,
    ...ruNote,
    ...ruNotice,
    ...ruObject,
    ...ruPanel,
    ...ruReach,
    ...ruRoot,
    ...ruRoute,
    ...ruSafeApply,
    ...ruTunnel,
  },
  'zh-CN': {
    ...zhCNAdopt,
    ...zhCNAttention,
    ...zhCNComponent,
    ...zhCNDrift,
    ...zhCNFinding,
    ...zhCNHealth,
    ...zhCNHeal,
    ...zhCNMonitor,
    ...zhCNNote,
    ...zhCNNotice,
    ...zhCNObject,
    ...zhCNPanel,
    ...zhCNReach,
    ...zhCNRoot,
    ...zhCNRoute,
    ...zhCNSafeApply,
    ...zhCNTunnel,
  },
}
