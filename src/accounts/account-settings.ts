import { z } from 'zod'
import { smsProviderSettings } from '../sms/sms-settings.ts'
import { mailTemplateSettings } from './mail-templates.ts'
import { internationalNumber, isPhoneNumber } from './phone-number.ts'
import { platformSettings } from './platforms/platform-settings.ts'

const UNLESS_SET = 'Default: a text in Chinese and English.'

/** Settings of an app that change how its users register and log in (docs/architecture.md, Management). */
export const accountSettings = z
  .strictObject({
    sendVerificationEmail: z
      .boolean()
      .default(false)
      .describe('New users, and users who change their email address, receive a verification mail.'),
    requireVerifiedEmail: z
      .boolean()
      .default(false)
      .describe('Users with an unverified email address cannot log in (error 216).'),
    requireVerifiedPhone: z
      .boolean()
      .default(false)
      .describe('Users cannot log in with a phone number and password before the number is verified (error 215).'),
    reloginAfterPasswordChange: z
      .boolean()
      .default(false)
      .describe('A password change replaces the session token, so all devices must log in again.'),
    requireOldPassword: z
      .boolean()
      .default(false)
      .describe('Passwords can only be changed with `updatePassword`, which requires the old password (error 119).'),
    ownProfileNeedsPermission: z
      .boolean()
      .default(false)
      .describe(
        'Users need the class permission `update` of `_User` to change their own profile. Otherwise they can always change it, as on LeanCloud.',
      ),
    templates: z
      .strictObject({
        verification: mailTemplateSettings.optional().describe(UNLESS_SET),
        reset: mailTemplateSettings.optional().describe(UNLESS_SET),
      })
      .prefault({})
      .describe('Texts can contain {{appname}}, {{username}} and {{email}}, and must contain {{link}}.'),
    platforms: platformSettings,
  })
  .prefault({})

export type AccountSettings = z.infer<typeof accountSettings>

const phoneNumber = z
  .string()
  .refine(isPhoneNumber, "must be 4 to 15 digits, with '+' and the country code in front or not")

/** Settings of an app for text messages (protocol/accounts, SMS; protocol/storage, Settings that change answers). */
export const smsSettings = z
  .strictObject({
    openToClients: z
      .boolean()
      .default(true)
      .describe(
        'Clients can request codes that do not belong to a user. Otherwise only the master key can (error 119).',
      ),
    requireCaptcha: z.boolean().default(false).describe('Requesting a code requires a solved captcha (error 608).'),
    noticeTemplates: z
      .array(z.string().min(1))
      .default([])
      .describe('Names of templates for notifications without a code.'),
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
      .describe('Numbers that receive no SMS and always have this code, for tests and app store reviews.'),
    service: smsProviderSettings,
  })
  .prefault({})

export type SmsSettings = z.infer<typeof smsSettings>
