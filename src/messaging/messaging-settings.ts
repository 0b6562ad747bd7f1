import { z } from 'zod'

/** null: no limit */
const perMinute = z.int().min(1).nullable().default(null)

/**
 * Settings of an app's messaging (docs/architecture.md, Management; protocol/realtime, Signatures; protocol/cloud-code,
 * Messaging hook parameters; protocol/realtime, Limits).
 */
export const messagingSettings = z
  .strictObject({
    /** `GET /1.2/rtm/clients/sign` gives out signatures for users (protocol/messaging, Messaging over REST). */
    loginSignature: z.boolean().default(false),
    /** Sessions are opened with a signature only. */
    sessionSignature: z.boolean().default(false),
    /** Conversations are made, joined and left with a signature only. */
    conversationSignature: z.boolean().default(false),
    /** Clients read history over REST with a signature only. */
    historySignature: z.boolean().default(false),
    /** Members have roles, and may be kept from speaking. */
    memberInfo: z.boolean().default(true),
    /**
     * Conversations are open to whoever knows of them. Else only members, the owner and the back end add members, and
     * conversations are shown to their members alone.
     */
    openMembership: z.boolean().default(true),
    blacklist: z.boolean().default(true),
    allowEdit: z.boolean().default(true),
    allowRecall: z.boolean().default(true),
    /** A hook that fails or is late stops what it was asked about; else it goes on as if the hook were not there. */
    hooksFailClosed: z.boolean().default(false),
    /** URL that is told what clients write to system conversations. */
    systemWebhook: z.url().optional(),
    /**
     * What the devices of absent members show of messages that bring no push data: a text, or an object as `data` of a
     * push in JSON. `${convId}`, `${timestamp}` and `${fromClientId}` stand for what they say.
     */
    offlinePush: z.string().min(1).max(2000).nullable().default(null),
    limits: z
      .strictObject({
        /** For each client, in a minute. */
        sends: perMinute,
        history: perMinute,
        operations: perMinute,
        /** For the app's back end, in a minute: sending, updating, recalling, broadcasting. */
        restSends: perMinute,
        restUpdates: perMinute,
        restBroadcasts: perMinute,
      })
      .prefault({}),
  })
  .prefault({})

export type MessagingSettings = z.infer<typeof messagingSettings>
