import { escapeUnseen } from '../../../parts/clipboard-text.ts'
import { shellArgument } from '../../../parts/shell-argument.ts'
import { type CodedQuery, type Condition, conditionsOf } from './conditions.ts'
import type { Language } from './languages.ts'

/**
 * Returns a query as SDK code.
 * @returns null when the SDK has no method for a part of the condition
 */
export function sdkCode(language: Language, { className, where, order, limit }: CodedQuery): string | null {
  const conditions = conditionsOf(where)
  if (conditions === null) return null
  const written = (variable: string, all: readonly Condition[]) =>
    all.map(({ field, operator, value }) => {
      const takesNone = operator === 'exists' || operator === 'notExists'
      return language.condition(variable, operator, field, takesNone ? '' : language.literal(value))
    })
  const branches = conditions.either.map((_, index) => `either${index + 1}`)
  const keys = order.split(',').filter((key) => key !== '')
  return [
    ...conditions.either.flatMap((all, index) => [
      language.open(branches[index]!, className),
      ...written(branches[index]!, all),
    ]),
    branches.length > 0 ? language.either('query', className, branches) : language.open('query', className),
    ...written('query', conditions.all),
    ...keys.map((key, index) =>
      key.startsWith('-')
        ? language.order('query', key.slice(1), true, index === 0)
        : language.order('query', key, false, index === 0),
    ),
    language.limit('query', limit),
    ...language.find('query'),
  ].join('\n')
}

/**
 * Returns a query as a POSIX shell command with the app's key, with the result a client would get. No value escapes its
 * argument, and none contains a character that a terminal would execute when the line is pasted.
 */
export function curlLine(
  server: string,
  { appId, appKey }: { readonly appId: string; readonly appKey: string },
  { className, where, order, limit }: CodedQuery,
): string {
  const parameters = [
    ...(where === undefined ? [] : [`where=${escapeUnseen(JSON.stringify(where))}`]),
    ...(order === '' ? [] : [`order=${order}`]),
    `limit=${limit}`,
  ]
  return [
    'curl -G',
    ...[`X-LC-Id: ${appId}`, `X-LC-Key: ${appKey}`].map((header) => `-H ${shellArgument(header)}`),
    ...parameters.map((parameter) => `--data-urlencode ${shellArgument(parameter)}`),
    shellArgument(`${server}/1.1/classes/${encodeURIComponent(className)}`),
  ].join(' \\\n  ')
}
