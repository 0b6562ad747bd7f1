import { PlusOutlined } from '@ant-design/icons'
import { useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'

/** A link to the composer, for administrators that can push. */
export function ComposeLink() {
  const { t } = useTranslation('push')
  const { appId, canChange } = useApp()
  const navigate = useNavigate()
  if (!canChange) return null
  return (
    <Button
      type="primary"
      icon={<PlusOutlined />}
      onClick={() => void navigate({ to: '/apps/$appId/push/new', params: { appId } })}
    >
      {t('compose.open')}
    </Button>
  )
}
