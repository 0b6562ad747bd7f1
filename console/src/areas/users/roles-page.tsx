import { PlusOutlined } from '@ant-design/icons'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { NewRoleDialog } from './new-role-dialog.tsx'
import { RoleDetails } from './role-details.tsx'
import { RoleTree } from './role-tree.tsx'

/** Roles with their inheritance and users. */
export function RolesPage() {
  const { t } = useTranslation('users')
  const { appId, canChange } = useApp()
  const { role, q = '' } = useSearch({ from: '/signed-in/apps/$appId/roles' })
  const navigate = useNavigate()
  const [isMaking, setIsMaking] = useState(false)
  const show = (next: { role?: string; q?: string }) => {
    const { role: open = role, q: searchText = q } = next
    const search = { ...(open && { role: open }), ...(searchText !== '' && { q: searchText }) }
    void navigate({ to: '/apps/$appId/roles', params: { appId }, search })
  }
  const newRole = canChange && (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setIsMaking(true)}>
      {t('roles.new')}
    </Button>
  )
  return (
    <Page title={t('rolesTitle')} about={t('roles.about')} actions={newRole}>
      <Flex wrap gap={16} align="start">
        <Card size="small" style={{ flex: '1 1 280px', minWidth: 0 }}>
          <RoleTree
            appId={appId}
            search={q}
            open={role}
            action={newRole}
            onSearch={(text) => show({ q: text })}
            onOpen={(id) => show({ role: id })}
          />
        </Card>
        <Card style={{ flex: '3 1 460px', minWidth: 0 }}>
          {role === undefined ? (
            <EmptyState title={t('roles.choose')}>{t('roles.chooseAbout')}</EmptyState>
          ) : (
            <RoleDetails
              key={role}
              roleId={role}
              onOpen={(id) => show({ role: id })}
              onDeleted={() => show({ role: '' })}
            />
          )}
        </Card>
      </Flex>
      {isMaking && <NewRoleDialog onMade={(id) => show({ role: id })} onClose={() => setIsMaking(false)} />}
    </Page>
  )
}
