import { list } from '../../messaging/record-routes.ts'
import { masterRoute } from '../../route.ts'

/** GET /1.2/rtm/all-conversations — conversations of all kinds (protocol/messaging, Global operations). */
export const allConversations = masterRoute('GET', '/1.2/rtm/all-conversations', (call) => list(call, null))
