import { useTranslation } from 'react-i18next'

const PARTS = {
  'bytes of files': 'files',
  'logins of users': 'logins',
  'subscribers and lists of conversations': 'chatLists',
  messages: 'messages',
  'messaging-messages': 'messages',
  'URLs in texts': 'urls',
} as const

/** Returns a function that names a counted part; classes and relation fields keep their names. */
export function usePartName(): (name: string) => string {
  const { t } = useTranslation('movingIn')
  return (name) => {
    const known = Object.hasOwn(PARTS, name) ? PARTS[name as keyof typeof PARTS] : null
    if (known) return t(`parts.${known}`)
    const [, compared] = /^(.+) \(ids\)$/.exec(name) ?? []
    if (compared !== undefined) return t('parts.ids', { name: compared })
    const [, table] = /^messaging-(.+)$/.exec(name) ?? []
    if (table !== undefined) return t('parts.messaging', { name: table })
    const [, board] = /^leaderboard (.+)$/.exec(name) ?? []
    return board === undefined ? name : t('parts.board', { name: board })
  }
}
