import { z } from 'zod'
import { smsProviderSettings } from '../sms/sms-settings.ts'
import { mailTemplateSettings } from './mail-templates.ts'
import { internationalNumber, isPhoneNumber } from './phone-number.ts'
import { platformSettings } from './platforms/platform-settings.ts'

const UNLESS_SET = 'Unless set, Homeport writes in Chinese and English.'

/** Settings of an app that change how its users register and log in (docs/architecture.md, Management). */
export const accountSettings = z
  .strictObject({
    sendVerificationEmail: z
      .boolean()
      .default(false)
      .describe('New users, and users who change their address, get a mail with a link that verifies it.'),
    requireVerifiedEmail: z
      .boolean()
      .default(false)
      .describe('Users with an address that is not verified cannot log in (error 216).'),
    requireVerifiedPhone: z
      .boolean()
      .default(false)
      .describe('Users cannot log in with a number and a password before the number is verified (error 215).'),
    reloginAfterPasswordChange: z
      .boolean()
      .default(false)
      .describe('A new password makes a new session token: all devices have to log in again.'),
    requireOldPassword: z
      .boolean()
      .default(false)
      .describe('A password is changed with `updatePassword` only, which asks for the old one (error 119).'),
    ownProfileNeedsPermission: z
      .boolean()
      .default(false)
      .describe(
        'The class permission `update` of `_User` holds for users who change themselves, too. Otherwise a session may always change its own user, as on the hosted service.',
      ),
    templates: z
      .strictObject({
        verification: mailTemplateSettings.optional().describe(UNLESS_SET),
        reset: mailTemplateSettings.optional().describe(UNLESS_SET),
      })
      .prefault({})
      .describe('Texts may name {{appname}}, {{username}}, {{email}}; {{link}} must be there.'),
    platforms: platformSettings,
  })
  .prefault({})

export type AccountSettings = z.infer<typeof accountSettings>

const phoneNumber = z
  .string()
  .refine(isPhoneNumber, "must have 4 to 15 digits, optionally with '+' and the country code in front")

/** Settings of an app for text messages (protocol/accounts, SMS; protocol/storage, Settings that change answers). */
export const smsSettings = z
  .strictObject({
    openToClients: z
      .boolean()
      .default(true)
      .describe('Clients may ask for codes that belong to no user. Otherwise only the master key may (error 119).'),
    requireCaptcha: z
      .boolean()
      .default(false)
      .describe('Whoever asks for a code has to solve a captcha first (error 608).'),
    noticeTemplates: z
      .array(z.string().min(1))
      .default([])
      .describe('Names of templates, as requests use them, that tell something and hold no code.'),
    testNumbers: z
      .record(
        phoneNumber,
        z
          .string()
          .regex(/^\d{6}$/, 'must be a code of six digits')
          .describe('Six digits.'),
      )
      .transform((numbers) =>
        Object.fromEntries(Object.entries(numbers).map(([number, code]) => [internationalNumber(number), code])),
      )
      .prefault({})
      .describe('They get no messages, and their code is always this one: for tests and for reviewers of app stores.'),
    service: smsProviderSettings,
  })
  .prefault({})

export type SmsSettings = z.infer<typeof smsSettings>
