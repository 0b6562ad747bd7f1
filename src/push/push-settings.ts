import { z } from 'zod'
import { secret } from '../settings-schema.ts'

const text = z.string().min(1).max(512)
/** PEM */
const pem = z.string().min(1).max(20_000)
/** Where the provider is reached; another one than the usual for a proxy, another region, or a test. */
const server = (url: string) => z.url({ protocol: /^https?$/ }).default(url)

/** A name of credentials, which `deviceProfile` of an installation chooses (protocol/push, Installation fields). */
const profile = z.string().regex(/^(_default|[A-Za-z][A-Za-z0-9_]{0,63})$/, 'is no profile name')
const byProfile = <Settings extends z.ZodType>(settings: Settings) => z.record(profile, settings).default({})

const apns = z
  .strictObject({
    /** Signing keys (`.p8`) by the id of the team. */
    keys: z
      .record(
        z.string().regex(/^[A-Za-z0-9]{1,32}$/, 'is no team id'),
        z.strictObject({
          keyId: text,
          privateKey: secret(pem),
          /** Bundle ids of the team: devices that name no team are found by them. */
          topics: z.array(text).max(100).default([]),
        }),
      )
      .default({}),
    /** Certificates by the name of the profile; `_default` serves devices without one. */
    certificates: byProfile(
      z.strictObject({
        certificate: pem,
        privateKey: secret(pem),
        passphrase: secret(text).optional(),
        /** The bundle id; needed where a certificate serves several. */
        topic: text.optional(),
        environment: z.enum(['dev', 'prod']).default('prod'),
      }),
    ),
    /** For devices that name no bundle id. */
    defaultTopic: text.optional(),
    servers: z
      .strictObject({
        prod: server('https://api.push.apple.com'),
        dev: server('https://api.sandbox.push.apple.com'),
      })
      .prefault({}),
    /** Certificate of an authority to trust besides the usual ones, for a proxy. */
    trusted: pem.optional(),
  })
  .prefault({})

const fcm = z.strictObject({
  projectId: text,
  clientEmail: text,
  privateKey: secret(pem),
  tokenUrl: server('https://oauth2.googleapis.com/token'),
  url: server('https://fcm.googleapis.com'),
})
/** The host of the intent that a click on a notification opens. */
const clickHost = text.default('cn.leancloud.push')
const hms = z.strictObject({
  appId: text,
  appSecret: secret(text),
  clickHost,
  tokenUrl: server('https://oauth-login.cloud.huawei.com/oauth2/v3/token'),
  url: server('https://push-api.cloud.huawei.com'),
})
const honor = z.strictObject({
  appId: text,
  clientId: text,
  clientSecret: secret(text),
  clickHost,
  tokenUrl: server('https://iam.developer.honor.com/auth/token'),
  url: server('https://push-api.cloud.honor.com'),
})
const mi = z.strictObject({
  appSecret: secret(text),
  packageName: z.string().min(1).max(128),
  url: server('https://api.xmpush.xiaomi.com'),
})
const mz = z.strictObject({ appId: text, appSecret: secret(text), url: server('https://server-api-push.meizu.com') })
const oppo = z.strictObject({
  appKey: text,
  masterSecret: secret(text),
  url: server('https://api.push.oppomobile.com'),
})
const vivo = z.strictObject({
  appId: text,
  appKey: text,
  appSecret: secret(text),
  url: server('https://api-push.vivo.com.cn'),
})

/**
 * Settings of an app's pushes, credentials of the providers among them (docs/architecture.md, Management;
 * protocol/push, Push).
 */
export const pushSettings = z
  .strictObject({
    /** Only who has the master key may push (protocol/push, Request). */
    restrictClientPush: z.boolean().default(true),
    limits: z
      .strictObject({
        /** Calls in a minute. */
        calls: z.int().min(1).default(600),
        /** Devices in a day (UTC); null: no limit. */
        devicesPerDay: z.int().min(1).nullable().default(null),
        /** Scheduled pushes that wait. */
        scheduled: z.int().min(1).default(1000),
      })
      .prefault({}),
    apns,
    fcm: byProfile(fcm),
    hms: byProfile(hms),
    honor: byProfile(honor),
    mi: byProfile(mi),
    mz: byProfile(mz),
    oppo: byProfile(oppo),
    vivo: byProfile(vivo),
  })
  .prefault({})

export type PushSettings = z.infer<typeof pushSettings>
export type ApnsSettings = z.infer<typeof apns>
export type FcmSettings = z.infer<typeof fcm>
export type HmsSettings = z.infer<typeof hms>
export type HonorSettings = z.infer<typeof honor>
export type MiSettings = z.infer<typeof mi>
export type MeizuSettings = z.infer<typeof mz>
export type OppoSettings = z.infer<typeof oppo>
export type VivoSettings = z.infer<typeof vivo>
