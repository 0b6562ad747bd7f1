import { WarningOutlined } from '@ant-design/icons'
import { Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useGranteeNames } from '../../parts/grantees/grantee-choice.tsx'
import { granteesOf, type Operation, type Permission, riskOf } from './permission.ts'

interface PermissionMeaningProps {
  readonly className: string
  readonly operation: Operation
  readonly permission: Permission
}

/** Maximum number of names in a sentence; above it the number is shown. */
const MAX_NAMED = 5

/** Describes in one sentence what a permission means, and in another its risk. */
export function PermissionMeaning({ className, operation, permission }: PermissionMeaningProps) {
  const { t, i18n } = useTranslation('classes')
  const grantees = granteesOf(permission)
  const nameOf = useGranteeNames(grantees)
  const what = t(`operation.${operation}.what`)
  const risk = riskOf(className, operation, permission)
  return (
    <>
      <Typography.Text type="secondary">{meaning()}</Typography.Text>
      {risk && (
        <Typography.Text type="warning">
          <WarningOutlined aria-hidden /> {t(`risk.${risk}`)}
        </Typography.Text>
      )}
    </>
  )

  function meaning(): string {
    if (permission === 'public') return t('meaning.public', { what })
    if (permission === 'users') return t('meaning.users', { what })
    if (permission === 'master') return t('meaning.master', { what })
    if (grantees.length === 0) return t('meaning.noGrantees', { what })
    const named = grantees
      .slice(0, MAX_NAMED)
      .map((one) => t(one.startsWith('role:') ? 'meaning.role' : 'meaning.user', { name: nameOf(one) }))
    const others = grantees.length - named.length
    const list = new Intl.ListFormat(i18n.language === 'zh' ? 'zh-CN' : 'en', { type: 'conjunction' })
    const who = list.format(others > 0 ? [...named, t('meaning.others', { count: others })] : named)
    return t('meaning.chosen', { who, what })
  }
}
