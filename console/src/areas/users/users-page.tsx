import { PlusOutlined } from '@ant-design/icons'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Button, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { Page } from '../../parts/page.tsx'
import { NewUserDialog } from './new-user-dialog.tsx'
import { UserDrawer } from './user-drawer.tsx'
import { UsersTable } from './users-table.tsx'

/** Finds users, and helps with their accounts. */
export function UsersPage() {
  const { t } = useTranslation('users')
  const { appId, canChange } = useApp()
  const { q = '', user } = useSearch({ from: '/signed-in/apps/$appId/users' })
  const navigate = useNavigate()
  const [isMaking, setIsMaking] = useState(false)
  const show = (next: { q?: string; user?: string | undefined }, replace = false) => {
    const { q: searchText = q, user: open } = next
    const search = { ...(searchText !== '' && { q: searchText }), ...(open !== undefined && { user: open }) }
    void navigate({ to: '/apps/$appId/users', params: { appId }, search, replace })
  }
  const newUser = canChange && (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setIsMaking(true)}>
      {t('new.title')}
    </Button>
  )
  return (
    <Page title={t('usersTitle')} actions={newUser}>
      <Input.Search
        key={q}
        defaultValue={q}
        placeholder={t('search')}
        aria-label={t('search')}
        style={{ maxWidth: 460 }}
        onSearch={(text) => show({ q: text.trim() }, true)}
      />
      <UsersTable appId={appId} search={q} action={newUser} onOpen={(id) => show({ user: id })} />
      {user !== undefined && <UserDrawer key={user} userId={user} onClose={() => show({})} />}
      {isMaking && <NewUserDialog onMade={(id) => show({ user: id })} onClose={() => setIsMaking(false)} />}
    </Page>
  )
}
