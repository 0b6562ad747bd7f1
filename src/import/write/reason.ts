import { asTaken } from '../../accounts/accounts.ts'
import { isRefusal, isUniqueViolation, toApiError } from '../../database/faults.ts'
import { ApiError } from '../../errors.ts'

/** Unique indexes that mean something else than a field of the class. */
const MEANINGS: { readonly [constraint: string]: string } = {
  role_name: 'A role of this name is here already.',
  conversation_unique_id: 'A conversation with this uniqueId is here already.',
  member_info: 'The role of this member of the conversation is here already.',
  installation_id: 'A device with this installationId is here already.',
  installation_token: 'A device with this deviceToken is here already.',
  $credentials_session_token_key: 'The session token is that of another user here.',
  $identities_pkey: 'An account of another platform is linked to another user here.',
}

/** Why a record was refused, in a sentence for people. @throws the error when it says nothing about the record */
export function reasonOf(error: unknown): string {
  if (isUniqueViolation(error)) {
    const { constraint = '' } = error as { constraint?: string }
    const meaning = MEANINGS[constraint]
    if (meaning) return meaning
  }
  const told = toApiError(asTaken(error))
  if (told instanceof ApiError && told.status < 500) return told.explanation
  if (isRefusal(error)) return 'It holds something that cannot be stored, such as a time before the year 1.'
  throw error
}
