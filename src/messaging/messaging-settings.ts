import { z } from 'zod'

/** Limit per minute for one client, or for all requests of the back end; null for no limit. */
const perMinute = z.int().min(1).nullable().default(null)

/**
 * The messaging settings of an app (docs/architecture.md, Management; protocol/realtime, Signatures; protocol/cloud-code,
 * Messaging hook parameters; protocol/realtime, Limits).
 */
export const messagingSettings = z
  .strictObject({
    loginSignature: z
      .boolean()
      .default(false)
      .describe('`GET /1.2/rtm/clients/sign` returns login signatures to logged-in users.'),
    sessionSignature: z.boolean().default(false).describe('Clients must log in with a signature.'),
    conversationSignature: z
      .boolean()
      .default(false)
      .describe(
        'Creating and joining conversations, adding and removing members, and blocking require a signature; leaving does not.',
      ),
    historySignature: z.boolean().default(false).describe('Reading history over REST requires a signature.'),
    memberInfo: z.boolean().default(true).describe('Enables member roles and silencing members.'),
    openMembership: z
      .boolean()
      .default(true)
      .describe(
        'Any client that knows the id of a conversation can join and read it. Otherwise only members, the owner and the back end can add members, and only members can read it.',
      ),
    blacklist: z.boolean().default(true).describe('Enables blacklists of conversations and clients.'),
    allowEdit: z.boolean().default(true).describe('Senders can edit their messages.'),
    allowRecall: z.boolean().default(true).describe('Senders can recall their messages.'),
    hooksFailClosed: z
      .boolean()
      .default(false)
      .describe(
        'An action is rejected if its hook fails or times out. Otherwise the action continues without the hook.',
      ),
    systemWebhook: z
      .url()
      .optional()
      .describe('URL that receives the messages that clients send to system conversations.'),
    offlinePush: z.string().min(1).max(2000).nullable().default(null).describe(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as the setting takes them
      'Push to offline members for messages without push data: a text, or the `data` object of a push as JSON. `${convId}`, `${timestamp}` and `${fromClientId}` are replaced.',
    ),
    limits: z
      .strictObject({
        sends: perMinute,
        history: perMinute,
        operations: perMinute,
        restSends: perMinute,
        restUpdates: perMinute,
        restBroadcasts: perMinute,
      })
      .prefault({})
      .describe('Empty: no limit.'),
  })
  .prefault({})

export type MessagingSettings = z.infer<typeof messagingSettings>
