import { asTaken } from '../../accounts/accounts.ts'
import { isRefusal, isUniqueViolation, toApiError } from '../../database/faults.ts'
import { ApiError } from '../../errors.ts'
import { type Notice, notice } from '../../notices/notice.ts'

/** Unique indexes whose violation needs a specific reason. */
const MEANINGS: { readonly [constraint: string]: Notice } = {
  role_name: notice('roleTaken'),
  conversation_unique_id: notice('conversationTaken'),
  member_info: notice('memberRoleTaken'),
  installation_id: notice('installationIdTaken'),
  installation_token: notice('deviceTokenTaken'),
  $credentials_session_token_key: notice('sessionTokenTaken'),
  $identities_pkey: notice('linkedAccountTaken'),
}

/** Returns why a record was rejected. @throws the error when the record did not cause it */
export function reasonOf(error: unknown): Notice {
  if (isUniqueViolation(error)) {
    const { constraint = '' } = error as { constraint?: string }
    const meaning = MEANINGS[constraint]
    if (meaning) return meaning
  }
  const apiError = toApiError(asTaken(error))
  if (apiError instanceof ApiError && apiError.status < 500) return apiError.notice
  if (isRefusal(error)) return notice('notStorable')
  throw error
}
