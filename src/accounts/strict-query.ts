import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import { type FindQuery, type Parameters, parseFindQuery } from '../objects/query-parameters.ts'
import { findObjects } from '../objects/reading/find.ts'
import { isJsonObject, type Json, parseJson } from '../values/json.ts'
import type { Accounts } from './accounts.ts'

/** Credentials: a strict query can neither compare nor return them, not even with the master key. */
const SECRETS = ['sessionToken', 'password', 'salt', 'smsCode']

/** Fields that a strict query never returns and compares for equality only: a client that knows an address may find its user. */
const SENSITIVE = ['email', 'mobilePhoneNumber', 'authData']

/**
 * Finds users by a condition for a client although the class is closed to queries, without fields that could be misused
 * (protocol/storage, strictlyQuery). Rejects `skip`, because it would let a client page through all users.
 * @throws ApiError 102 without a condition or with `skip`, 403 when a condition compares a part of an address or the
 *   query names credentials, and those of `findObjects`
 */
export async function findStrictly(
  accounts: Accounts,
  parameters: Parameters,
  caller: Caller,
): Promise<readonly string[]> {
  const wire =
    typeof parameters.where === 'string' ? parseJson(parameters.where, "The parameter 'where'") : parameters.where
  if (!isJsonObject(wire) || Object.keys(wire).length === 0)
    throw errors.invalidQuery("A strict query requires 'where', a non-empty condition.")
  checkNoSecret(wire)
  if (!caller.master) checkSensitive(wire)
  const query = parseFindQuery({ ...parameters, where: wire })
  if (query.skip !== 0) throw errors.invalidQuery("A strict query must not have 'skip'; narrow 'where' or use 'limit'.")
  checkNoSecretNamed(query)
  const hidden = caller.master ? [] : SENSITIVE.map((name) => [name])
  const selection = {
    included: query.view.selection?.included ?? null,
    excluded: [...(query.view.selection?.excluded ?? []), ...hidden],
  }
  const strict = { ...query, view: { ...query.view, selection } }
  if (!caller.master && query.order.some(({ path }) => SENSITIVE.includes(path[0]))) throw forbidden('order')
  const { results } = await findObjects(accounts.objects, '_User', strict, caller, 'get')
  return results
}

/** Allows only equality: patterns and ranges would reveal an address letter by letter. */
function checkSensitive(where: Json): void {
  if (Array.isArray(where)) {
    for (const part of where) checkSensitive(part)
  } else if (isJsonObject(where)) {
    for (const [key, value] of Object.entries(where)) {
      if (SENSITIVE.includes(key.split('.')[0]!) && typeof value !== 'string') throw forbidden(key)
      if (key.startsWith('$')) checkSensitive(value)
    }
  }
}

/** @throws ApiError 403 when a condition names credentials */
function checkNoSecret(where: Json): void {
  if (Array.isArray(where)) {
    for (const part of where) checkNoSecret(part)
  } else if (isJsonObject(where)) {
    for (const [key, value] of Object.entries(where)) {
      if (isSecret(key)) throw secret('where', key)
      if (key.startsWith('$')) checkNoSecret(value)
    }
  }
}

/** @throws ApiError 403 when the order, `keys` or `include` names credentials; `-sessionToken` in `keys` is allowed */
function checkNoSecretNamed({ order, view: { selection, include } }: FindQuery): void {
  const named = {
    order: order.map(({ path }) => path[0]),
    keys: Object.keys(selection?.included ?? {}),
    include: Object.keys(include ?? {}),
  }
  for (const [parameter, names] of Object.entries(named)) {
    const key = names.find(isSecret)
    if (key !== undefined) throw secret(parameter, key)
  }
}

function isSecret(key: string): boolean {
  return SECRETS.includes(key.split('.')[0]!)
}

function secret(parameter: string, key: string): Error {
  return errors.forbidden(`A strict query must not contain '${key.slice(0, 80)}' in '${parameter}'.`)
}

function forbidden(what: string): Error {
  return errors.forbidden(`A strict query can only compare ${SENSITIVE.join(', ')} for equality; check '${what}'.`)
}
