import type { Attack } from './attack.ts'
import { ACCOUNT_ATTACKS } from './attacks/accounts.ts'
import { BODY_ATTACKS } from './attacks/bodies.ts'
import { CONNECTION_ATTACKS } from './attacks/connections.ts'
import { CONVERSATION_ATTACKS } from './attacks/conversations.ts'
import { LIVE_QUERY_ATTACKS } from './attacks/live-queries.ts'
import { MESSAGING_ATTACKS } from './attacks/messaging.ts'
import { PICTURE_ATTACKS } from './attacks/pictures.ts'
import { QUERY_ATTACKS } from './attacks/queries.ts'
import { RANKING_ATTACKS } from './attacks/rankings.ts'
import { REQUEST_ATTACKS } from './attacks/requests.ts'
import { SOCIAL_ATTACKS } from './attacks/social.ts'
import { WORD_ATTACKS } from './attacks/words.ts'
import { WRITE_ATTACKS } from './attacks/writes.ts'

/** All attacks, in the order in which they run. */
export const ATTACKS: readonly Attack[] = [
  ...BODY_ATTACKS,
  ...CONNECTION_ATTACKS,
  ...REQUEST_ATTACKS,
  ...QUERY_ATTACKS,
  ...WRITE_ATTACKS,
  ...ACCOUNT_ATTACKS,
  ...LIVE_QUERY_ATTACKS,
  ...SOCIAL_ATTACKS,
  ...PICTURE_ATTACKS,
  ...RANKING_ATTACKS,
  ...WORD_ATTACKS,
  ...MESSAGING_ATTACKS,
  ...CONVERSATION_ATTACKS,
]
