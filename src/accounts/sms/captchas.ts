import { drawInTurn } from '../../captcha/captcha-queue.ts'
import { captchaText } from '../../captcha/captcha-text.ts'
import { text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import type { Principal } from '../../scheduling/principal.ts'
import type { Json } from '../../values/json.ts'
import { newSecret } from '../../values/secrets.ts'
import type { Accounts } from '../accounts.ts'

/** Maximum number of attempts to solve a captcha. */
const MAX_TRIES = 3

/** How long the proof of a solved captcha is valid, in minutes. */
const PROOF_LIFE = 10

/** The format of captcha tokens. */
const TOKEN = /^[\w-]{43}$/

interface Bounds {
  readonly least: number
  readonly most: number
  readonly standard: number
  readonly needsMaster: boolean
}

/** Pixels, characters and seconds (protocol/accounts, Captchas). */
const BOUNDS = {
  width: { least: 60, most: 200, standard: 85, needsMaster: false },
  height: { least: 30, most: 100, standard: 30, needsMaster: false },
  size: { least: 3, most: 6, standard: 4, needsMaster: true },
  ttl: { least: 10, most: 180, standard: 60, needsMaster: true },
} as const satisfies { readonly [name: string]: Bounds }

export type CaptchaShape = { readonly [name in keyof typeof BOUNDS]: number }

/**
 * Reads the parameters of `requestCaptcha`.
 * @throws ApiError 1; 119 when a client sets a parameter that needs the master key
 */
export function captchaShape(parameters: Parameters, { master }: Caller): CaptchaShape {
  const read = (name: keyof typeof BOUNDS) => measure(name, parameters[name], BOUNDS[name], master)
  return { width: read('width'), height: read('height'), size: read('size'), ttl: read('ttl') }
}

function measure(name: string, raw: Json | undefined, bounds: Bounds, master: boolean): number {
  const { least, most, standard, needsMaster } = bounds
  if (raw === undefined || raw === null || raw === '') return standard
  if (needsMaster && !master) throw errors.notAllowedForClients(`'${name}' needs the master key.`)
  const value = typeof raw === 'string' ? Number(raw) : raw
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw errors.badArgument(`'${name}' must be a whole number from ${least} to ${most}.`)
}

/**
 * Creates a captcha.
 * @returns its token
 * @throws ApiError 429 or 503 when too many captchas of the principal, or of all, wait to be drawn
 */
export async function makeCaptcha(
  accounts: Accounts,
  { width, height, size, ttl }: CaptchaShape,
  principal?: Principal,
): Promise<string> {
  const token = newSecret()
  const text = captchaText(size)
  const image = (await drawInTurn(accounts.captchaQueue, text, width, height, principal)).toString('base64')
  const insertion = sql`
    WITH expired AS (
      SELECT token
      FROM ${accounts.captchas}
      WHERE expires_at < now()
      LIMIT 10
      FOR UPDATE SKIP LOCKED
    ), removed AS (
      DELETE FROM ${accounts.captchas} AS captcha USING expired WHERE captcha.token = expired.token
    )
    INSERT INTO ${accounts.captchas} (token, text, image, expires_at)
    VALUES (${token}, ${text}, ${image}, now() + make_interval(secs => ${ttl}))`
  await accounts.database.query(insertion, principal)
  return token
}

/** Returns the image of a captcha as PNG; null when it is unknown, solved, expired, or out of attempts. */
export async function captchaImage(accounts: Accounts, token: unknown, principal: Principal): Promise<Buffer | null> {
  if (!isToken(token)) return null
  const statement = sql`
    SELECT image
    FROM ${accounts.captchas}
    WHERE token = ${token} AND validate_token IS NULL AND expires_at > now() AND tries < ${MAX_TRIES}`
  const [row] = await accounts.database.query(statement, principal)
  return row ? Buffer.from(text('image')(row), 'base64') : null
}

/**
 * Checks the text that a client has read in a captcha, ignoring case.
 * @returns the token that proves the solution
 * @throws ApiError 1
 */
export async function solveCaptcha(accounts: Accounts, token: unknown, text: unknown): Promise<string> {
  if (typeof token !== 'string') throw errors.badArgument("'captcha_token' must be a string: the token returned by requestCaptcha.")
  if (typeof text !== 'string') throw errors.badArgument("'captcha_code' must be a string: the characters in the picture.")
  // Counts the attempt before the comparison, so that concurrent guesses cannot exceed the maximum.
  const [captcha] = isToken(token)
    ? await accounts.database.query(sql`
        UPDATE ${accounts.captchas}
        SET tries = tries + 1
        WHERE token = ${token} AND validate_token IS NULL AND expires_at > now() AND tries < ${MAX_TRIES}
        RETURNING text, tries`)
    : []
  if (!captcha) throw errors.badArgument("The captcha of 'captcha_token' has expired or was used; request another one.")
  if (text.toUpperCase() !== captcha.text) throw wrongText(captcha.tries === MAX_TRIES)
  const validateToken = newSecret()
  const [solved] = await accounts.database.query(sql`
    UPDATE ${accounts.captchas}
    SET validate_token = ${validateToken}, expires_at = now() + make_interval(mins => ${PROOF_LIFE})
    WHERE token = ${token} AND validate_token IS NULL
    RETURNING token`)
  if (!solved) throw errors.badArgument("The captcha of 'captcha_token' has been solved already; request another one.")
  return validateToken
}

function wrongText(last: boolean): Error {
  const advice = last ? 'request another captcha' : 'look once more'
  return errors.badArgument(`'captcha_code' does not match the picture; ${advice}.`)
}

/**
 * Checks and uses up the proof of a solved captcha, if the app requires one (protocol/accounts, Captchas).
 * @throws ApiError 608
 */
export async function requireCaptcha(accounts: Accounts, validateToken: unknown, { master }: Caller): Promise<void> {
  if (!accounts.smsSettings().requireCaptcha || master) return
  if (!isToken(validateToken)) throw errors.validateTokenMissing()
  const used = await accounts.database.query(sql`
    DELETE FROM ${accounts.captchas}
    WHERE validate_token = ${validateToken} AND expires_at > now()
    RETURNING token`)
  if (used.length === 0) throw errors.validateTokenMissing()
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value)
}
