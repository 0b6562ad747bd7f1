import { errors } from '../../errors.ts'
import type { Changes, Operation } from '../../objects/operations/operation.ts'
import type { ClassRules } from '../../objects/store.ts'
import type { Json } from '../../values/json.ts'

/**
 * Any token, also one of an Apple device that APNs will refuse: clients save such tokens, and the push reports them
 * (protocol/push, Installation fields). The unique index holds so much of it.
 */
const DEVICE_TOKEN = /^[\x21-\x7e]{1,200}$/

/** Longer than any id that clients make; shorter than what the unique index holds of it. */
const MAX_INSTALLATION_ID = 128

const CHANNEL = /^[A-Za-z0-9_=\-\p{Script=Han}]*$/u

/** `_default` is the name that stands for none (protocol/push, Installation fields). */
const DEVICE_PROFILE = /^(?:[A-Za-z][A-Za-z0-9_]*|_default)?$/

/**
 * What `_Installation` does differently: its fields mean something to pushes, and are checked (protocol/push,
 * Installation fields).
 */
export const installationRules: ClassRules = {
  create(changes: Changes): Changes {
    checkFields(changes)
    return changes
  },
  update: checkFields,
}

/**
 * Whether a text may be a channel (protocol/push, Installation fields: channels). The empty one is that of everyone.
 */
export function isChannel(name: unknown): name is string {
  return typeof name === 'string' && CHANNEL.test(name)
}

/** @throws ApiError 1, 111, 112 or 114; types that the class knows are checked with those of all fields */
function checkFields({ fields }: Changes): void {
  for (const { path, operations } of fields) {
    if (path.length > 1) continue
    for (const value of operations.flatMap(valuesOf)) checkValue(path[0]!, value)
  }
}

/** What an operation brings into the field, or takes out; null means that there is no value. */
function valuesOf(operation: Operation): readonly Json[] {
  switch (operation.kind) {
    case 'Set':
      return operation.value === null ? [] : [operation.value]
    case 'Add':
    case 'AddUnique':
    case 'Remove':
      return [operation.objects]
    default:
      return []
  }
}

/** What has another type than the field is left to the check of types, unless it has a code of its own. */
function checkValue(field: string, value: Json): void {
  switch (field) {
    case 'deviceToken':
      if (typeof value !== 'string' || !DEVICE_TOKEN.test(value))
        throw errors.invalidDeviceToken("'deviceToken' has 1 to 200 visible characters of ASCII.")
      break
    case 'installationId':
      if (typeof value === 'string' && (value === '' || value.length > MAX_INSTALLATION_ID))
        throw errors.badArgument(`'installationId' has 1 to ${MAX_INSTALLATION_ID} characters.`)
      break
    case 'channels':
      if (Array.isArray(value) && !value.every(isChannel)) throw errors.invalidChannel()
      break
    case 'deviceProfile':
      if (typeof value === 'string' && !DEVICE_PROFILE.test(value))
        throw errors.badArgument("'deviceProfile' begins with a letter and has letters, digits and underscores.")
      break
  }
}
