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
      .describe('`GET /1.2/rtm/clients/sign` gives logged-in users the signature for a login.'),
    sessionSignature: z.boolean().default(false).describe('Clients log in with a signature only.'),
    conversationSignature: z
      .boolean()
      .default(false)
      .describe('Conversations are made, joined and left with a signature only.'),
    historySignature: z.boolean().default(false).describe('Clients read history over REST with a signature only.'),
    memberInfo: z.boolean().default(true).describe('Members have roles, and can be kept from speaking.'),
    openMembership: z
      .boolean()
      .default(true)
      .describe(
        'Who knows of a conversation may join and see it. Otherwise only members, the owner and the back end add members, and only members see it.',
      ),
    blacklist: z.boolean().default(true).describe('Clients can be blocked from conversations.'),
    allowEdit: z.boolean().default(true).describe('Senders may change what they have sent.'),
    allowRecall: z.boolean().default(true).describe('Senders may take back what they have sent.'),
    hooksFailClosed: z
      .boolean()
      .default(false)
      .describe(
        'A hook that fails or is late stops what it was asked about. Otherwise it goes on as if there were no hook.',
      ),
    systemWebhook: z.url().optional().describe('Is told what clients write to system conversations.'),
    offlinePush: z.string().min(1).max(2000).nullable().default(null).describe(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as the setting takes them
      'What the devices of absent members show of messages without push data: a text, or an object as `data` of a push in JSON. `${convId}`, `${timestamp}` and `${fromClientId}` stand for what they say.',
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
