import { LogoutOutlined, UserOutlined } from '@ant-design/icons'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button, Dropdown } from 'antd'
import { useTranslation } from 'react-i18next'
import { logout, meQuery } from '../api/me.ts'
import { queryClient } from '../api/query-client.ts'

/** The current administrator, with the logout. */
export function UserMenu() {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const { administrator } = useSuspenseQuery(meQuery).data
  const leave = async () => {
    await logout()
    await navigate({ to: '/login' })
    queryClient.clear()
  }
  const items = [
    { key: 'profile', icon: <UserOutlined />, label: t('profile'), onClick: () => void navigate({ to: '/profile' }) },
    { key: 'logout', icon: <LogoutOutlined />, label: t('logOut'), onClick: () => void leave() },
  ]
  return (
    <Dropdown trigger={['click']} menu={{ items }}>
      <Button type="text" icon={<UserOutlined />} aria-label={t('account', { name: administrator.name })} />
    </Dropdown>
  )
}
