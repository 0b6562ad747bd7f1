import { z } from 'zod'

/** null: no limit */
const perMinute = z.int().min(1).nullable().default(null)

/**
 * Settings of an app's messaging (docs/architecture.md, Management; protocol/realtime, Signatures; protocol/cloud-code,
 * Messaging hook parameters; protocol/realtime, Limits).
 */
export const messagingSettings = z
  .strictObject({
    loginSignature: z.boolean().default(false).describe('`GET /1.2/rtm/clients/sign` gives out signatures for users.'),
    sessionSignature: z.boolean().default(false).describe('Sessions are opened with a signature only.'),
    conversationSignature: z
      .boolean()
      .default(false)
      .describe('Conversations are made, joined and left with a signature only.'),
    historySignature: z.boolean().default(false).describe('Clients read history over REST with a signature only.'),
    memberInfo: z.boolean().default(true).describe('Members have roles, and may be kept from speaking.'),
    openMembership: z
      .boolean()
      .default(true)
      .describe(
        'Conversations are open to whoever knows of them. Else only members, the owner and the back end add members, and conversations are shown to their members alone.',
      ),
    blacklist: z.boolean().default(true),
    allowEdit: z.boolean().default(true),
    allowRecall: z.boolean().default(true),
    hooksFailClosed: z
      .boolean()
      .default(false)
      .describe(
        'A hook that fails or is late stops what it was asked about; else it goes on as if the hook were not there.',
      ),
    systemWebhook: z.url().optional().describe('URL that is told what clients write to system conversations.'),
    /**
     * What the devices of absent members show of messages that bring no push data: a text, or an object as `data` of a
     * push in JSON. `${convId}`, `${timestamp}` and `${fromClientId}` stand for what they say.
     */
    offlinePush: z.string().min(1).max(2000).nullable().default(null),
    limits: z
      .strictObject({
        sends: perMinute.describe('For each client, in a minute.'),
        history: perMinute,
        operations: perMinute,
        restSends: perMinute.describe(
          "For the app's back end, in a minute: sending, updating, recalling, broadcasting.",
        ),
        restUpdates: perMinute,
        restBroadcasts: perMinute,
      })
      .prefault({}),
  })
  .prefault({})

export type MessagingSettings = z.infer<typeof messagingSettings>
