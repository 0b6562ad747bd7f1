import { useNavigate } from '@tanstack/react-router'
import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'

/** Opens a conversation by its id. */
export function OpenById() {
  const { t } = useTranslation('messaging')
  const { appId } = useApp()
  const navigate = useNavigate()
  const open = (text: string) => {
    const convId = text.trim()
    if (convId) void navigate({ to: '/apps/$appId/messaging/conversations/$convId', params: { appId, convId } })
  }
  return (
    <Input.Search
      aria-label={t('filter.id')}
      placeholder={t('filter.id')}
      enterButton={t('filter.openId')}
      style={{ width: 280, maxWidth: '100%' }}
      onSearch={open}
    />
  )
}
