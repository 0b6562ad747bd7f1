import { DeleteOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { shownText } from '../../parts/shown-text.ts'
import type { UserChanges } from './use-user-changes.ts'
import type { User } from './users-queries.ts'

interface UserDangerProps {
  readonly user: User
  readonly changes: UserChanges
  onDeleted(): void
}

/** Deletes a user after its name is typed. */
export function UserDanger({ user, changes: { remove }, onDeleted }: UserDangerProps) {
  const { t } = useTranslation('users')
  const [isConfirming, setIsConfirming] = useState(false)
  return (
    <div>
      <Button danger icon={<DeleteOutlined />} onClick={() => setIsConfirming(true)}>
        {t('delete.title')}
      </Button>
      <ConfirmByName
        open={isConfirming}
        title={t('delete.title')}
        name={shownText(user.username) || user.objectId}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted })}
        onCancel={() => setIsConfirming(false)}
      >
        {t('delete.about')}
      </ConfirmByName>
    </div>
  )
}
